import type { Day } from '../catalog/day.ts';
import { daysBetween } from '../catalog/day.ts';
import type { Cause } from '../collectors/explain/decompose.ts';
import type { Explanation, Part } from '../collectors/explain/explain.ts';
import { columns } from '../text/columns.ts';

/** An organization's explanation; undefined without one: usually, the credits of one of the sides are unknown on every day. */
interface ExplainedOrg {
  readonly org: string;
  readonly explanation: Explanation | undefined;
}

const WORDS: Readonly<Record<Cause, string>> = {
  people: 'active people',
  sessions: 'sessions',
  sessions_per_person: 'sessions per person',
  tokens: 'tokens',
  tokens_per_person: 'tokens per person',
  tokens_per_session: 'tokens per session',
  credits_per_person: 'credits per person',
  credits_per_session: 'credits per session',
  credits_per_token: 'credits per token',
  models_used: 'models used',
  price_of_tokens: 'credits per token of each model',
  use: 'use as a whole',
  unattributed: 'credits of no model',
};
/** How many models and teams are named; the rest is one line. */
const NAMED = 5;

/** The change in one sentence: how much, and the cause if one stands out. */
export function sentenceOf(explanation: Explanation): string {
  const { from, to } = explanation;
  const cause = causeWords(explanation);
  const change = to - from;
  if (change === 0) return 'Credits a day stayed the same.';
  const verb = change > 0 ? 'rose' : 'fell';
  const share = from === 0 ? '' : ` by ${percent(Math.abs(change) / from)}`;
  const start = `Credits a day ${verb}${share}, from ${digits(from)} to ${digits(to)}`;
  if (cause === undefined) return `${start}; no single cause stands out.`;
  const which = cause.model === undefined ? '' : `, first of all ${cause.model}`;
  return `${start}, mostly by ${cause.words}${which} (${signed(cause.credits)}).`;
}

/** The cause that stands out, in words, and the model behind it, where it is one; undefined if none does. */
export function causeWords({ from, to, cause, models, byModel = [] }: Explanation) {
  if (cause === undefined) return undefined;
  // What was used moves from one model to another: the one that went along with the change is meant.
  const candidates = cause.name === 'models_used' ? byModel : (models.get(cause.name) ?? []);
  const model = candidates.find(({ credits }) => Math.sign(credits) === Math.sign(to - from))?.name;
  return { words: WORDS[cause.name], credits: cause.credits, model };
}

/** Causes in words. */
export function partsWords(what: readonly Part<Cause>[]): readonly Part[] {
  return what.map(({ name, credits }) => ({ name: WORDS[name], credits }));
}

/** Everything as plain text for a terminal. */
export function explanationText(orgs: readonly ExplainedOrg[]): string {
  return orgs.map((one) => [...sections(one, plain)].join('\n')).join('\n');
}

/** Everything as Markdown. */
export function explanationMarkdown(orgs: readonly ExplainedOrg[]): string {
  return orgs.map((one) => [...sections(one, markdown)].join('\n')).join('\n');
}

/** Everything as JSON, of one organization in a line. */
export function explanationJson(orgs: readonly ExplainedOrg[]): string {
  return orgs.map(({ org, explanation }) => `${JSON.stringify({ org, ...jsonOf(explanation) })}\n`).join('');
}

function jsonOf(explanation: Explanation | undefined) {
  if (explanation === undefined) return { known: false };
  const { before, after, sameWeekdays, from, to, what, models, byModel, byTeam, cause } = explanation;
  return {
    known: true,
    before: { days: before.days, credits: from },
    after: { days: after.days, credits: to },
    same_weekdays: sameWeekdays,
    cause: cause?.name ?? null,
    what: what.map(({ name, credits }) => ({ cause: name, credits, models: models.get(name) })),
    where: { models: byModel ?? null, teams: byTeam ?? null },
  };
}

/** How a heading, a table of names and amounts, and a sentence are written. */
interface Style {
  heading(text: string): string;
  table(title: string, rows: readonly Part[]): readonly string[];
}

const plain: Style = {
  heading: (text) => text,
  table: (title, rows) => [
    '',
    title,
    ...columns(rows.map(({ name, credits }) => [`  ${name}`, signed(credits)])),
  ],
};

const markdown: Style = {
  heading: (text) => `## ${escapedMarkdown(text)}\n`,
  table: (title, rows) => [
    '',
    `| ${title} | credits a day |`,
    '|---|--:|',
    ...rows.map(({ name, credits }) => `| ${escapedMarkdown(name)} | ${signed(credits)} |`),
  ],
};

/** A text without a meaning in Markdown. */
export function escapedMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_|<>[\]#]/g, '\\$&');
}

function* sections({ org, explanation }: ExplainedOrg, { heading, table }: Style): Generator<string> {
  if (explanation === undefined) {
    yield heading(org);
    yield 'The credits of one of the sides are unknown on every day.\n';
    return;
  }
  const { before, after, what, models, byModel, byTeam, sameWeekdays } = explanation;
  yield heading(`${org}: ${daysText(after.days)} against ${daysText(before.days)}`);
  yield sentenceOf(explanation);
  if (!sameWeekdays) yield 'The two sides have no weekday in common.';
  yield* table('What changed', partsWords(what));
  for (const [cause, parts] of models) {
    if (parts.length > 0) yield* table(`Of ${WORDS[cause]}`, first(parts));
  }
  if (models.size === 0) yield 'Models cannot be told: the platform sent no usable breakdown.';
  if (byModel !== undefined && byModel.length > 0) yield* table('Where, by model', first(byModel));
  if (byTeam !== undefined && byTeam.length > 0) yield* table('Where, by team', first(byTeam));
  if (before.cached !== undefined && after.cached !== undefined)
    yield `\nTokens read from the cache for each input token: ${ratio(before.cached)} before, ${ratio(after.cached)} after.`;
  yield '';
}

function first(parts: readonly Part[]): readonly Part[] {
  if (parts.length <= NAMED + 1) return parts;
  const rest = parts.slice(NAMED).reduce((sum, { credits }) => sum + credits, 0);
  return [...parts.slice(0, NAMED), { name: `${parts.length - NAMED} more`, credits: rest }];
}

/** A day, a range without gaps, or the days one by one. */
function daysText(days: readonly Day[]): string {
  const [start, end] = [days[0], days.at(-1)];
  if (start === undefined || end === undefined) return 'no day';
  if (start === end) return start;
  const isRange = daysBetween(start, end) === days.length - 1;
  return isRange ? `${start} to ${end}` : `the mean of ${days.join(', ')}`;
}

function digits(number: number): string {
  return String(Math.abs(number)).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/** A number of credits with its sign. */
export function signed(number: number): string {
  return number === 0 ? '0' : `${number > 0 ? '+' : '−'}${digits(number)}`;
}

function percent(share: number): string {
  return share < 10 ? `${Math.round(share * 100)} %` : `a factor of ${Math.round(share + 1)}`;
}

function ratio(value: number): string {
  return value.toPrecision(2);
}
