/** The figures of one person that are kept where people are told apart. */
export const FIGURES = [
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
export const ATTRIBUTES = ['user', 'team', 'model', 'tier', 'level'] as const;

export type FigureName = (typeof FIGURES)[number];
export type AttributeName = (typeof ATTRIBUTES)[number];

/**
 * People one by one, as columns of text with a line for each person: twenty thousand people of a day are a few
 * strings rather than as many objects. A line is empty where the figure is not known.
 */
export type PeopleColumns = Readonly<Record<FigureName | AttributeName, string>>;

/** Walks several columns side by side. */
export function* linesOf<const Name extends FigureName | AttributeName>(
  columns: PeopleColumns,
  names: readonly Name[],
): Generator<Readonly<Record<Name, string>>> {
  const texts = names.map((name) => columns[name]);
  const from = names.map(() => 0);
  const [first = ''] = texts;
  // Every line has its end, so that no people and one person without a name differ.
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

/** A column of the lines; what would break a line becomes a space. */
export function columnOf(lines: readonly (string | number | undefined)[]): string {
  let text = '';
  for (const line of lines) {
    text += `${typeof line === 'string' ? line.replaceAll('\n', ' ') : (line ?? '')}\n`;
  }
  return text;
}
