import { dirname, resolve } from 'node:path';
import type { Day } from '../catalog/day.ts';
import { labelValue } from '../catalog/label.ts';
import type { Platform } from '../catalog/platform.ts';
import { type Budget, type Contract, DEFAULT_PLATFORM } from '../catalog/settings.ts';
import { platformNamed } from '../platforms/index.ts';
import { ConfigError } from '../text/errors.ts';
import {
  type Credential,
  createFileCredential,
  createFixedCredential,
  readSecret,
  type SecretSources,
} from './credential.ts';
import { contractOf, type OrgEntry } from './file-schema.ts';
import type { SharedValues } from './options.ts';
import { quoted } from './parse.ts';
import { type GivenOrg, problemsOn, refusesBudget } from './platform.ts';
import { type Shard, serves } from './shard.ts';
import { configErrorAt, nodeAt, originOf, type YamlNode } from './validate.ts';

/** An organization to poll; addresses have no trailing slash. */
export interface OrgConfig {
  readonly name: string;
  readonly platform: Platform;
  readonly baseUrl: string;
  readonly appUrl: string;
  /** Its name on the platform, and its kind there, where the platform has such. */
  readonly account?: string | undefined;
  readonly kind?: string | undefined;
  /** Suffixes of the other hosts that answers may name. */
  readonly linkHosts?: readonly string[];
  readonly credential: Credential;
  /** The organization's identity on the platform as a label value, if only its answers are accepted. */
  readonly orgId?: string | undefined;
  readonly contract?: Contract | undefined;
  /** The listed days off and the public holidays of the country. */
  readonly daysOff?: ReadonlySet<Day> | undefined;
}

const keyVariable = 'AGENT_PLATFORM_API_KEY';

/**
 * The organizations of a shard: those of the file, then the one of flags and environment, if given; and the names of those
 * that other shards serve. Reads each of their keys once, but none of other shards; rejects with a `ConfigError` if there is
 * no organization, one is incomplete or a name is given twice.
 */
export async function createOrgs(
  { entries, root }: { readonly entries: readonly OrgEntry[]; readonly root: YamlNode | undefined },
  values: SharedValues,
  shard: Shard,
  sources: SecretSources,
): Promise<{ readonly orgs: readonly OrgConfig[]; readonly elsewhere: readonly string[] }> {
  const names = new Set<string>();
  const orgs: OrgConfig[] = [];
  for (const [index, entry] of entries.entries()) {
    const node = root && nodeAt(root, ['orgs', index]);
    if (node === undefined) continue;
    if (names.has(entry.name)) throw configErrorAt(node, `the name ${entry.name} is given twice`);
    names.add(entry.name);
    if (serves(shard, entry.name)) orgs.push(await orgOfEntry(entry, node, sources));
  }
  const own = await orgOfEnvironment(values, sources);
  if (own === undefined && names.size === 0) throw noOrganization();
  if (own !== undefined && names.has(own.name)) {
    throw new ConfigError(
      `the organization ${own.name} is configured by the file and by --api.base-url`,
      'remove one of them, or give the second one another name with --org',
    );
  }
  if (own !== undefined) {
    names.add(own.name);
    if (serves(shard, own.name)) orgs.push(own);
  }
  return { orgs, elsewhere: [...names].filter((name) => !serves(shard, name)) };
}

async function orgOfEntry(
  entry: OrgEntry,
  node: YamlNode,
  { environment, files }: SecretSources,
): Promise<OrgConfig> {
  const { name, api_key_env: variable } = entry;
  const org = {
    name,
    ...orgPlace(platformNamed(entry.platform), entry),
    contract: contractOf(entry),
    daysOff: await daysOffOf(entry, node),
  };
  if (variable !== undefined) {
    const text = environment[variable];
    if (text === undefined) throw configErrorAt(node, `api_key_env names ${variable}, which is not set`);
    return { ...org, credential: createFixedCredential(text, variable) };
  }
  const path = resolve(dirname(node.file), entry.api_key_file ?? '');
  try {
    return { ...org, credential: await createFileCredential(path, path, files) };
  } catch (error) {
    throw error instanceof ConfigError
      ? new ConfigError(`${originOf(node)}: api_key_file ${error.message}`)
      : error;
  }
}

async function daysOffOf({ calendar }: OrgEntry, node: YamlNode): Promise<ReadonlySet<Day> | undefined> {
  if (calendar === undefined) return undefined;
  const { days_off: days, country } = calendar;
  const holidays = country === undefined ? [] : await publicHolidaysOf(country);
  if (holidays !== undefined) return new Set([...days, ...holidays]);
  throw configErrorAt(
    nodeAt(node, ['calendar', 'country']) ?? node,
    `${quoted(country ?? '')} is not a country whose public holidays are known: list them under days_off`,
  );
}

