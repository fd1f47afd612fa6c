import * as z from 'zod';
import { type Budget, OTHER_TEAMS, UNASSIGNED } from '../../catalog/settings.ts';
import { platforms } from '../../platforms/list.ts';
import { ConfigError } from '../../text/errors.ts';
import { budgetSchema, MAX_CREDITS } from '../file-schema.ts';
import {
  configErrorAt,
  nearestNode,
  nodeOnLine,
  positiveNumber,
  validated,
  type YamlNode,
} from '../validate.ts';
import { loginKey, memberKey, type TeamRule, type TeamsFile } from './teams.ts';

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

const platformNames = platforms.map(({ name }) => name);

const address = z
  .string({ error: 'has a person without an email' })
  .trim()
  .regex(/^[^\s*]+@[^\s*]+$/, { error: 'has a person without an email' });

const login = z
  .string({ error: ({ input }) => (isScalar(input) ? 'the login must be in quotes' : 'has no login') })
  .trim()
  .min(1, { error: 'has no login' });

/** A person's logins by platform. */
const logins = z.strictObject(Object.fromEntries(platformNames.map((name) => [name, login.optional()])), {
  error: ({ code }) =>
    code === 'unrecognized_keys'
      ? `has a login on another platform than ${platformNames.join(', ')}`
      : 'logins must be a mapping from platform to login',
});

/** A person of a team. */
const person = z.strictObject(
  { email: address, logins: logins.optional() },
  { error: 'must be a person with email and logins, and nothing else' },
);

/** A teams file in YAML: a team for each member, people with logins by team, and budgets for teams. */
export const teamsSchema = z
  .object({
    people: z.record(rule.shape.team, z.array(person)).nullish(),
    credits_per_month: z.record(z.string(), positiveNumber(MAX_CREDITS)).nullish(),
    budgets: z.record(z.string(), budgetSchema).nullish(),
  })
  .catchall(rule.shape.team);

/** The keys of budgets in YAML; the first one is the name of their column in CSV. */
const budgetKinds = {
  credits_per_month: { schema: positiveNumber(MAX_CREDITS), what: 'credits' },
  budgets: { schema: budgetSchema, what: 'budget' },
};

/** A team with fewer people in the file cannot have a budget: its month would be nearly one person's own figure. */
const MIN_PEOPLE = 5;

const PEOPLE = 'people';

/** The keys in YAML that have a mapping by team. */
const teamKeys = ['credits_per_month', 'budgets', PEOPLE] as const;

/** An unvalidated line: the team of a member or, with a kind, a person or the budget of a team. */
interface Line {
  readonly name: string;
  readonly node: YamlNode;
  readonly kind?: (typeof teamKeys)[number];
}

const hint = 'each line has a user id, an e-mail address or a pattern such as "*@example.com", and a team';

const personHint =
  'each person of a team is {email: ada@example.com, logins: {copilot: octo-ada}}; without logins, the address is enough';

const NO_TEAMS_HINT = 'to have no teams, leave out teams.file, or write {} into a file in YAML';

const csvHint = `${hint}; or no user, a team and its credits_per_month, or an amount such as 1500 USD`;

/** An error that repeats nothing of a line. */
function refused({ file, line }: YamlNode, problem: string, more = hint): ConfigError {
  return new ConfigError(`${file}:${line}: ${problem}`, more);
}

/**
 * Parses a teams file: CSV if its name ends in `.csv`, otherwise YAML. Throws a `ConfigError` with file and line that
 * repeats nothing of the line, which may contain an address. A file without content is refused: what writes it may have failed.
 */
export async function parseTeams(text: string, file: string): Promise<TeamsFile> {
  const read = /\.csv$/i.test(file) ? readCsv : readYaml;
  // Names are equal however an editor or a spreadsheet composes their letters.
  const lines = await read(text.normalize(), file);
  const rules = new Map<string, TeamRule>();
  const ruled: { readonly given: TeamRule; readonly node: YamlNode }[] = [];
  for (const { name, node, kind } of lines) {
    if (kind !== undefined && kind !== PEOPLE) continue;
    const given = kind === PEOPLE ? personRule(name, node) : lineRule(name, node);
    const key = memberKey(given.member);
    if (rules.has(key)) throw refused(node, 'is listed twice');
    rules.set(key, given);
    ruled.push({ given, node });
  }
  const taken = new Set<string>();
  for (const { given, node } of ruled) {
    for (const [platform, name = ''] of Object.entries(given.logins ?? {})) {
      const key = loginKey(platform, name);
      const isOthers = (rules.get(memberKey(name)) ?? given) !== given;
      if (isOthers || taken.has(key))
        throw refused(nearestNode(node, ['logins', platform]), 'is listed twice');
      taken.add(key);
    }
  }
  return { rules: [...rules.values()], budgets: budgetsIn(lines, [...rules.values()]) };
}

