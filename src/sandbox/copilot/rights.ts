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

/** The keys of an organization: `classic` is the only one for its enterprise; `metrics` and `billing` are for a part each. */
export function keysOf(org: string) {
  const key = (name: string) => `sandbox-${org}-${name}`;
  return { full: key('full'), metrics: key('metrics'), billing: key('billing'), classic: key('classic') };
}

/** Why a key must not use an endpoint; undefined if it may. */
export function missingRight(key: string, endpoint: Endpoint, isEnterprise: boolean): Refusal | undefined {
  const granted = ['full', isReport(endpoint) ? 'metrics' : 'billing'];
  const isGranted = key === 'classic' || (granted.includes(key) && !isEnterprise);
  return isGranted ? undefined : noPermission(endpoint);
}

/** The refusal that a fault stands for; undefined if it is none. */
export function refusalOf(
  { name, detail }: Fault,
  endpoint: Endpoint,
  { account, now }: { readonly account: string; readonly now: number },
): Refusal | undefined {
  if (name === 'no-permission') return noPermission(endpoint);
  if (name === 'policy-off' && isReport(endpoint))
    return detail === '404' ? notFound : { status: 403, message: 'Forbidden' };
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
  const forMoney = 'organization_administration=read';
  const forSeats = endpoint === 'seats' ? 'organization_copilot_seat_management=read; ' : '';
  const accepted = isReport(endpoint) ? 'organization_copilot_metrics=read' : `${forSeats}${forMoney}`;
  return {
    status: 403,
    message: 'Resource not accessible by personal access token',
    headers: { 'x-accepted-github-permissions': accepted },
  };
}

function isReport(endpoint: Endpoint): boolean {
  return endpoint !== 'credits' && endpoint !== 'seats';
}
