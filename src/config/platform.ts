import type { PlatformMoney } from '../catalog/money.ts';
import type { OrgKey, Platform } from '../catalog/platform.ts';
import { type Budget, DEFAULT_PLATFORM } from '../catalog/settings.ts';
import { isIdentityOn } from '../platforms/index.ts';

/** What was given of an organization, with the keys that only some platforms have. */
export interface GivenOrg {
  readonly base_url?: string | undefined;
  readonly app_url?: string | undefined;
  readonly org_id?: string | undefined;
  readonly prices?: unknown;
  readonly account?: string | undefined;
  readonly kind?: string | undefined;
  readonly link_hosts?: readonly string[] | undefined;
  readonly budget?: Budget | undefined;
}

/** What is wrong with an organization on its platform. */
interface Problem {
  readonly key: keyof GivenOrg;
  readonly message: string;
  /** What to give, where something is missing. */
  readonly hint?: string | undefined;
}

const KEYS: readonly OrgKey[] = ['app_url', 'org_id', 'prices', 'account', 'kind', 'link_hosts'];

/** What a platform does not have, and what it needs that is missing; a key that is only missing has no message. */
export function* problemsOn(platform: Platform, given: GivenOrg): Generator<Problem> {
  const { name, money, configuration } = platform;
  const { baseUrl, keys, needs = [], kinds = [], accepts } = configuration;
  if (given.base_url === undefined && baseUrl === undefined) yield { key: 'base_url', message: '' };
  for (const key of KEYS) {
    if (given[key] !== undefined && !keys.includes(key))
      yield { key, message: `${key} is given, but the platform ${name} has none` };
    if (given[key] === undefined && needs.includes(key))
      yield { key, message: '', hint: accepts?.({ account: '', baseUrl: baseUrl ?? '' })?.message };
  }
  if (given.kind !== undefined && keys.includes('kind') && !kinds.includes(given.kind))
    yield { key: 'kind', message: `the platform ${name} has only the kinds ${kinds.join(', ')}` };
  // Such an identifier would give the history of one platform to the other.
  const { org_id: id } = given;
  if (platform.name === DEFAULT_PLATFORM && id !== undefined && !isIdentityOn(platform, id.trim()))
    yield { key: 'org_id', message: 'org_id is an identifier on another platform' };
  const refusedBudget = given.budget === undefined ? undefined : refusesBudget(given.budget, name, money);
  if (refusedBudget !== undefined) yield { key: 'budget', message: refusedBudget };
  const refused = accepts?.({ account: given.account, baseUrl: given.base_url ?? baseUrl ?? '' });
  if (refused !== undefined) yield refused;
}

/** Why a budget limits nothing that the platform of this name counts; undefined if it can be used. */
export function refusesBudget(
  budget: Budget,
  name: string,
  { measure, currency }: PlatformMoney,
): string | undefined {
  if (typeof budget === 'number') {
    if (measure === 'credits') return undefined;
    return `the platform ${name} counts no credits: give an amount and its currency`;
  }
  if (currency === undefined || budget.currency === currency) return undefined;
  return `the platform ${name} reports its cost in ${currency}`;
}
