import type { Day } from '../catalog/day.ts';
import { daysBetween } from '../catalog/day.ts';
import type { Measure } from '../catalog/money.ts';
import type { Platform } from '../catalog/platform.ts';
import type { Cause } from '../collectors/explain/decompose.ts';
import type { Explanation, Part } from '../collectors/explain/explain.ts';
import { columns } from '../text/columns.ts';
import { amountText } from './format.ts';

/** An organization's explanation; undefined without one: usually, the measure of one of the sides is unknown on every day. */
interface ExplainedOrg {
  readonly org: string;
  /** If others have another one. */
  readonly platform?: Pick<Platform, 'name' | 'title'> | undefined;
  readonly measure?: Measure;
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
/** A cause in words: where there are no credits, it is of the cost. */
function wordsOf(cause: Cause, { currency }: Explanation): string {
  return currency === undefined ? WORDS[cause] : WORDS[cause].replace('credits', 'cost');
}

/** How many models and teams are named; the rest is one line. */
const NAMED = 5;

/** The change in one sentence: how much, and the cause if one stands out. */
export function sentenceOf(explanation: Explanation): string {
  const { from, to, currency } = explanation;
  const cause = causeWords(explanation);
  const noun = currency === undefined ? 'Credits' : 'Cost';
  const unit = currency === undefined ? '' : ` ${currency}`;
  const change = to - from;
  if (change === 0) return `${noun} a day stayed the same.`;
  const verb = change > 0 ? 'rose' : 'fell';
  const share = from === 0 ? '' : ` by ${percent(Math.abs(change) / from)}`;
  const start = `${noun} a day ${verb}${share}, from ${digits(from, currency)} to ${digits(to, currency)}${unit}`;
  if (cause === undefined) return `${start}; no single cause stands out.`;
  const which = cause.model === undefined ? '' : `, first of all ${cause.model}`;
  return `${start}, mostly by ${cause.words}${which} (${signed(cause.credits, currency)}).`;
}

/** The cause that stands out, in words, and the model behind it, where it is one; undefined if none does. */
export function causeWords(explanation: Explanation) {
  const { from, to, cause, models, byModel = [] } = explanation;
  if (cause === undefined) return undefined;
  // What was used moves from one model to another: the one that went along with the change is meant.
  const candidates = cause.name === 'models_used' ? byModel : (models.get(cause.name) ?? []);
  const model = candidates.find(({ credits }) => Math.sign(credits) === Math.sign(to - from))?.name;
  return { words: wordsOf(cause.name, explanation), credits: cause.credits, model };
}

/** Causes in words. */
export function partsWords(explanation: Explanation): readonly Part[] {
  return explanation.what.map(({ name, credits }) => ({ name: wordsOf(name, explanation), credits }));
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
  return orgs.map((one) => `${JSON.stringify(jsonOf(one))}\n`).join('');
}

function jsonOf({ org, platform, explanation }: ExplainedOrg) {
  const head = { org, platform: platform?.name };
  if (explanation === undefined) return { ...head, known: false };
  const { before, after, sameWeekdays, from, to, what, models, byModel, byTeam, cause, currency } =
    explanation;
  const amount = (credits: number) => (currency === undefined ? { credits } : { cost: credits });
  const causeName = (name: Cause) => (currency === undefined ? name : name.replace('credits', 'cost'));
  const parts = (some: readonly Part[] | undefined) =>
    some?.map(({ name, credits }) => ({ name, ...amount(credits) }));
  return {
    ...head,
    known: true,
    currency,
    before: { days: before.days, ...amount(from) },
    after: { days: after.days, ...amount(to) },
    same_weekdays: sameWeekdays,
    cause: cause === undefined ? null : causeName(cause.name),
    what: what.map(({ name, credits }) => ({
      cause: causeName(name),
      ...amount(credits),
      models: parts(models.get(name)),
    })),
    where: { models: parts(byModel) ?? null, teams: parts(byTeam) ?? null },
  };
}

/** An output format: writes a heading, a table of names and amounts, or a sentence. */
interface Style {
  heading(text: string): string;
  table(title: string, rows: readonly Part[], currency?: string): readonly string[];
}

const plain: Style = {
  heading: (text) => text,
  table: (title, rows, currency) => [
    '',
    title,
    ...columns(rows.map(({ name, credits }) => [`  ${name}`, signed(credits, currency)])),
  ],
};

const markdown: Style = {
  heading: (text) => `## ${escapedMarkdown(text)}\n`,
  table: (title, rows, currency) => [
    '',
    `| ${title} | ${currency ?? 'credits'} a day |`,
    '|---|--:|',
    ...rows.map(({ name, credits }) => `| ${escapedMarkdown(name)} | ${signed(credits, currency)} |`),
  ],
};

/** Escapes a text, so that it has no meaning in Markdown. */
export function escapedMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_|<>[\]#]/g, '\\$&');
}

function* sections(of: ExplainedOrg, style: Style): Generator<string> {
  const { platform, explanation, measure = 'credits' } = of;
  const { heading } = style;
  const org = platform === undefined ? of.org : `${of.org} (${platform.title})`;
  if (explanation === undefined) {
    yield heading(org);
    yield `The ${measure} of one of the sides ${measure === 'cost' ? 'is' : 'are'} unknown on every day.\n`;
    return;
  }
  const { before, after, models, byModel, byTeam, sameWeekdays, currency } = explanation;
  const table = (title: string, rows: readonly Part[]) => style.table(title, rows, currency);
  yield heading(`${org}: ${daysText(after.days)} against ${daysText(before.days)}`);
  yield sentenceOf(explanation);
  if (!sameWeekdays) yield 'The two sides have no weekday in common.';
  yield* table('What changed', partsWords(explanation));
  for (const [cause, parts] of models) {
    if (parts.length > 0) yield* table(`Of ${wordsOf(cause, explanation)}`, first(parts));
  }
  if (models.size === 0 && byModel === undefined)
    yield 'Models cannot be told: the platform sent no usable breakdown.';
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

function digits(number: number, currency: string | undefined): string {
  const size = Math.abs(number);
  return currency === undefined
    ? String(size).replaceAll(/\B(?=(\d{3})+$)/g, ',')
    : amountText({ currency, amount: size });
}

/** A number of credits, or an amount of money, with its sign. */
export function signed(number: number, currency?: string): string {
  return number === 0 ? '0' : `${number > 0 ? '+' : '−'}${digits(number, currency)}`;
}

function percent(share: number): string {
  return share < 10 ? `${Math.round(share * 100)} %` : `a factor of ${Math.round(share + 1)}`;
}

function ratio(value: number): string {
  return value.toPrecision(2);
}
