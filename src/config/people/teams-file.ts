import { ConfigError } from '../../runtime/errors.ts';
import { memberKey, type TeamRule } from './rules.ts';

const MAX_NAME_LENGTH = 100;

/** A line that was read, not yet checked. */
interface Line {
  readonly line: number;
  readonly member: string;
  readonly team: string;
}

/**
 * Reads a teams file: CSV where its name ends in `.csv`, else YAML. Throws a `ConfigError` with file and line that
 * repeats nothing of the line: it may hold somebody's address.
 */
export async function parseTeams(text: string, file: string): Promise<readonly TeamRule[]> {
  const lines = /\.csv$/i.test(file) ? await readCsv(text, file) : await readYaml(text, file);
  const seen = new Set<string>();
  return lines.map(({ line, member, team }) => {
    const flaw = flawOf(member, team) ?? (seen.has(memberKey(member)) ? 'names somebody again' : undefined);
    if (flaw !== undefined) throw new ConfigError(`${file}:${line}: ${flaw}`, hint);
    seen.add(memberKey(member));
    return { member, team };
  });
}

const hint = 'each line has a user id, an e-mail address or a pattern such as "*@example.com", and a team';

function flawOf(member: string, team: string): string | undefined {
  if (member === '') return 'names nobody';
  if (team === '') return 'has no team';
  if (team.length > MAX_NAME_LENGTH) return `has a team of more than ${MAX_NAME_LENGTH} characters`;
  return /\p{C}/u.test(team) ? 'has a team with control characters' : undefined;
}

async function readYaml(text: string, file: string): Promise<readonly Line[]> {
  const { parseYamlTree } = await import('../yaml-tree.ts');
  const tree = parseYamlTree(text, file, 'unquoted');
  if (tree.kind === 'empty') return [];
  if (tree.kind !== 'mapping') throw new ConfigError(`${file}:${tree.line}: must be a mapping`, hint);
  return [...tree.entries].map(([member, { line, tree: team }]) => {
    if (team.kind === 'text') return { line, member: member.trim(), team: team.text.trim() };
    const isScalar = team.kind === 'number' || team.kind === 'boolean';
    throw new ConfigError(
      `${file}:${line}: ${isScalar ? 'the team must be in quotes' : 'has no team'}`,
      hint,
    );
  });
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
    return { line, member, team };
  });
}

function isHeader([member = '', team = '']: readonly string[]): boolean {
  return /^(user|user_id|id|email|e-mail|member)$/i.test(member) && /^team$/i.test(team);
}
