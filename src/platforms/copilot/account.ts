import { labelValue } from '../../catalog/label.ts';
import { type ConfiguredOrg, type Place, type Source, UnexpectedAnswer } from '../../catalog/source.ts';

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
export function accountOf({ place }: Source) {
  if (place?.account === undefined) throw new Error('no account is configured');
  const isEnterprise = place.account.startsWith(ENTERPRISE);
  const name = isEnterprise ? place.account.slice(ENTERPRISE.length) : place.account;
  return {
    isEnterprise,
    /** The path of what is billed, and of everything else. */
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

function placeOf({ place }: Source): Place {
  if (place === undefined) throw new UnexpectedAnswer('a place', place);
  return place;
}
