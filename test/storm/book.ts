import { DAY } from '../e2e/harness.ts';
import { type Figure, figures, mainFields, usable } from './figures.ts';
import { dayRows, isRow, orgIdOf, type Sent } from './wire.ts';

/** The maximum time for which the platform receives no requests, whatever it asks for. */
const LONGEST_PAUSE = 3_600_000;

export type Dataset = Figure['dataset'];

/** What the platform has sent, as far as it may count. */
interface Book {
  /** Adds what was sent since the last call. */
  add(sent: readonly Sent[]): void;
  /** Forgets what does not survive the process: the pauses. */
  beginLife(): void;
  /** The values of a figure of a day; undefined stands for an unusable one. */
  given(org: string, figure: Figure, day: number): ReadonlySet<number | undefined>;
  /** Those of them that were added last. */
  givenNow(org: string, figure: Figure, day: number): ReadonlySet<number | undefined>;
  /** Whether a row was sent. */
  hasRow(org: string, dataset: string, day?: number): boolean;
  isActive(org: string, dataset: string, day: number): boolean;
  /** Whether the platform has answered for a day, with a row or without. */
  isAnswered(org: string, dataset: string, day: number): boolean;
  /** How many days may count as revised by the last addition. */
  revisions(org: string, dataset: string): number;
  /** Whether the last addition has an unusable figure. */
  hasRejected(org: string, dataset: string): boolean;
  /** When the last answer arrived that may count. */
  answeredAt(org: string, collector: string): number | undefined;
  wikiPages(org: string): ReadonlySet<number>;
  /** Until when the platform asked to receive no requests: of the organization, or to one endpoint. */
  pausedUntil(org: string, endpoint?: string): number;
  /** Whether an answer is about another organization. */
  isForeign(sent: Sent): boolean;
}

/** Creates an empty book; `orgIds` has the organizations' identifiers. */
export function createBook(orgIds: ReadonlyMap<string, string>): Book {
  const given = new Map<string, Set<number | undefined>>();
  let givenNow = new Map<string, Set<number | undefined>>();
  const rowDays = new Map<string, Set<number>>();
  const activeDays = new Map<string, Set<number>>();
  const answeredDays = new Map<string, Set<number>>();
  /** Every usable value of every member of a day's rows. */
  const members = new Map<string, Set<string>>();
  const varied = new Set<string>();
  let revised = new Map<string, Set<number>>();
  let rejected = new Set<string>();
  const answeredAt = new Map<string, number>();
  const pages = new Map<string, Set<number>>();
  const pauses = new Map<string, number>();

  function isForeign({ org, body }: Sent): boolean {
    const named = orgIdOf(body);
    return typeof named === 'string' && named !== orgIds.get(org);
  }

  function keepPause({ org, collector, status, at, retryAfterMs = 0 }: Sent): void {
    const scope = status === 429 ? org : key(org, collector);
    const until = at + Math.min(retryAfterMs, LONGEST_PAUSE);
    pauses.set(scope, Math.max(until, pauses.get(scope) ?? 0));
  }

  function keepRow(who: string, dataset: Dataset, day: number, row: Readonly<Record<string, unknown>>): void {
    // A first row revises nothing, except a day that counted as one without activity.
    const wasAnswered = answeredDays.get(who)?.has(day) === true;
    const isFirst = !rowDays.get(who)?.has(day);
    for (const [member, value] of Object.entries(row)) {
      if (value === undefined || value === null) continue;
      const name = key(who, `${day} ${member}`);
      // Members that an earlier row lacked entirely, such as a breakdown, are added to it.
      if (!isFirst && !members.has(name)) varied.add(key(who, String(day)));
      const values = members.get(name) ?? new Set();
      members.set(name, values);
      if (typeof value === 'object') values.add(JSON.stringify(value));
      else if (usable(value) !== undefined) values.add(String(usable(value)));
      if (values.size > 1) varied.add(key(who, String(day)));
    }
    if (isFirst ? wasAnswered : varied.has(key(who, String(day)))) add(revised, who, day);
    add(rowDays, who, day);
    if ((usable(row[mainFields[dataset]]) ?? 0) > 0) add(activeDays, who, day);
  }

  function keepDays({ org, collector, body, from, to }: Sent): void {
    const who = key(org, collector);
    const dataset = Object.keys(mainFields).find((name) => name === collector) as Dataset | undefined;
    const { rows, isWhole } = dayRows(body, from, to);
    for (let day = Date.parse(from); day <= Date.parse(to); day += DAY) {
      const row = rows.get(dayText(day));
      if (row === undefined && !isWhole) continue;
      if (row !== undefined && dataset !== undefined) keepRow(who, dataset, day, row);
      add(answeredDays, who, day);
      for (const figure of figures) {
        if (figure.dataset !== collector) continue;
        const value = row === undefined ? (figure.idleIsZero ? 0 : undefined) : figure.valueIn(row);
        add(given, valueKey(org, figure, day), value);
        add(givenNow, valueKey(org, figure, day), value);
        if (row !== undefined && value === undefined && figure.isGivenIn(row)) rejected.add(who);
      }
    }
  }

  function keepWiki({ org, body }: Sent): void {
    const lists = Array.isArray(body) ? [body] : Object.values(isRow(body) ? body : {}).filter(Array.isArray);
    for (const run of lists.flat().filter(isRow)) {
      const count = usable(run['pageCount']);
      if (count !== undefined) add(pages, org, count);
    }
  }

  return {
    add(sent) {
      givenNow = new Map();
      revised = new Map();
      rejected = new Set();
      for (const one of sent) {
        if (one.retryAfterMs !== undefined) keepPause(one);
        if (one.status !== 200 || one.body === undefined || isForeign(one)) continue;
        answeredAt.set(key(one.org, one.collector), one.at);
        if (one.collector === 'wiki') keepWiki(one);
        if (one.from !== '' && !one.grouped) keepDays(one);
      }
    },
    beginLife: () => pauses.clear(),
    given: (org, figure, day) => given.get(valueKey(org, figure, day)) ?? new Set(),
    givenNow: (org, figure, day) => givenNow.get(valueKey(org, figure, day)) ?? new Set(),
    hasRow(org, dataset, day) {
      const days = rowDays.get(key(org, dataset));
      return day === undefined ? days !== undefined : days?.has(day) === true;
    },
    isActive: (org, dataset, day) => activeDays.get(key(org, dataset))?.has(day) === true,
    isAnswered: (org, dataset, day) => answeredDays.get(key(org, dataset))?.has(day) === true,
    revisions: (org, dataset) => revised.get(key(org, dataset))?.size ?? 0,
    hasRejected: (org, dataset) => rejected.has(key(org, dataset)),
    answeredAt: (org, collector) => answeredAt.get(key(org, collector)),
    wikiPages: (org) => pages.get(org) ?? new Set(),
    pausedUntil: (org, endpoint) => pauses.get(endpoint === undefined ? org : key(org, endpoint)) ?? 0,
    isForeign,
  };
}

/** A day as text. */
export function dayText(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}

/** Two names combined. */
export function key(one: string, other: string): string {
  return `${one} ${other}`;
}

/** The name of a figure's value on a day. */
export function valueKey(org: string, figure: Figure, day: number): string {
  return `${org} ${figure.metric}${JSON.stringify(figure.labels)} ${dayText(day)}`;
}

function add<Value>(sets: Map<string, Set<Value>>, name: string, value: Value): void {
  const set = sets.get(name) ?? new Set();
  sets.set(name, set.add(value));
}