/** The rule of a line with a member and a team. */
function lineRule(member: string, node: YamlNode): TeamRule {
  const { data, error } = rule.safeParse({ member, team: node.value });
  if (data === undefined) throw refused(node, error.issues[0]?.message ?? '');
  return data;
}

/** The rule of a person in the list of a team. */
function personRule(team: string, node: YamlNode): TeamRule {
  const { data, error } = person.safeParse(node.value);
  const [issue] = error?.issues ?? [];
  if (data === undefined) {
    const below = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
    const at = nearestNode(node, [...(issue?.path ?? []), ...below]);
    throw refused(at, issue?.message ?? '', personHint);
  }
  const { email, logins: known } = data;
  return { ...lineRule(email, { ...node, value: team }), ...(known && { logins: known }) };
}

/** The budgets by team; a message names a team only if the file has people of it, since the key can be any text. */
function budgetsIn(lines: readonly Line[], rules: readonly TeamRule[]): ReadonlyMap<string, Budget> {
  const teams = Map.groupBy(rules, ({ team }) => team);
  const budgets = new Map<string, Budget>();
  for (const { kind, name: team, node } of lines) {
    if (kind === undefined || kind === PEOPLE) continue;
    const members = teams.get(team);
    const unnamed = { ...node, path: kind };
    if (members === undefined) throw configErrorAt(unnamed, 'names a team without people in this file');
    if (budgets.has(team)) throw configErrorAt(unnamed, 'names a team that has a budget already');
    budgets.set(team, validated(budgetKinds[kind].schema, node));
    if (team === OTHER_TEAMS)
      throw configErrorAt(node, 'small teams are summed into this name; it cannot have a budget');
    const people = members.filter(({ member }) => !member.includes('*')).length;
    if (people >= MIN_PEOPLE) continue;
    throw configErrorAt(
      node,
      `the team has ${people === 1 ? '1 person' : `${people} people`} in this file; a budget needs at least ${MIN_PEOPLE}`,
      'a pattern does not count, since it may fit one person only: list five people by user id or address',
    );
  }
  return budgets;
}

function withoutContent(file: string): ConfigError {
  return new ConfigError(`${file} assigns nobody to a team`, NO_TEAMS_HINT);
}

function isScalar(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}

async function readYaml(text: string, file: string): Promise<readonly Line[]> {
  const { parseYaml } = await import('../parse-yaml.ts');
  const root = parseYaml(text, file, 'unquoted');
  if (root.value === null) throw withoutContent(file);
  if (!isMapping(root)) throw refused(root, 'must be a mapping');
  return [...root.children].flatMap(([name, node]): readonly Line[] => {
    const kind = teamKeys.find((key) => key === name);
    if (kind === undefined || typeof node.value === 'string') return [{ name, node }];
    const what = kind === PEOPLE ? PEOPLE : budgetKinds[kind].what;
    if (!isMapping(node)) throw configErrorAt(node, `must be a mapping from team to ${what}`);
    return [...node.children].flatMap(([team, below]): readonly Line[] => {
      if (kind !== PEOPLE) return [{ kind, name: team.trim(), node: below }];
      if (!Array.isArray(below.value)) throw refused(below, 'must be a list of people', personHint);
      return [...below.children.values()].map((one) => ({ kind, name: team, node: one }));
    });
  });
}

/** Whether a node is a mapping, or empty. */
function isMapping({ value }: YamlNode): boolean {
  return typeof value === 'object' && !Array.isArray(value);
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
  if (records[0] !== undefined && isHeader(records[0].record)) records = records.slice(1);
  if (records.length === 0) throw withoutContent(file);
  const lines: Line[] = [];
  const budgeted = new Set<string>();
  for (const { record, info } of records) {
    const [member = '', team = '', budget = ''] = record;
    const node = nodeOnLine(file, info.lines, '', team);
    if (record.length > 3) throw refused(node, 'has more than three fields', csvHint);
    if (budget === '') lines.push({ name: member, node });
    else if (member !== '') throw refused(node, 'has both a user and a budget', csvHint);
    else if (budgeted.has(team)) throw refused(node, 'is listed twice', csvHint);
    else {
      const { kind, value } = budgetIn(budget);
      budgeted.add(team);
      lines.push({ kind, name: team, node: nodeOnLine(file, info.lines, `${kind}.${team}`, value) });
    }
  }
  return lines;
}

/** A number of credits, or an amount such as `1500 USD`; of the same form as in YAML. */
function budgetIn(text: string): { kind: keyof typeof budgetKinds; value: unknown } {
  const number = (digits: string) => (/^\d+(\.\d+)?$/.test(digits) ? Number(digits) : digits);
  const [, amount, currency] = /^(\d\S*)\s+(\S+)$/.exec(text) ?? [];
  if (amount === undefined) return { kind: 'credits_per_month', value: number(text) };
  return { kind: 'budgets', value: { amount: number(amount), currency } };
}

function isHeader([member = '', team = '']: readonly string[]): boolean {
  return /^(user|user_id|id|email|e-mail|member)$/i.test(member) && /^team$/i.test(team);
}
