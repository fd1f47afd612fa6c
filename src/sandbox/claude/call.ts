import { type Day, dayMs, parseDay } from '../calendar.ts';
import type { Org } from '../world/org.ts';
import type { Person } from '../world/people.ts';
import { type PersonDay, personDay } from '../world/person-day.ts';

/** An organization as Anthropic knows it: of the Claude Console, or of Claude Enterprise. */
export interface Account {
  readonly name: string;
  readonly kind: 'console' | 'enterprise';
  readonly org: Org;
  readonly orgId: string;
}

/** A permitted request. */
export interface Call {
  readonly account: Account;
  readonly query: URLSearchParams;
  readonly now: number;
  /** What the platform knows is of this instant: now, unless figures are late. */
  readonly known: number;
  /** The oldest existing day. */
  readonly oldest: Day;
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** An error of the API. */
export class Refused extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly code: string | undefined;

  constructor(
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    code?: string,
  ) {
    super(message);
    this.status = status;
    this.headers = headers;
    this.code = code;
  }

  /** The body of the error. */
  body(requestId: string) {
    const { status, message, code } = this;
    const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
    const details = code === undefined ? {} : { details: { error_code: code } };
    return { type: 'error', error: { type, message, ...details }, request_id: requestId };
  }
}

/** The first day about which anything can be asked. */
export const beginning: Day = Date.UTC(2026, 0, 1) / dayMs;

/** The day of a parameter in the form YYYY-MM-DD. */
export function dayOf({ query }: Call, name: string): Day {
  const day = parseDay(query.get(name) ?? '');
  if (typeof day !== 'number') throw new Refused(400, `${name}: expected a date in the form YYYY-MM-DD`);
  return day;
}

/** The existing days from the first up to the last. */
export function daysFrom({ oldest }: Call, first: Day, last: Day): Day[] {
  const start = Math.max(first, oldest);
  return Array.from({ length: Math.max(0, last - start + 1) }, (_, index) => start + index);
}

/** The day from which on some people of the Console have no account any more. */
export const LEFT: Day = Date.UTC(2026, 9, 1) / dayMs;

/** Whether a person of the Console leaves. */
export function isLeaving({ kind }: Account, { index }: Person): boolean {
  return kind === 'console' && index % 11 === 4;
}

/** What everybody did on a day who did anything. */
export function workOn(account: Account, day: Day): PersonDay[] {
  const on = account.org.conditions(day);
  return account.org.people.flatMap((person) => {
    const done = day >= LEFT && isLeaving(account, person) ? undefined : personDay(person, on);
    return done === undefined || done.sessions === 0 ? [] : [done];
  });
}

/** Whether a person is a program that works with a key of the Console. */
export function isProgram({ kind }: Account, { index }: Person): boolean {
  return kind === 'console' && index % 10 === 7;
}

/** A person's address, of some people or on some days as it was typed. */
export function emailOf(person: Person, org: string, day: Day = 0): string {
  const email = person.email ?? `${person.login}@${org}.example`;
  return (person.index + day) % 6 === 0 ? email.replace(/^./, (letter) => letter.toUpperCase()) : email;
}

/** The world's models of other vendors are Claude's here. */
export function claudeModel({ id, tier }: { readonly id: string; readonly tier: string }): string {
  if (id.startsWith('claude-')) return id;
  return tier === 'thinking' ? 'claude-opus-4-8' : 'claude-haiku-4-5-20251001';
}
