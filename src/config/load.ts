import path from 'node:path';
import { type ProxySettings, proxyIn } from '../net/proxy.ts';
import { parseProxies } from '../net/proxy-address.ts';
import { ConfigError } from '../text/errors.ts';
import { nearest } from '../text/suggestion.ts';
import { wildcard } from '../text/wildcard.ts';
import { commandOptions, historyCopyOptions } from './command-options.ts';
import { readSecret, secretVariables } from './credential.ts';
import { fileSchema, partialSchema } from './file-schema.ts';
import { type CollectorChoice, type OptionTable, optionsIn, type ValuesOf } from './option.ts';
import { createOptions, optionsNamed, type SharedValues } from './options.ts';
import { createOrgs } from './orgs.ts';
import { quoted } from './parse.ts';
import { createPeople } from './people/people.ts';
import {
  type Environment,
  type OptionSources,
  readConfigFile,
  refuseUnknownVariables,
  resolve,
} from './resolve.ts';
import { createShard } from './shard.ts';
import { readBothStores, readStorage } from './storage.ts';

/** The sources of a configuration. */
interface ConfigSources extends OptionSources {
  readonly collectors: readonly CollectorChoice[];
  /** `ignored`: no organization and no key is needed or read (for `demo`). */
  readonly organizations?: 'required' | 'ignored';
  /** Whether to listen on the loopback interface where no address is given. */
  readonly isLocal?: boolean;
  /** Organizations that a command names: the first one that is not in the file is that of flags and environment. */
  readonly named?: readonly string[];
}

/** Loads the configuration (flag > environment > file > default); rejects with a `ConfigError`. */
export async function loadConfig(sources: ConfigSources) {
  const { flags, environment, collectors } = sources;
  const options = createOptions(collectors);
  const labels = collectors.flatMap(({ families = [] }) => families.flatMap((family) => family.labels));
  const schema = fileSchema(options, labels);
  const file = await readConfigFile(schema, sources);
  const resolved = resolve(options, flags, environment, file);
  const isLocal = sources.isLocal === true && resolved.origin('web.listen-address') === undefined;
  const listen = { ...resolved.values['web.listen-address'], ...(isLocal && { host: '127.0.0.1' }) };
  const { orgs: entries, limits, readiness } = file?.value ?? schema.parse({});
  const inFile = entries.map(({ name }) => name);
  const org = sources.named?.find((name) => !inFile.includes(name)) ?? resolved.values.org;
  const values = { ...resolved.values, org, 'web.listen-address': listen };
  refuseUnknownVariables(
    environment,
    new Set([...variablesOf(options), ...entries.flatMap(({ api_key_env: variable }) => variable ?? [])]),
  );
  const shard = createShard(values.shard, values['total-shards']);
  const { orgs, elsewhere } =
    sources.organizations === 'ignored'
      ? { orgs: [], elsewhere: [] }
      : await createOrgs({ entries, root: file?.root }, values, shard, sources);
  const hooks = {
    // The bearer token of senders; without one, no events are accepted.
    token: await readSecret('AGENT_PLATFORM_HOOKS_TOKEN', sources),
    ...optionsBelow('hooks', values),
  };
  const storage = await readStorage(resolved, sources);
  const isSharded = shard.total > 1 || resolved.origin('shard') !== undefined;
  if (storage.url !== undefined && isSharded) {
    throw new ConfigError(
      `shards are given, and the database of ${storage.url.describe()}`,
      'give each shard a file, or leave out --shard and --total-shards: replicas that share a database need none',
    );
  }
  // A relative path in the configuration file is resolved against the directory of that file.
  const folder =
    file !== undefined && resolved.isInFile('teams.file') ? path.dirname(file.root.file) : undefined;
  const teams = values['teams.file'];
  const people = await createPeople({
    identity: values['users.identity'],
    teamsFile: teams === undefined || folder === undefined ? teams : path.resolve(folder, teams),
    ...sources,
  });
  return {
    orgs,
    // The organizations that other shards serve.
    elsewhere,
    shard,
    hooks,
    storage,
    limits,
    readiness,
    people,
    restart: restartValues(options, { ...values, 'storage.url': storage.url?.describe() }),
    // The only one below `web` that a reload applies.
    dashboardUrl: values['web.dashboard-url'],
    ...configOf(values, collectors, environment),
  };
}

