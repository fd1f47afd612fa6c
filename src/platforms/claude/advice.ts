import type { DatasetName } from '../../catalog/dataset.ts';
import type { Failed } from '../../catalog/platform.ts';
import type { Kind } from './api-fields.ts';

const KEYS: Readonly<Record<Kind, string>> = {
  console:
    'an Admin key of the Claude Console (sk-ant-admin01-…), which an admin creates under Settings → Admin keys',
  enterprise:
    'a key of the Enterprise organization with read:analytics (sk-ant-api01-…), which the primary owner creates under Organization settings → API keys',
};

const NO_USE =
  'Usage and cost by dimension, beta since 2026-10-29, are not there for this organization: it is not enrolled yet, or is set up for HIPAA, which excludes them. People and output are read all the same. Older endpoints for cost are not used: they leave out parts of it.';

/** What an operator can do about a refused request of an organization of this kind. */
export function adviceFor(kind: Kind) {
  const other = kind === 'console' ? 'enterprise' : 'console';
  const foreign = kind === 'console' ? /got:[^\]]*read:analytics/i : /got:[^\]]*api:admin/i;

  return (status: number, said: string, endpoint?: DatasetName): string | undefined => {
    if (status === 401) return `The key is missing, wrong or revoked: use ${KEYS[kind]}.`;
    if (status === 403 && foreign.test(said))
      return `The key is that of the other kind: set kind: ${other}, or use ${KEYS[kind]}.`;
    if (endpoint === 'tokens' && isWithoutUse(status, said)) return NO_USE;
    if (status !== 403 && status !== 404) return undefined;
    return `The key may not ask for this: use ${KEYS[kind]}. A key for models is none. If the key is right, check that kind is ${kind}.`;
  };
}

/** Whether a refused request of use or cost says that the organization has none by dimension. */
export function isWithoutUse(status: unknown, said: string): boolean {
  return (
    status === 404 || (status === 400 && /\bbeta\b|hipaa|not[_ ](?:enrolled|eligible|supported)/i.test(said))
  );
}

/** The wording is not documented; whichever it is, it names the newest day, or says what is wrong with the one that was asked for. */
const NOT_YET = /\b\d{4}-\d{2}-\d{2}\b|availab|too recent|future|not (?:yet )?ready/i;

/** Whether a refusal says that the newest day is not there yet: the one that is, if it names it. */
export function isNotYet({ status, message }: Failed): boolean | string {
  if (status !== 400 || isWithoutUse(status, message) || !NOT_YET.test(message)) return false;
  // It may name the day that was asked for, too, which is later.
  const [named = true] = (message.match(/\b\d{4}-\d{2}-\d{2}\b/g) ?? []).sort();
  return named;
}
