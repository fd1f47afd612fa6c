import * as z from 'zod';
import { ConfigError } from '../../runtime/errors.ts';
import { plainValueOf } from '../validate.ts';
import { memberKey, type TeamRule } from './teams.ts';

const MAX_NAME_LENGTH = 100;

/** One line; messages repeat nothing of it. */
const rule = z.object({
  member: z.string().trim().min(1, { error: 'has no user' }),
  team: z
    .string({ error: ({ input }) => (isScalar(input) ? 'the team must be in quotes' : 'has no team') })
    .trim()
    .min(1, { error: 'has no team' })
    .max(MAX_NAME_LENGTH, { error: `has a team of more than ${MAX_NAME_LENGTH} characters` })
    .regex(/^\P{C}*$/u, { error: 'has a team with control characters' }),
});

/** An unvalidated line. */
interface Line {
  readonly line: number;
  readonly fields: { readonly member: string; readonly team: unknown };
}

const hint = 'each line has a user id, an e-mail address or a pattern such as "*@example.com", and a team';

/**
 * Parses a teams file: CSV if its name ends in `.csv`, otherwise YAML. Throws a `ConfigError` with file and line that
 * repeats nothing of the line, which may contain an address.
 */
export async function parseTeams(text: string, file: string): Promise<readonly TeamRule[]> {
  const lines = /\.csv$/i.test(file) ? await readCsv(text, file) : await readYaml(text, file);
  const seen = new Set<string>();
  return lines.map(({ line, fields }) => {
    const { data, error } = rule.safeParse(fields);
    if (error !== undefined) throw new ConfigError(`${file}:${line}: ${error.issues[0]?.message}`, hint);
    const key = memberKey(data.member);
    if (seen.has(key)) throw new ConfigError(`${file}:${line}: is listed twice`, hint);
    seen.add(key);
    return data;
  });
}

function isScalar(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}

async function readYaml(text: string, file: string): Promise<readonly Line[]> {
  const { parseYamlTree } = await import('../parse-yaml.ts');
  const tree = parseYamlTree(text, file, 'unquoted');
  if (tree.kind === 'empty') return [];
  if (tree.kind !== 'mapping') throw new ConfigError(`${file}:${tree.line}: must be a mapping`, hint);
  return [...tree.entries].map(([member, { line, tree: team }]) => ({
    line,
    fields: { member, team: plainValueOf(team) },
  }));
}

async function readCsv(text: string, file: string): Promise<readonly Line[]> {
  const { parse } = await import('csv-parse/sync');
  let records: readonly { readonly record: readonly string[]; readonly info: { readonly lines: number } }[];
  try {
    records = parse(text, {
      bom: true,
      comment: '#',
      comment_no_infix: true,
      delimiter: [',', ';', '\t'],
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    }) as unknown as typeof records;
  } catch (error) {
    const line = error instanceof Error && 'lines' in error ? `:${error.lines}` : '';
    throw new ConfigError(`${file}${line}: is not valid CSV`, hint);
  }
  const rows = records.map(({ record, info }) => ({ line: info.lines, record }));
  const [first] = rows;
  return (first !== undefined && isHeader(first.record) ? rows.slice(1) : rows).map(({ line, record }) => {
    const [member = '', team = ''] = record;
    if (record.length > 2) throw new ConfigError(`${file}:${line}: has more than two fields`, hint);
    return { line, fields: { member, team } };
  });
}

function isHeader([member = '', team = '']: readonly string[]): boolean {
  return /^(user|user_id|id|email|e-mail|member)$/i.test(member) && /^team$/i.test(team);
}
