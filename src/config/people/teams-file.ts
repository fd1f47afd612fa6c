import * as z from 'zod';
import { type Budget, OTHER_TEAMS, UNASSIGNED } from '../../catalog/settings.ts';
import { ConfigError } from '../../runtime/errors.ts';
import { budgetSchema, MAX_CREDITS } from '../file-schema.ts';
import { plainValueOf, positiveNumber, validated } from '../validate.ts';
import { configErrorAt, type Entry, type Tree, type YamlNode } from '../yaml-node.ts';
import { memberKey, type TeamRule, type TeamsFile } from './teams.ts';

const MAX_NAME_LENGTH = 100;

/** One line; messages repeat nothing of it. */
const rule = z.object({
  member: z.string().trim().min(1, { error: 'has no user' }),
  team: z
    .string({ error: ({ input }) => (isScalar(input) ? 'the team must be in quotes' : 'has no team') })
    .trim()
    .min(1, { error: 'has no team' })
    .max(MAX_NAME_LENGTH, { error: `has a team of more than ${MAX_NAME_LENGTH} characters` })
    .regex(/^\P{C}*$/u, { error: 'has a team with control characters' })
    .refine((team) => team !== UNASSIGNED, {
      error: `has the team ${UNASSIGNED}, which means credits of no team`,
    }),
});

/** A teams file in YAML: a team for each member, and budgets for teams. */
export const teamsSchema = z
  .object({
    credits_per_month: z.record(z.string(), positiveNumber(MAX_CREDITS)).nullish(),
    budgets: z.record(z.string(), budgetSchema).nullish(),
  })
  .catchall(rule.shape.team)
  .nullable();

/** The keys of budgets in YAML; the first one is the name of their column in CSV. */
const BUDGETS = ['credits_per_month', 'budgets'] as const;

/** A team with fewer people in the file cannot have a budget: its month would be nearly one person's own figure. */
const MIN_PEOPLE = 5;

/** An unvalidated line. */
interface Line {
  readonly line: number;
  readonly fields: { readonly member: string; readonly team: unknown };
}

const hint = 'each line has a user id, an e-mail address or a pattern such as "*@example.com", and a team';

const csvHint = `${hint}; or no user, a team and its ${BUDGETS[0]}, or an amount such as 1500 USD`;

/**
 * Parses a teams file: CSV if its name ends in `.csv`, otherwise YAML. Throws a `ConfigError` with file and line that
 * repeats nothing of the line, which may contain an address.
 */
export async function parseTeams(text: string, file: string): Promise<TeamsFile> {
  const { lines, budgets } = /\.csv$/i.test(file) ? await readCsv(text, file) : await readYaml(text, file);
  const seen = new Set<string>();
  const rules = lines.map(({ line, fields }) => {
    const { data, error } = rule.safeParse(fields);
    if (error !== undefined) throw new ConfigError(`${file}:${line}: ${error.issues[0]?.message}`, hint);
    const key = memberKey(data.member);
    if (seen.has(key)) throw new ConfigError(`${file}:${line}: is listed twice`, hint);
    seen.add(key);
    return data;
  });
  return { rules, budgets: budgetsIn(budgets, rules) };
}

/** The lines of a file, and its budgets as mappings from team to budget. */
interface Content {
  readonly lines: readonly Line[];
  readonly budgets: readonly YamlNode[];
}

/** The budgets by team; a message names a team only if the file has people of it, since the key can be any text. */
function budgetsIn(nodes: readonly YamlNode[], rules: readonly TeamRule[]): ReadonlyMap<string, Budget> {
  const teams = Map.groupBy(rules, ({ team }) => team);
  const budgets = new Map<string, Budget>();
  for (const node of nodes) {
    if (node.tree.kind === 'empty') continue;
    const isCredits = node.path === BUDGETS[0];
    const what = isCredits ? 'credits' : 'budget';
    if (node.tree.kind !== 'mapping') throw configErrorAt(node, `must be a mapping from team to ${what}`);
    for (const [key, entry] of node.tree.entries) {
      const team = key.trim();
      const members = teams.get(team);
      const at = { ...node, ...entry };
      if (members === undefined) throw configErrorAt(at, 'names a team without people in this file');
      if (budgets.has(team)) throw configErrorAt(at, 'names a team that has a budget already');
      budgets.set(
        team,
        budgetOf({ ...at, path: `${node.path}.${team}` }, isCredits ? credits : budgetSchema, team, members),
      );
    }
  }
  return budgets;
}

