import path from 'node:path';
import { ConfigError } from '../runtime/errors.ts';
import { type ProxySettings, proxyIn } from '../runtime/proxy.ts';
import { parseProxies } from '../runtime/proxy-address.ts';
import { commandOptions, historyCopyOptions } from './command-options.ts';
import { readSecret, secretVariables } from './credential.ts';
import { type Environment, refuseUnknownVariables } from './environment.ts';
import { excludedFamilies } from './excluded-families.ts';
import { fileSchema, partialSchema } from './file-schema.ts';
import { type CollectorChoice, type OptionTable, optionsIn, type ValuesOf } from './option.ts';
import { createOptions, type SharedValues } from './options.ts';
import { createOrgs } from './orgs.ts';
import { createPeople } from './people/people.ts';
import { type OptionSources, readConfigFile, resolve } from './resolve.ts';
import { createShard } from './shard.ts';
import { readBothStores, readStorage } from './storage.ts';

/** The sources of a configuration. */
interface ConfigSources extends OptionSources {
  readonly collectors: readonly CollectorChoice[];
  /** `ignored`: no organization and no key is needed or read (for `demo`). */
  readonly organizations?: 'required' | 'ignored';
  /** Whether to listen on the loopback interface where no address is given. */
  readonly isLocal?: boolean;
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
  const values = { ...resolved.values, 'web.listen-address': listen };
  const { orgs: entries, limits, readiness } = file?.value ?? schema.parse({});
  refuseUnknownVariables(
    environment,
    new Set([...variablesOf(options), ...entries.flatMap(({ api_key_env: variable }) => variable ?? [])]),
  );
  const shard = createShard(values.shard, values['total-shards']);
  const orgs =
    sources.organizations === 'ignored'
      ? []
      : await createOrgs({ entries, root: file?.root }, values, shard, sources);
  const hooks = {
    // The bearer token of senders; without one, no events are accepted.
    token: await readSecret('AGENT_PLATFORM_HOOKS_TOKEN', sources),
    requestsPerSecond: values['hooks.requests-per-second'],
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
    shard,
    hooks,
    storage,
    limits,
    readiness,
    people,
    restart: restartValues(options, { ...values, 'storage.url': storage.url?.describe() }),
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
  const shared = createOptions([]);
  const resolved = await loadPart(
    {
      ...historyCopyOptions,
      'config.file': shared['config.file'],
      'storage.path': shared['storage.path'],
      'storage.url': shared['storage.url'],
      'log.level': shared['log.level'],
      'log.format': shared['log.format'],
    },
    sources,
  );
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

function configOf(values: SharedValues, collectors: readonly CollectorChoice[], environment: Environment) {
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
    // Cron expressions of five fields, UTC.
    schedules: {
      analytics: values['schedule.analytics'],
      users: values['schedule.users'],
      readiness: values['schedule.readiness'],
      wiki: values['schedule.wiki'],
      jitterMs: values['schedule.jitter'],
    },
    // Whether a collector is enabled, for every existing collector by name.
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