/** The values of the options that take effect only at a start, by flag. */
function restartValues(
  options: OptionTable,
  values: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, unknown> {
  const fixed = optionsIn(options).filter(({ reload }) => reload === 'restart');
  return new Map(fixed.map(({ flag }) => [flag, values[flag]]));
}

/**
 * The values of a few options, for commands that need no complete configuration. The configuration file is read only if
 * the table has `config.file`.
 */
export async function loadValues<Table extends OptionTable>(
  options: Table,
  sources: OptionSources,
): Promise<ValuesOf<Table>> {
  return (await loadPart(options, sources)).values;
}

async function loadPart<Table extends OptionTable>(options: Table, sources: OptionSources) {
  const file = 'config.file' in options ? await readConfigFile(partialSchema(options), sources) : undefined;
  return resolve(options, sources.flags, sources.environment, file);
}

/** The settings of `history copy`, which uses a file and a database together. */
export async function loadForCopy(sources: OptionSources) {
  const shared = optionsNamed('config.file', 'storage.path', 'storage.url', 'log.level', 'log.format');
  const resolved = await loadPart({ ...historyCopyOptions, ...shared }, sources);
  const { values } = resolved;
  const stores = await readBothStores(resolved, sources);
  return { ...stores, to: values.to, log: { level: values['log.level'], format: values['log.format'] } };
}

function variablesOf(shared: OptionTable): readonly string[] {
  const variables = [shared, ...commandOptions].flatMap((table) => optionsIn(table).map(({ env }) => env));
  return [...variables, ...Object.keys(secretVariables)];
}

/** The proxy settings of the environment; throws a `ConfigError` if one is invalid. */
function readProxy(environment: Environment): ProxySettings {
  const settings = proxyIn(environment);
  parseProxies(settings);
  return settings;
}

/** The options by the first word of their flags; durations are in milliseconds, those of whole days in days. */
function configOf(values: SharedValues, collectors: readonly CollectorChoice[], environment: Environment) {
  return {
    file: { path: values['config.file'], watch: values['config.watch'] },
    api: { ...optionsBelow('api', values), proxy: readProxy(environment) },
    // Cron expressions of five fields, UTC.
    schedules: optionsBelow('schedule', values),
    // Whether a collector is enabled, for every existing collector by name.
    collectors: new Map(
      collectors.map(({ name, derivesFrom = name }) => [
        name,
        values[`collector.${name}`] === true && values[`collector.${derivesFrom}`] === true,
      ]),
    ),
    metrics: {
      ...optionsBelow('metrics', values),
      excluded: excludedFamilies(values['metrics.exclude'], collectors),
    },
    history: optionsBelow('history', values),
    web: optionsBelow('web', values),
    log: optionsBelow('log', values),
  };
}

type Camel<Name extends string> = Name extends `${infer First}${'-' | '.'}${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

/** `api.daily-request-limit` is `dailyRequestLimit` below `api`. */
type OptionsBelow<Prefix extends string> = {
  readonly [Flag in keyof SharedValues as Flag extends `${Prefix}.${infer Rest}`
    ? Camel<Rest>
    : never]: SharedValues[Flag];
};

function optionsBelow<Prefix extends string>(prefix: Prefix, values: SharedValues): OptionsBelow<Prefix> {
  const below = Object.entries(values).filter(([flag]) => flag.startsWith(`${prefix}.`));
  const camel = (flag: string) => flag.replace(/[.-](.)/g, (_, letter: string) => letter.toUpperCase());
  const named = below.map(([flag, value]) => [camel(flag.slice(prefix.length + 1)), value]);
  // The names follow from the flags as in the type.
  return Object.fromEntries(named) as OptionsBelow<Prefix>;
}

/**
 * The names of the metric families that match one of the patterns, in which `*` stands for any characters. Throws a
 * `ConfigError` for a pattern that matches none: it would be a typing error that publishes what should be left out.
 */
export function excludedFamilies(
  patterns: readonly string[],
  collectors: readonly CollectorChoice[],
): ReadonlySet<string> {
  const names = collectors.flatMap(({ families = [] }) => families.map(({ name }) => name));
  const excluded = new Set<string>();
  for (const pattern of patterns) {
    const matching = names.filter(wildcard(pattern));
    if (matching.length === 0 && names.length > 0) throw unknownFamily(pattern, names);
    for (const name of matching) excluded.add(name);
  }
  return excluded;
}

function unknownFamily(pattern: string, names: readonly string[]): ConfigError {
  const near = nearest(pattern.replaceAll('*', ''), names);
  return new ConfigError(
    `metrics.exclude: ${quoted(pattern)} matches no metric`,
    near === undefined
      ? 'docs/METRICS.md lists the metrics; those about the data and the exporter are always published'
      : `did you mean ${near}?`,
  );
}
