import { type Day, dayMs, daysFrom, parseDay } from '../calendar.ts';
import { refuse } from '../http/refuse.ts';
import { hex } from '../random.ts';
import type { Org } from '../world/org.ts';
import type { Person } from '../world/people.ts';
import { type PersonDay, personDay } from '../world/person-day.ts';

/** An organization as Anthropic knows it: of the Claude Console, or of Claude Enterprise. */
export type Account = ReturnType<typeof accountOf>;

/** The account of an organization, with its keys; that of the ordinary API may ask nothing. */
export function accountOf(org: Org, kind: 'console' | 'enterprise') {
  const isConsole = kind === 'console';
  const name = isConsole ? org.name : `${org.name}-enterprise`;
  const keyOf = (prefix: string) => `sk-ant-${prefix}-sandbox-${name}`;
  const keys: Readonly<Record<string, string>> = isConsole
    ? { admin: keyOf('admin01'), api: keyOf('api03') }
    : { analytics: keyOf('api01') };
  return { name, kind, orgId: `${hex(org.seed)}-0000-4000-8000-00000000000${isConsole ? 1 : 2}`, keys, org };
}

/** A permitted request. */
export interface Call {
  readonly account: Account;
  readonly query: URLSearchParams;
  readonly now: number;
  /** The platform knows what happened before this instant: now, unless figures are late. */
  readonly known: number;
  /** The oldest existing day. */
  readonly oldest: Day;
}

/** The day of a parameter, which has the form YYYY-MM-DD. */
export function dayOf({ query }: Call, name: string): Day {
  const day = parseDay(query.get(name) ?? '');
  return typeof day === 'number' ? day : refuse(400, `${name}: expected a date in the form YYYY-MM-DD`);
}

/** The days from the first to the last that exist. */
export function existing({ oldest }: Call, first: Day, last: Day): Day[] {
  return daysFrom(Math.max(first, oldest), last);
}

/** Whether somebody of the Console has no account any more, as some do since October. */
export function isGone({ kind }: Account, { index }: Person, day: Day): boolean {
  return kind === 'console' && index % 11 === 4 && day >= Date.UTC(2026, 9, 1) / dayMs;
}

/** Whether a person is a program that uses a key of the Console. */
export function isProgram({ kind }: Account, { index }: Person): boolean {
  return kind === 'console' && index % 10 === 7;
}

/** What everybody did on a day who had an account. */
export function workOn(account: Account, day: Day): PersonDay[] {
  const people = account.org.people.filter((person) => !isGone(account, person, day));
  return people.flatMap((person) => personDay(person, account.org.conditions(day)) ?? []);
}

/** A person's address, as it was typed that day. */
export function emailOf({ index, address }: Person, day: Day = 0): string {
  return (index + day) % 6 === 0 ? address.replace(/^./, (letter) => letter.toUpperCase()) : address;
}

/** What a person used of each model; other vendors' models of the world are Claude's here. */
export function modelsOf({ models, input: all, cacheRead, cacheWrite, assistantMessages }: PersonDay) {
  return models.map(({ model: { id, tier }, credits, input, output }) => {
    const part = (total: number) => Math.floor((total * input) / all);
    const [read, creation] = [part(cacheRead), part(cacheWrite)];
    const other = tier === 'thinking' ? 'claude-opus-4-8' : 'claude-haiku-4-5-20251001';
    const model: string | null = id.startsWith('claude-') ? id : other;
    const tokens = { uncached: input - read - creation, read, creation, output };
    return { model, credits, ...tokens, requests: part(assistantMessages) };
  });
}