const credits = positiveNumber(MAX_CREDITS);

function budgetOf(
  node: YamlNode,
  schema: z.ZodType<Budget>,
  team: string,
  members: readonly TeamRule[],
): Budget {
  const data = validated(schema, node);
  if (team === OTHER_TEAMS)
    throw configErrorAt(node, 'small teams are summed into this name; it cannot have a budget');
  const people = members.filter(({ member }) => !member.includes('*')).length;
  if (people >= MIN_PEOPLE) return data;
  throw configErrorAt(
    node,
    `the team has ${people === 1 ? '1 person' : `${people} people`} in this file; a budget needs at least ${MIN_PEOPLE}`,
    'a pattern does not count, since it may fit one person only: list five people by user id or address',
  );
}

function isScalar(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}

async function readYaml(text: string, file: string): Promise<Content> {
  const { parseYaml } = await import('../parse-yaml.ts');
  const { tree } = parseYaml(text, file, 'unquoted');
  if (tree.kind === 'empty') return { lines: [], budgets: [] };
  if (tree.kind !== 'mapping') throw new ConfigError(`${file}:${tree.line}: must be a mapping`, hint);
  const entries = [...tree.entries];
  const isBudgets = ([key, { tree: value }]: readonly [string, Entry]) =>
    BUDGETS.some((name) => name === key) && value.kind !== 'text';
  return {
    lines: entries
      .filter((entry) => !isBudgets(entry))
      .map(([member, { line, tree: team }]) => ({ line, fields: { member, team: plainValueOf(team) } })),
    budgets: entries.filter(isBudgets).map(([path, budgets]) => ({ file, path, ...budgets })),
  };
}

async function readCsv(text: string, file: string): Promise<Content> {
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
  const lines: Line[] = [];
  const budgets = new Map<string, Entry>();
  for (const { line, record } of first !== undefined && isHeader(first.record) ? rows.slice(1) : rows) {
    const [member = '', team = '', budget = ''] = record;
    const refuse = (problem: string) => new ConfigError(`${file}:${line}: ${problem}`, csvHint);
    if (record.length > 3) throw refuse('has more than three fields');
    if (budget === '') lines.push({ line, fields: { member, team } });
    else if (member !== '') throw refuse('has both a user and a budget');
    else if (budgets.has(team)) throw refuse('is listed twice');
    else budgets.set(team, { line, tree: budgetTree(budget, line) });
  }
  // Each kind under its own key, as in YAML.
  const nodes = BUDGETS.map((path, index): YamlNode => {
    const own = [...budgets].filter(([, { tree }]) => (tree.kind === 'mapping') === (index === 1));
    const line = own[0]?.[1].line ?? 0;
    return { file, path, line, tree: { kind: 'mapping', line, entries: new Map(own) } };
  });
  return { lines, budgets: nodes };
}

/** A number of credits, or an amount such as `1500 USD`. */
function budgetTree(budget: string, line: number): Tree {
  const [, amount, currency] = /^(\d\S*)\s+(\S+)$/.exec(budget) ?? [];
  if (amount === undefined || currency === undefined) return scalar(budget, line);
  const entries = Object.entries({ amount: scalar(amount, line), currency: scalar(currency, line) });
  return { kind: 'mapping', line, entries: new Map(entries.map(([key, tree]) => [key, { line, tree }])) };
}

function scalar(text: string, line: number): Tree {
  return { kind: /^\d+(\.\d+)?$/.test(text) ? 'number' : 'text', line, text };
}

function isHeader([member = '', team = '']: readonly string[]): boolean {
  return /^(user|user_id|id|email|e-mail|member)$/i.test(member) && /^team$/i.test(team);
}
