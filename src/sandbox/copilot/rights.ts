import { type Fault, type FaultKind, faultKinds, retryAfter } from '../faults.ts';
import { refuse } from '../http/refuse.ts';
import type { Call, Endpoint } from './call.ts';

/** The permissions of the endpoints that are no reports. */
const permissions: Readonly<Partial<Record<Endpoint, string>>> = {
  seats: 'organization_copilot_seat_management=read; organization_administration=read',
  credits: 'organization_administration=read',
};

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

/** Refuses a request with a token of its account that must not be used for it. */
export function checkRight({ account: { keys }, endpoint, isEnterprise }: Call, token: string): void {
  const granted = [keys.full, isReport(endpoint) ? keys.metrics : keys.billing];
  if (token !== keys.classic && (isEnterprise || !granted.includes(token))) refusePermission(endpoint);
}

/** Refuses a request, if that is what a fault stands for. */
export function refuseFor(fault: Fault, endpoint: Endpoint, account: string, now: number): void {
  const { name, detail } = fault;
  if (name === 'no-permission') refusePermission(endpoint);
  if (name === 'policy-off' && isReport(endpoint))
    refuse(Number(detail), detail === '404' ? 'Not Found' : 'Forbidden');
  if (name === 'no-sso') {
    const page = `https://github.com/orgs/${account}/sso?authorization_request=simulated`;
    const message =
      'Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.';
    refuse(403, message, { 'x-github-sso': `required; url=${page}` });
  }
  if (name === 'rate-limit') {
    const reset = String(Math.ceil(now / 1000) + Number(detail));
    const headers = { 'retry-after': detail, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset };
    refuse(403, 'API rate limit exceeded for user ID 1.', headers);
  }
  const status = Number(name);
  const message = status === 401 ? 'Bad credentials' : 'The simulated platform fails.';
  if (status > 0) refuse(status, message, retryAfter(fault, now));
}

function refusePermission(endpoint: Endpoint): never {
  const accepted = permissions[endpoint] ?? 'organization_copilot_metrics=read';
  const headers = { 'x-accepted-github-permissions': accepted };
  return refuse(403, 'Resource not accessible by personal access token', headers);
}

function isReport(endpoint: Endpoint): boolean {
  return permissions[endpoint] === undefined;
}
