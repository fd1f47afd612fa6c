import type { Day } from '../../catalog/day.ts';
import type { DayRules } from '../../catalog/day-rules.ts';
import { labelValue } from '../../catalog/label.ts';
import type { Platform } from '../../catalog/platform.ts';
import type { ConfiguredOrg } from '../../catalog/source.ts';
import { adviceFor, isNotYet } from './advice.ts';
import { FIELDS, type Kind } from './api-fields.ts';

const NAME = 'Claude';
const VENDOR = 'Anthropic';
/** What asks for use and cost by dimension. */
const BY_DIMENSION = /\/organizations\/analytics\/(?:usage|cost)$/;
const BETA = { 'anthropic-beta': 'analytics-usage-cost-2026-08-24' };

/** A day less than a year, since answers reach back to the same time of day. */
const REACH = { days: 364, from: '2026-01-01' as Day };

/** An export says until when it is whole: what is later is no day without use, however late it is. */
const AWAITED = { unreadyDays: 31 };

/** Money that is asked for in the first hours of the next day is partial, and it is revised for a month. */
const MONEY: DayRules = { completeAfter: 4, revisedFor: 31, ...AWAITED, reach: REACH };

/** A day that is answered without rows had no use: what is not there yet is refused or held back. */
const SURE = { lateDays: 1, emptyIsIdle: true };

/** What is younger than an hour is held back. */
const REPORT: DayRules = { ...SURE, completeAfter: 2, revisedFor: 7, windowDays: 1, reach: REACH };

/** Made at 10:00 UTC of the next day. */
const SUMMARY: DayRules = { ...SURE, completeAfter: 10, revisedFor: 6, windowDays: 7, reach: REACH };

const common = {
  name: 'claude',
  title: NAME,
  configuration: {
    baseUrl: 'https://api.anthropic.com',
    keys: ['kind', 'org_id'],
    kinds: ['console', 'enterprise'],
    ownPath: { pattern: /\/v1(?=\/*$)/, example: '/v1/organizations/…' },
  },
  // A day below 100 USD is the use of a few people.
  money: { measure: 'cost', currency: 'USD', otherCosts: ['listCost'], costIs: 'charge', floor: 100 },
  focus: { service: NAME, serviceProvider: VENDOR, hostProvider: VENDOR, invoiceIssuer: VENDOR },
  requestsPerMinute: 60,
  headers: (key, path) => ({
    Accept: 'application/json',
    'anthropic-version': '2023-06-01',
    'x-api-key': key,
    ...(BY_DIMENSION.test(path) && BETA),
  }),
  linkHosts: [],
  isNotYet,
  identityAlone,
  identityOf: (org) => (org.orgId === undefined ? undefined : identityWith(org, org.orgId)),
  /** The organization of the key, as every answer names it in a header. */
  orgIdIn(_, { header }, org) {
    const named = header?.('anthropic-organization-id')?.trim();
    return named ? identityWith(org, named) : undefined;
  },
} satisfies Partial<Platform>;

/** Whose figures those of an organization are whose identifier no answer has named. */
function identityAlone({ baseUrl, kind = '' }: ConfiguredOrg): string {
  return labelValue(`claude:${new URL(baseUrl).hostname}:${kind}`);
}

/** Whose figures those of an organization with this identifier are, which may be whole, as hints and the page have it. */
function identityWith(org: ConfiguredOrg, given: string): string {
  const [alone, id] = [`${identityAlone(org)}:`, given.toLowerCase()];
  return id.startsWith(alone) ? id : labelValue(`${alone}${id}`);
}

const tokens = async () => (await import('./money.ts')).reader;

/** What only the reports of a kind have. */
function reportsOf(kind: Kind) {
  const reports = async () => (await import('./reports.ts')).reports[kind];
  return {
    activity: async () => (await reports()).activity,
    productivity: async () => (await reports()).productivity,
    users: async () => (await reports()).users,
  };
}

const enterprise: Platform = {
  ...common,
  readers: { tokens, tools: async () => (await import('./tools.ts')).reader, ...reportsOf('enterprise') },
  days: {
    tokens: MONEY,
    tools: { ...SUMMARY, revisedFor: 1, windowDays: 1 },
    activity: SUMMARY,
    productivity: SUMMARY,
    users: { ...SUMMARY, ...AWAITED, revisedFor: 3, windowDays: 1 },
  },
  fields: FIELDS.enterprise,
  advice: adviceFor('enterprise'),
};

/** Claude, by the usage, cost and analytics of a Console organization, or of an Enterprise one. */
export const claude: Platform = {
  ...common,
  ofKind: (kind) => (kind === 'enterprise' ? enterprise : claude),
  readers: { tokens, ...reportsOf('console') },
  days: {
    tokens: MONEY,
    activity: REPORT,
    productivity: REPORT,
    users: { ...REPORT, ...AWAITED, revisedFor: 3 },
  },
  fields: FIELDS.console,
  advice: adviceFor('console'),
};