/** Where an organization is, and whose figures its are. */
export function orgPlace(platform: Platform, given: GivenOrg) {
  const { base_url: url, app_url: appUrl, account, kind, link_hosts: hosts = [], org_id: id } = given;
  const baseUrl = url ?? platform.configuration.baseUrl ?? '';
  const chosenKind = kind ?? platform.configuration.kinds?.[0];
  // The identifier as answers and the store have it.
  const orgId = id === undefined ? undefined : labelValue(id.trim());
  const configured = { baseUrl, account, kind: chosenKind, orgId };
  return {
    platform: (chosenKind && platform.ofKind?.(chosenKind)) || platform,
    ...configured,
    appUrl: appUrl ?? baseUrl,
    // With a dot, which allows no private address: only a configured name does.
    linkHosts: [...platform.linkHosts.map((suffix) => `.${suffix}`), ...hosts],
    orgId: platform.identityOf(configured),
  };
}

async function orgOfEnvironment(
  values: SharedValues,
  sources: SecretSources,
): Promise<OrgConfig | undefined> {
  const platform = platformNamed(values['api.platform']);
  const given = {
    base_url: values['api.base-url'],
    app_url: values['api.app-url'],
    org_id: values['api.org-id'],
    account: values['api.account'],
    kind: values['api.kind'],
  };
  if (given.base_url === undefined && platform.configuration.baseUrl === undefined) {
    const variable = [keyVariable, `${keyVariable}_FILE`].find((name) => sources.environment[name]);
    const flag = (['app_url', 'account', 'kind'] as const).find((key) => given[key] !== undefined);
    const named = platform.name === DEFAULT_PLATFORM ? variable : '--api.platform';
    const other = flag === undefined ? named : `--api.${flag.replace('_', '-')}`;
    if (other === undefined) return undefined;
    throw new ConfigError(
      `${other} is set, but no API address`,
      'set AGENT_PLATFORM_API_BASE_URL or --api.base-url',
    );
  }
  for (const { key, message, hint } of problemsOn(platform, given)) {
    const flag = `--api.${key.replaceAll('_', '-')}`;
    throw new ConfigError(
      message === '' ? `the platform ${platform.name} needs ${flag}` : `${flag}: ${message}`,
      hint,
    );
  }
  const credential = await readSecret(keyVariable, sources);
  if (credential === undefined) {
    throw new ConfigError(
      given.base_url === undefined
        ? `the platform ${platform.name} is set, but no key`
        : 'an API address is set, but no key',
      `set ${keyVariable} or ${keyVariable}_FILE, or try the exporter without a key: agent-platform-exporter demo`,
    );
  }
  return { name: values.org, ...orgPlace(platform, given), credential };
}

function noOrganization(): ConfigError {
  return new ConfigError(
    'no organization to poll: neither an API address nor a key is set',
    [
      'either:',
      '  1. set AGENT_PLATFORM_API_BASE_URL and AGENT_PLATFORM_API_KEY (and AGENT_PLATFORM_API_APP_URL if the',
      '     web-app host differs), or list your organizations under orgs in a --config.file; or',
      '  2. try it without a key, on simulated data: agent-platform-exporter demo',
    ].join('\n'),
  );
}

/** The end of an address that every request adds itself, and where requests would go then; undefined if there is none. */
export function pathTwiceIn({ platform, baseUrl }: Pick<OrgConfig, 'platform' | 'baseUrl'>) {
  const { ownPath } = platform.configuration;
  const path = ownPath?.pattern.exec(new URL(baseUrl).pathname)?.[0];
  return ownPath === undefined || path === undefined
    ? undefined
    : { path, wrong: `${path}${ownPath.example}` };
}

/**
 * The teams whose budget limits nothing: no organization counts credits, or none has a cost in its currency. Another shard may
 * serve one that does, so that a part of the organizations says nothing.
 */
export function idleTeamBudgets(
  orgs: readonly Pick<OrgConfig, 'platform' | 'contract'>[],
  budgets: ReadonlyMap<string, Budget>,
  { total }: Shard,
): readonly string[] {
  if (total > 1) return [];
  const applies = (budget: Budget) =>
    orgs.some(({ platform: { name, money }, contract }) => {
      if (refusesBudget(budget, name, money) !== undefined) return false;
      // A platform without a cost of its own has that of the configured prices.
      if (typeof budget === 'number' || money.currency !== undefined) return true;
      return contract?.prices.some(({ currency }) => currency === budget.currency) === true;
    });
  return [...budgets].flatMap(([team, budget]) => (applies(budget) ? [] : team));
}

/**
 * The public holidays of a country, given by its two capital letters; undefined if the country is not among those of
 * `date-holidays`, from which the list was generated. Years outside the list have none.
 */
async function publicHolidaysOf(country: string): Promise<readonly Day[] | undefined> {
  const { default: byCountry } = await import('./public-holidays.json', { with: { type: 'json' } });
  const text = new Map<string, string>(Object.entries(byCountry)).get(country);
  const [always, ...years] = text?.split(';').map((days) => days.split(' ').filter(Boolean)) ?? [];
  return (
    always && years.flatMap(([year, ...single]) => [...always, ...single].flatMap((day) => dayIn(year, day)))
  );
}

/** A day from the last digits of its year, and from its month and day of month. */
function dayIn(year: string | undefined, day: string): Day {
  return `20${year}-${day.slice(0, 2)}-${day.slice(2)}` as Day;
}
