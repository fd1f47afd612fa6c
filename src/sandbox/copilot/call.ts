import type { Day } from '../calendar.ts';
import type { Answer, Row } from '../types.ts';
import type { Org } from '../world/org.ts';
import { teamsOf } from './reports.ts';

/** What faults are limited to. */
export const endpoints = ['organization', 'users', 'teams', 'credits', 'seats', 'files'] as const;
export type Endpoint = (typeof endpoints)[number];

/** An organization as GitHub knows it, and the enterprise that consists of it. */
export type Account = ReturnType<typeof accountOf>;

/** The account of the organization of that index. */
export function accountOf(org: Org, index: number) {
  const key = (name: string) => `sandbox-${org.name}-${name}`;
  return {
    org,
    name: org.name,
    /** The organization's name at GitHub. */
    account: `${org.name}-org`,
    enterprise: `${org.name}-inc`,
    id: 9_000_000 + index * 10,
    /** `classic` is the only one for the enterprise; `metrics` and `billing` are for a part each. */
    keys: { full: key('full'), metrics: key('metrics'), billing: key('billing'), classic: key('classic') },
    /** Who is of which team, as a teams file would have it. */
    people: org.people.map((person) => ({ login: person.login, teams: teamsOf(person) })),
  };
}

/** The days that can be asked for. */
export interface Dates {
  readonly today: Day;
  /** The oldest existing day. */
  readonly oldest: Day;
  /** The newest day whose reports exist. */
  readonly newest: Day;
}

/** Whether a day has reports: nobody has to use Copilot on it. */
export function isThere(org: Org, day: Day, { today, oldest, newest }: Dates): boolean {
  return day >= Math.max(oldest, today - 365) && day <= newest && org.totals(day).active > 0;
}

/** A permitted request. */
export interface Call extends Dates {
  readonly account: Account;
  readonly endpoint: Endpoint;
  readonly isEnterprise: boolean;
  readonly url: URL;
  /** Of how many of the newest days there are no figures yet. */
  readonly late: number;
  /** Signs a path of the files. */
  readonly link: (path: string) => string;
}

/** No body is an answer without content. */
export interface Result {
  readonly status?: number;
  readonly body?: Row;
  readonly headers?: Answer['headers'];
}
