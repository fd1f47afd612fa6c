import { dirname, resolve } from 'node:path';
import { ConfigError } from '../runtime/errors.ts';
import { type ProxySettings, proxyIn } from '../runtime/proxy.ts';
import { parseProxies } from '../runtime/proxy-address.ts';
import { commandOptions, historyCopyOptions } from './command-options.ts';
import type { Config } from './config.ts';
import { readConfigFile } from './config-file.ts';
import { type Environment, optionsInEnvironment, refuseUnknownVariables } from './environment.ts';
import { excludedFamilies } from './excluded-families.ts';
import { secretVariables } from './file-keys.ts';
import type { OrgEntry } from './file-sections.ts';
import type { Files } from './files.ts';
import { readHooksToken } from './hooks.ts';
import { defaultLimits, defaultReadiness } from './limits.ts';
import {
  type CollectorChoice,
  type OptionTable,
  type RawOptions,
  type ValuesOf,
  variableOf,
} from './option.ts';
import { createOptions, type SharedOptions } from './options.ts';
import { createOrgs } from './orgs.ts';
import { createPeople } from './people/people.ts';
import { createShard } from './shard.ts';
import { readBothStores, readStorage } from './storage.ts';
import { resolveValues } from './values.ts';
import type { YamlNode } from './yaml-node.ts';

/** The sources of a configuration. */
interface ConfigSources {
  readonly flags: RawOptions;
  readonly environment: Environment;
  readonly files: Files;
  readonly collectors: readonly CollectorChoice[];
  /** `ignored`: no organization and no key is needed or read (for `demo`). */
  readonly organizations?: 'required' | 'ignored';
}

/** Loads the configuration (flag > environment > file > default); rejects with a `ConfigError`. */
export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const { flags, environment, files, collectors } = sources;
  const options = createOptions(collectors);
  const root = await readConfigFile(flags, environment, files);
  if (root !== undefined) {
    const { refuseUnknownKeys } = await import('./file-options.ts');
    refuseUnknownKeys(root, options, ['orgs', 'limits', 'readiness']);
  }
  const given = await layers(options, flags, environment, root);
  const values = resolveValues(options, given);
  const { entries, limits, readiness } =
    root === undefined ? withoutFile : await sectionsIn(root, collectors);
  refuseUnknownVariables(
    environment,
    new Set([
      ...variablesOf(options),
      ...entries.flatMap(({ key }) => ('variable' in key ? key.variable : [])),
    ]),
  );
  const shard = createShard(values.shard, values['total-shards']);
  const orgs =
    sources.organizations === 'ignored' ? [] : await createOrgs(entries, values, shard, environment, files);
  const hooks = {
    token: await readHooksToken(environment, files),
    requestsPerSecond: values['hooks.requests-per-second'],
  };
  const storage = await readStorage(values, given, environment, files);
  const isSharded = shard.total > 1 || given.some((source) => source.has('shard'));
  if (storage.url !== undefined && isSharded) {
    throw new ConfigError(
      `shards are given, and the database of ${storage.url.describe()}`,
      'give each shard a file, or leave out --shard and --total-shards: replicas that share a database need none',
    );
  }
  const givenElsewhere = [flags, optionsInEnvironment(environment, options)];
  const people = await createPeople({
    identity: values['users.identity'],
    teamsFile: teamsFileOf(values['teams.file'], givenElsewhere, root),
    environment,
    files,
  });
  return {
    orgs,
    shard,
    hooks,
    storage,
    limits,
    readiness,
    people,
    ...configOf(values, collectors, environment),
  };
}

/** The sections of a configuration file that are no options. */
interface Sections extends Pick<Config, 'limits' | 'readiness'> {
  readonly entries: readonly OrgEntry[];
}

const withoutFile: Sections = { entries: [], limits: defaultLimits, readiness: defaultReadiness };

async function sectionsIn(root: YamlNode, collectors: readonly CollectorChoice[]): Promise<Sections> {
  const { readLimits, readOrgs, readReadiness, sectionOf } = await import('./file-sections.ts');
  const labels = new Set(
    collectors.flatMap(({ families = [] }) => families.flatMap((family) => family.labels)),
  );
  return {
    entries: readOrgs(sectionOf(root, 'orgs')),
    limits: readLimits(sectionOf(root, 'limits'), labels),
    readiness: readReadiness(sectionOf(root, 'readiness')),
  };
}

/**
 * The values of a few options, for commands that need no complete configuration. The configuration file is read only if
 * the table has `config.file`.
 */
