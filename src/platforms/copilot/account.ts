import { labelValue } from '../../catalog/label.ts';
import type { ConfiguredOrg, Place, Source } from '../../catalog/source.ts';

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

/** What readers remember together, as long as the connection lasts. */
export function sharedBy<Shared>(source: Source, name: string, create: () => Shared): Shared {
  const { shared } = placeOf(source);
  const known = shared.get(name) as Shared | undefined;
  if (known !== undefined) return known;
  const made = create();
  shared.set(name, made);
  return made;
}

/** Where an organization is on its platform; a client always knows it. */
export function placeOf({ place }: Source): Place {
  if (place === undefined) throw new Error('the source does not say whose figures it is asked for');
  return place;
}
