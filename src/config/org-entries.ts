import type { Contract } from '../catalog/settings.ts';
import { readContract } from './contract.ts';
import { orgKeys } from './file-keys.ts';
import { isOrgName, orgNameRule } from './org-name.ts';
import { quoted } from './parsed.ts';
import { entriesOf, itemsOf, mistake, type Place, textOf } from './tree.ts';
import { parseUrl } from './web-address.ts';

/** An organization as the file has it: exactly one of the two sources of its key is given. */
export interface OrgEntry {
  readonly place: Place;
  readonly name: string;
  readonly baseUrl: string;
  readonly appUrl: string;
  readonly key: { readonly file: string } | { readonly variable: string };
  readonly orgId: string | undefined;
  readonly contract: Contract | undefined;
}

/** Reads the list `orgs`. */
export function readOrgs(place: Place | undefined): readonly OrgEntry[] {
  return place === undefined ? [] : itemsOf(place).map(readOrg);
}

function readOrg(place: Place): OrgEntry {
  const entries = entriesOf(place, orgKeys);
  const [name, baseUrl, appUrl] = [entries.get('name'), entries.get('base_url'), entries.get('app_url')];
  const [file, variable] = [entries.get('api_key_file'), entries.get('api_key_env')];
  if (name === undefined) throw mistake(place, 'has no name');
  if (baseUrl === undefined) throw mistake(place, 'has no base_url');
  if (!isOrgName(textOf(name))) throw mistake(name, `${quoted(textOf(name))} is not ${orgNameRule}`);
  if ((file === undefined) === (variable === undefined)) {
    throw mistake(place, `needs ${file === undefined ? 'an' : 'only one of'} api_key_file or api_key_env`);
  }
  if (variable !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(textOf(variable))) {
    throw mistake(variable, 'is not the name of an environment variable');
  }
  const base = urlOf(baseUrl);
  return {
    place,
    name: textOf(name),
    baseUrl: base,
    appUrl: appUrl === undefined ? base : urlOf(appUrl),
    key: variable === undefined ? { file: textOf(file ?? place) } : { variable: textOf(variable) },
    orgId: readOrgId(entries.get('org_id')),
    contract: readContract({
      seats: entries.get('seats'),
      budget: entries.get('budget'),
      prices: entries.get('prices'),
    }),
  };
}

function readOrgId(place: Place | undefined): string | undefined {
  if (place === undefined) return undefined;
  const text = textOf(place).trim();
  if (text === '') throw mistake(place, 'is empty');
  return text;
}

function urlOf(place: Place): string {
  const parsed = parseUrl(textOf(place));
  if ('problem' in parsed) throw mistake(place, parsed.problem);
  return parsed.value;
}