export async function loadValues<Table extends OptionTable>(
  options: Table,
  { flags, environment, files }: Pick<ConfigSources, 'flags' | 'environment' | 'files'>,
): Promise<ValuesOf<Table>> {
  const root = 'config.file' in options ? await readConfigFile(flags, environment, files) : undefined;
  return resolveValues(options, await layers(options, flags, environment, root));
}

/** The settings of `history copy`, which uses a file and a database together. */
export async function loadForCopy({
  flags,
  environment,
  files,
}: Pick<ConfigSources, 'flags' | 'environment' | 'files'>) {
  const shared = createOptions([]);
  const root = await readConfigFile(flags, environment, files);
  const options = { ...historyCopyOptions, ...pick(shared, COPY_OPTIONS) };
  const given = await layers(options, flags, environment, root);
  const values = resolveValues(options, given);
  const stores = await readBothStores(values, given, environment, files);
  return { ...stores, to: values.to, log: { level: values['log.level'], format: values['log.format'] } };
}

const COPY_OPTIONS = ['config.file', 'storage.path', 'storage.url', 'log.level', 'log.format'] as const;

function pick<Table extends OptionTable, Name extends keyof Table>(table: Table, names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, table[name]])) as Pick<Table, Name>;
}

async function layers(
  options: OptionTable,
  flags: RawOptions,
  environment: Environment,
  root: YamlNode | undefined,
): Promise<readonly RawOptions[]> {
  const given = [flags, optionsInEnvironment(environment, options)];
  if (root === undefined) return given;
  // Loaded here: zod takes a tenth of the start, and most configurations have no file.
  const { optionsInFile } = await import('./file-options.ts');
  return [...given, optionsInFile(root, options)];
}

/** A relative path in the configuration file is resolved against the directory of that file. */
function teamsFileOf(
  path: string | undefined,
  others: readonly RawOptions[],
  root: YamlNode | undefined,
): string | undefined {
  if (path === undefined || root === undefined) return path;
  return others.some((given) => given.has('teams.file')) ? path : resolve(dirname(root.file), path);
}

function variablesOf(shared: OptionTable): readonly string[] {
  const tables = [shared, ...commandOptions];
  const variables = tables.flatMap((table) =>
    Object.entries(table).map(([name, option]) => variableOf(name, option)),
  );
  return [...variables, ...Object.keys(secretVariables)];
}

/** The proxy settings of the environment; throws a `ConfigError` if one is invalid. */
function readProxy(environment: Environment): ProxySettings {
  const settings = proxyIn(environment);
  parseProxies(settings);
  return settings;
}

function configOf(
  values: ValuesOf<SharedOptions>,
  collectors: readonly CollectorChoice[],
  environment: Environment,
): Omit<Config, 'orgs' | 'shard' | 'hooks' | 'storage' | 'limits' | 'readiness' | 'people'> {
  return {
    file: { path: values['config.file'], watch: values['config.watch'] },
    api: {
      timeoutMs: values['api.timeout'],
      retries: values['api.retries'],
      requestsPerSecond: values['api.requests-per-second'],
      dailyRequestLimit: values['api.daily-request-limit'],
      maxConcurrentRequests: values['api.max-concurrent-requests'],
      maxResponseBytes: values['api.max-response-bytes'],
      proxy: readProxy(environment),
      readinessPath: values['api.readiness-path'],
    },
    schedules: {
      analytics: values['schedule.analytics'],
      users: values['schedule.users'],
      readiness: values['schedule.readiness'],
      wiki: values['schedule.wiki'],
      jitterMs: values['schedule.jitter'],
    },
    collectors: new Map(
      collectors.map(({ name, derivesFrom = name }) => [
        name,
        values[`collector.${name}`] === true && values[`collector.${derivesFrom}`] === true,
      ]),
    ),
    metrics: {
      maxAgeMs: values['metrics.max-age'],
      excluded: excludedFamilies(values['metrics.exclude'], collectors),
    },
    history: {
      start: values['history.start'],
      revisionWindowDays: values['history.revision-window'],
      retentionDays: values['history.retention'],
    },
    web: {
      listen: values['web.listen-address'],
      telemetryPath: values['web.telemetry-path'],
      maxConnections: values['web.max-connections'],
      enableLifecycle: values['web.enable-lifecycle'],
      allowedHosts: values['web.allowed-hosts'],
      configFile: values['web.config.file'],
      openHealth: values['web.open-health'],
    },
    log: { level: values['log.level'], format: values['log.format'] },
  };
}
