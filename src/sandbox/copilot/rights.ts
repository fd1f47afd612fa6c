import { type Fault, type FaultKind, faultKinds } from '../faults.ts';

/** What faults are limited to. */
export const endpoints = ['organization', 'users', 'teams', 'credits', 'seats', 'files'] as const;
export type Endpoint = (typeof endpoints)[number];

/** A refusal of the API. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The faults that this platform can simulate. */
export const copilotFaultKinds: readonly FaultKind[] = [
  ...faultKinds.filter(({ name }) => name !== 'revised-days'),
  {
    name: 'policy-off',
    takes: 'detail',
    meaning: 'usage metrics are disabled: reports answer 403, or 404 with policy-off=404',
    detail: { fallback: '403', allows: /^40[34]$/, words: '403 or 404' },
  },
  {
    name: 'no-permission',
    takes: 'nothing',
    meaning: 'the token lacks the permission (no-permission@credits)',
  },
  { name: 'no-sso', takes: 'nothing', meaning: 'the token is not authorized for single sign-on' },
  {
    name: 'rate-limit',
    takes: 'rate',
    meaning: 'answers 403 with no requests left and Retry-After in seconds (rate-limit=0.1:30)',
    detail: { fallback: '60', allows: /^\d{1,5}$/, words: 'a number of seconds' },
  },
];

export const notFound: Refusal = { status: 404, message: 'Not Found' };

/** The permissions that an endpoint accepts, and the key that has only this one. */
const rights = {
  reports: { key: 'metrics', accepted: 'organization_copilot_metrics=read' },
  credits: { key: 'billing', accepted: 'organization_administration=read' },
  seats: {
    key: 'billing',
    accepted: 'organization_copilot_seat_management=read; organization_administration=read',
  },
};

/** The keys of an organization: `classic` is the only one for its enterprise; `metrics` and `billing` are for a part each. */
export function keysOf(org: string) {
  const [full, metrics, billing, classic] = ['full', 'metrics', 'billing', 'classic'].map(
    (key) => `sandbox-${org}-${key}`,
  );
  return { full, metrics, billing, classic } as Readonly<
    Record<'full' | 'metrics' | 'billing' | 'classic', string>
  >;
}

/** Why a key must not use an endpoint; undefined if it may. */
export function missingRight(key: string, endpoint: Endpoint, isEnterprise: boolean): Refusal | undefined {
  if (key === 'classic') return undefined;
  const isGranted = key === 'full' || key === rightFor(endpoint).key;
  return isGranted && !isEnterprise ? undefined : noPermission(endpoint);
}

/** The refusal that a fault stands for; undefined if it is none. */
export function refusalOf(
  { name, detail }: Fault,
  endpoint: Endpoint,
  { account, now }: { readonly account: string; readonly now: number },
): Refusal | undefined {
  if (name === 'no-permission') return noPermission(endpoint);
  if (name === 'policy-off') {
    if (endpoint === 'credits' || endpoint === 'seats') return undefined;
    return detail === '404' ? notFound : { status: 403, message: 'Forbidden' };
  }
  if (name === 'no-sso') {
    return {
      status: 403,
      message:
        'Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.',
      headers: {
        'x-github-sso': `required; url=https://github.com/orgs/${account}/sso?authorization_request=simulated`,
      },
    };
  }
  if (name === 'rate-limit') {
    const reset = String(Math.ceil(now / 1000) + Number(detail));
    const headers = { 'retry-after': detail, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
    return { status: 403, message: 'API rate limit exceeded for user ID 1.', headers };
  }
  if (!/^\d+$/.test(name)) return undefined;
  const message = name === '401' ? 'Bad credentials' : 'The simulated platform fails.';
  const after = detail === 'date' ? new Date(now + 2000).toUTCString() : detail;
  return { status: Number(name), message, ...(detail !== '' && { headers: { 'retry-after': after } }) };
}

function noPermission(endpoint: Endpoint): Refusal {
  return {
    status: 403,
    message: 'Resource not accessible by personal access token',
    headers: { 'x-accepted-github-permissions': rightFor(endpoint).accepted },
  };
}

function rightFor(endpoint: Endpoint) {
  return endpoint === 'credits' || endpoint === 'seats' ? rights[endpoint] : rights.reports;
}
