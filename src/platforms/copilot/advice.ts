import type { DatasetName } from '../../catalog/dataset.ts';
import type { Refusal } from '../../catalog/platform.ts';

const KEY_HINT =
  'The token is missing, wrong, expired or revoked: create another one at GitHub and replace the old one.';
const SSO_HINT =
  'The token is not authorized for single sign-on: open Settings → Developer settings → Personal access tokens at GitHub, and choose "Configure SSO" and the organization.';
const AGENT_HINT =
  'A proxy removes the User-Agent header, without which GitHub refuses requests: let it pass.';
const BILL = '"Administration" (read)';
const REPORTS = '"Organization Copilot metrics" (read)';
const SEATS = '"GitHub Copilot Business" (read), or "Administration" (read)';
const POLICY =
  'the policy "Copilot usage metrics" is set to "Enabled everywhere" (Settings → Copilot → Policies)';
const CLASSIC =
  'An enterprise needs a classic token of an owner or billing manager, with manage_billing:copilot and read:enterprise.';

/** The permissions that the answers about a dataset need. */
function neededFor(endpoint: DatasetName | undefined): string {
  if (endpoint === 'tokens') return BILL;
  return endpoint === 'activity' ? `${REPORTS} and, for seats, ${SEATS}` : REPORTS;
}

/** What an operator can do about a refused request. */
export function advice(status: number, said: string, endpoint?: DatasetName): string | undefined {
  const isBill = endpoint === 'tokens';
  if (status === 401) return KEY_HINT;
  if (status === 403) {
    if (/\bSAML\b|single sign-on/i.test(said)) return SSO_HINT;
    if (/administrative rules|user-agent/i.test(said)) return AGENT_HINT;
    const isPermission = /not accessible|must have|requires|role access|admin/i.test(said);
    const permission = `Give the token the organization permission ${neededFor(endpoint)}; its owner must be an owner of the organization, or have a role with the same rights. ${CLASSIC}`;
    return isBill || isPermission ? permission : `Check that ${POLICY}. ${permission}`;
  }
  if (status !== 404) return undefined;
  const name = 'Check the spelling of account, and that the token may see it';
  return isBill
    ? `${name}. An organization that its enterprise pays for has no bill of its own: use account: enterprises/NAME.`
    : `${name}, and that ${POLICY}. The token needs ${neededFor(endpoint)}.`;
}

const MINUTE = 60;

/** How many seconds a refusal asks to wait, whose status is 403 as well as 429; undefined if it is about something else. */
export function pauseOf({ status, said, header, now }: Refusal): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const after = Number(header('retry-after') ?? Number.NaN);
  if (after >= 0) return after;
  const isSpent = header('x-ratelimit-remaining')?.trim() === '0';
  const reset = Number(header('x-ratelimit-reset') ?? Number.NaN);
  if (isSpent && reset > 0) return Math.max(1, reset - now / 1000);
  return isSpent || status === 429 || /rate limit/i.test(said) ? MINUTE : undefined;
}
