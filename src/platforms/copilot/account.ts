import { labelValue } from '../../catalog/label.ts';
import type { ConfiguredOrg, Source } from '../../catalog/source.ts';
import { placeOf } from '../shared.ts';

const ENTERPRISE = 'enterprises/';

/** The host of an address. */
export function hostOf(baseUrl: string): string {
  return new URL(baseUrl).hostname;
}

/** Whose figures those of an account are: names are not case-sensitive. */
export function identityOf({ baseUrl, account = '' }: ConfiguredOrg): string {
  return labelValue(`copilot:${hostOf(baseUrl)}:${account.toLowerCase()}`);
}

/** Where an organization or enterprise is asked about. */
export function accountOf(source: Source) {
  const place = placeOf(source);
  const { account = '' } = place;
  const isEnterprise = account.startsWith(ENTERPRISE);
  const name = isEnterprise ? account.slice(ENTERPRISE.length) : account;
  return {
    isEnterprise,
    /** The beginning of the paths of what is billed, and of everything else. */
    billing: isEnterprise ? `/enterprises/${name}` : `/organizations/${name}`,
    path: isEnterprise ? `/enterprises/${name}` : `/orgs/${name}`,
    identity: identityOf(place),
    /** Whose figures those of a named organization or enterprise are. */
    identityOf: (named: string) =>
      identityOf({ ...place, account: isEnterprise ? `${ENTERPRISE}${named}` : named }),
  };
}
