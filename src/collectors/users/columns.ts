import { labelValue } from '../../catalog/label.ts';

/** The figures of a person that are stored if people are identified. */
export const FIGURE_NAMES = [
  'credits',
  'toolCalls',
  'sessions',
  'userMessages',
  'assistantMessages',
  'filesCreated',
  'filesEdited',
  'commits',
  'pullRequests',
  'mcpCalls',
  'skillInvocations',
  'slashCommands',
  'hooks',
  'autonomy',
] as const;
const ATTRIBUTES = ['user', 'team', 'model', 'tier', 'level'] as const;

export type FigureName = (typeof FIGURE_NAMES)[number];
type AttributeName = (typeof ATTRIBUTES)[number];

/**
 * Individual people as columns in the same order: twenty thousand people of a day are a few strings instead of as many
 * objects. An attribute has a line per person; a figure has the bytes of its numbers in base64, with NaN for unknown
 * ones: numbers as text would take three times as long to write, and longer to read.
 */
export type PeopleColumns = Readonly<Record<FigureName | AttributeName, string>>;

/** Iterates over the lines of several attributes in parallel. */
export function* linesOf<const Name extends AttributeName>(
  columns: PeopleColumns,
  names: readonly Name[],
): Generator<Readonly<Record<Name, string>>> {
  const texts = names.map((name) => columns[name]);
  const from = names.map(() => 0);
  const [first = ''] = texts;
  // Every line is terminated, so that no people and one person without a name differ.
  while ((from[0] ?? 0) < first.length) {
    const line = {} as Record<Name, string>;
    for (const [index, name] of names.entries()) {
      const text = texts[index] ?? '';
      const start = from[index] ?? 0;
      const end = text.indexOf('\n', start);
      line[name] = text.slice(start, end);
      from[index] = end + 1;
    }
    yield line;
  }
}

/** Each person's figure; NaN if it is unknown. */
export function* figuresOf(
  columns: PeopleColumns,
  name: FigureName,
): Generator<{ readonly user: string; readonly value: number }> {
  const bytes = Buffer.from(columns[name], 'base64');
  let at = 0;
  for (const { user } of linesOf(columns, ['user'])) {
    yield { user, value: bytes.readDoubleLE(at) };
    at += Float64Array.BYTES_PER_ELEMENT;
  }
}

/** The lines of an attribute; a value that contains a line break is turned into a label value, which cannot. */
export function textOf(values: readonly (string | undefined)[]): string {
  return values.length === 0 ? '' : `${values.map(lineOf).join('\n')}\n`;
}

function lineOf(value: string | undefined): string | undefined {
  return value?.includes('\n') ? labelValue(value) : value;
}
