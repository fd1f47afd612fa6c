import type { Day } from '../../catalog/day.ts';
import type { DayRules } from '../../catalog/day-rules.ts';
import type { Platform } from '../../catalog/platform.ts';
import type { ConfiguredOrg } from '../../catalog/source.ts';
import { hostOf, identityOf } from './account.ts';
import { advice, pauseOf } from './advice.ts';
import { API_FIELDS } from './api-fields.ts';

const NAME = 'GitHub Copilot';
const ACCOUNT = /^(?:enterprises\/)?[a-z\d][\w-]*$/i;
const HOST = /^(?:api\.github\.com|api\.[a-z\d-]+\.ghe\.com|localhost|127(?:\.\d+){3}|\[::1\])$/i;

const REVISED = { lateDays: 5, revisedFor: 5, windowDays: 1 };

/** A bill asked for in the first hours of the next day is partial. */
const BILL: DayRules = { ...REVISED, completeAfter: 6, reach: { days: 730 } };

const REPORT: DayRules = { ...REVISED, readyWithin: 48, reach: { days: 365, from: '2025-12-12' as Day } };

/** GitHub Copilot, by the AI credits, usage metrics and seats of an organization or enterprise. */
export const copilot: Platform = {
  name: 'copilot',
  title: NAME,
  configuration: {
    baseUrl: 'https://api.github.com',
    keys: ['account', 'link_hosts'],
    needs: ['account'],
    accepts,
  },
  // A credit is 0.01 USD: a day below 100 USD is the use of a few people.
  money: {
    measure: 'credits',
    currency: 'USD',
    otherCosts: ['billedCost'],
    costIs: 'value of use',
    // Editors report none.
    hasPartialSessions: true,
    floor: 10_000,
  },
  focus: { service: NAME, serviceProvider: 'GitHub', hostProvider: 'GitHub', invoiceIssuer: 'GitHub' },
  readers: {
    tokens: async () => (await import('./tokens.ts')).reader,
    activity: async () => (await import('./organization.ts')).activity,
    productivity: async () => (await import('./organization.ts')).productivity,
    users: async () => (await import('./users.ts')).reader,
  },
  // What GitHub accepts of a token in a minute; after 5 000 in an hour, it asks for a pause.
  requestsPerMinute: 900,
  days: { tokens: BILL, activity: REPORT, productivity: REPORT, users: REPORT },
  fields: API_FIELDS,
  headers: (key) => ({
    Accept: 'application/vnd.github+json',
    Authorization: `Bearer ${key}`,
    'X-GitHub-Api-Version': '2026-03-10',
  }),
  // Where GitHub says that reports are downloaded from, also where its own name for that is bypassed.
  linkHosts: ['copilot-reports.github.com', 'ghe.com', 'b01.azurefd.net', 'blob.core.windows.net'],
  advice,
  pauseOf,
  isNotYet: () => false,
  identityOf,
  orgIdIn: () => undefined,
};

/** What is wrong with an account or an address. */
function accepts({ account, baseUrl }: Pick<ConfiguredOrg, 'account' | 'baseUrl'>) {
  if (account !== undefined && !ACCOUNT.test(account)) {
    const message = 'an account is the name of an organization, or enterprises/ and that of an enterprise';
    return { key: 'account', message } as const;
  }
  if (!URL.canParse(baseUrl) || (HOST.test(hostOf(baseUrl)) && /^\/*$/.test(new URL(baseUrl).pathname)))
    return undefined;
  const message =
    'Copilot is asked at https://api.github.com, or at https://api.SUBDOMAIN.ghe.com with data residency; GitHub Enterprise Server has no figures of Copilot';
  return { key: 'base_url', message } as const;
}
