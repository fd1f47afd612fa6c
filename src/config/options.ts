import type { Option } from './option.ts';

/** What the options need to know of a collector. */
export interface CollectorChoice {
  readonly name: string;
  readonly description: string;
  readonly enabledByDefault: boolean;
  /** The collector without which this one does not run. */
  readonly derivesFrom?: string;
  /** Their labels are the ones that a limit may name. */
  readonly families?: readonly { readonly labels: readonly string[] }[];
}

/** The switch of one collector. */
export interface CollectorOption extends Option {
  readonly kind: 'boolean';
  readonly default: 'true' | 'false';
}

/** Commands that run the whole configuration. */
const all = ['serve', 'demo', 'once', 'estimate', 'backfill', 'check-config'];
/** Commands for which somebody's own organization is polled. */
const own = ['serve', 'once', 'estimate', 'backfill', 'check-config'];

const sharedOptions = {
  'config.file': {
    kind: 'file',
    section: 'Configuration file',
    description: 'YAML file with the keys of this page',
    takenBy: [...all, 'healthcheck'],
    fileKey: 'none',
  },
  'config.watch': {
    kind: 'boolean',
    section: 'Configuration file',
    description: 'Whether the file is read again when it changes, as on SIGHUP',
    default: 'false',
    takenBy: ['serve', 'demo', 'check-config'],
    fileKey: 'none',
  },
  org: {
    kind: 'org-name',
    section: 'Organization',
    description: 'Value of the org label of the organization that is given by --api.base-url and a key',
    default: 'default',
    takenBy: own,
  },
  'api.base-url': {
    kind: 'url',
    section: 'Organization',
    description: 'Address of the API host',
    takenBy: own,
  },
  'api.app-url': {
    kind: 'url',
    section: 'Organization',
    description:
      'Address of the web-app host, which serves the readiness reports; the API host where not given',
    takenBy: own,
  },
  'api.org-id': {
    kind: 'text',
    section: 'Organization',
    description:
      "The platform's identifier of the organization given by --api.base-url: only its answers are taken. Without it, the first identifier that the answers name stays. Another one says that a change of organization is meant: what is stored of the former one is set aside, and comes back with its identifier",
    takenBy: own,
  },
  shard: {
    kind: 'integer',
    section: 'Organization',
    description: 'Which shard this process is, from 0; it serves the organizations of that shard alone',
    default: '0',
    min: '0',
    max: '999',
    takenBy: own,
  },
  'total-shards': {
    kind: 'integer',
    section: 'Organization',
    description: 'Over how many processes the organizations are spread, by a stable hash of their names',
    default: '1',
    min: '1',
    max: '1000',
    takenBy: own,
  },
  'api.timeout': {
    kind: 'duration',
    section: 'Platform API',
    description: 'How long one request may take',
    default: '30s',
    min: '100ms',
    max: '10m',
    takenBy: all,
  },
  'api.retries': {
    kind: 'integer',
    section: 'Platform API',
    description: 'How often a failed request is tried again',
    default: '4',
    min: '0',
    max: '20',
    takenBy: all,
  },
  'api.requests-per-second': {
    kind: 'number',
    section: 'Platform API',
    description: 'Most requests per second and organization, retries included',
    default: '5',
    min: '0.01',
    max: '1000',
    takenBy: all,
  },
  'api.daily-request-limit': {
    kind: 'integer',
    section: 'Platform API',
    description:
      'Most requests per UTC day and organization, retries and redirects included, counted over restarts; any number where not given. At the ceiling, collectors fail with the reason limit until the next UTC day',
    min: '1',
    max: '100000000',
    takenBy: all,
  },
  'api.max-response-bytes': {
    kind: 'size',
    section: 'Platform API',
    description:
      'Largest answer that is read, after decompression; a larger one is asked for in smaller windows',
    default: '64MiB',
    min: '1MiB',
    max: '256MiB',
    takenBy: all,
  },
  'schedule.analytics': {
    kind: 'cron',
    section: 'Schedules',
    description: 'When the analytics collectors run; every collector also runs at start',
    default: '20 * * * *',
    takenBy: all,
  },
  'schedule.users': {
    kind: 'cron',
    section: 'Schedules',
    description: 'When the users collector runs, which asks for every person of a day',
    default: '35 */3 * * *',
    takenBy: all,
  },
  'schedule.readiness': {
    kind: 'cron',
    section: 'Schedules',
    description: 'When the readiness collector runs',
    default: '40 * * * *',
    takenBy: all,
  },
  'schedule.wiki': {
    kind: 'cron',
    section: 'Schedules',
    description: 'When the wiki collector runs',
    default: '50 * * * *',
    takenBy: all,
  },
  'schedule.jitter': {
    kind: 'duration',
    section: 'Schedules',
    description:
      'A scheduled run starts at a random moment within this time after its tick; 0 starts it at once',
    default: '60s',
    min: '0',
    max: '30m',
    takenBy: all,
  },
  'users.identity': {
    kind: 'choice',
    section: 'People',
    description:
      'How people are told apart in series of their own: not at all, by a hash of their id, by their id or by their e-mail address; docs/users.md says what that means',
    default: 'none',
    choices: ['none', 'hash', 'id', 'email'],
    takenBy: all,
    fileKey: ['collectors', 'users', 'identity'],
  },
  'teams.file': {
    kind: 'file',
    section: 'People',
    description:
      'YAML or CSV file that says which team a person belongs to; it is read again when it changes. In the configuration file, a relative path starts at its directory',
    takenBy: all,
  },
  'storage.path': {
    kind: 'file',
    section: 'Data',
    description:
      'SQLite file of the days seen so far; it and its directory are created, and `:memory:` keeps nothing over a restart',
    default: 'data/history.db',
    takenBy: own,
  },
  'storage.on-damage': {
    kind: 'choice',
    section: 'Data',
    description:
      'What happens to a history file that is damaged or of a newer release: it is kept as it is and the exporter runs from memory, or it is moved aside and a new file takes its place',
    default: 'keep',
    choices: ['keep', 'replace'],
    takenBy: own,
  },
  'metrics.max-age': {
    kind: 'duration',
    section: 'Data',
    description: 'How long the last good data of a collector stays published without another good answer',
    default: '7d',
    min: '1m',
    max: '1y',
    takenBy: all,
  },
  'history.start': {
    kind: 'day',
    section: 'Data',
    description: 'First UTC day that is asked for',
    default: '2026-01-14',
    min: '2020-01-01',
    takenBy: all,
  },
  'history.retention': {
    kind: 'days',
    section: 'Data',
    description:
      'How many of the newest days are kept and asked for, counted from the newest day that is both known and over; 0 keeps all. Expected and trailing figures need up to 63',
    default: '0',
    min: '0',
    takenBy: all,
  },
  'history.revision-window': {
    kind: 'days',
    section: 'Data',
    description: 'How many of the newest days are asked for again once a day, in case they were revised',
    default: '7d',
    min: '0',
    max: '90d',
    takenBy: all,
  },
  'web.listen-address': {
    kind: 'listen-address',
    section: 'Web',
    description: 'Where to listen; without a host on all interfaces, with port 0 on one that is free',
    default: ':9889',
    takenBy: ['serve', 'demo', 'check-config', 'healthcheck'],
  },
  'web.telemetry-path': {
    kind: 'http-path',
    section: 'Web',
    description: 'Path of the metrics',
    default: '/metrics',
    takenBy: ['serve', 'demo', 'check-config'],
  },
  'web.max-connections': {
    kind: 'integer',
    section: 'Web',
    description:
      'Most connections at a time; a further one takes the place of the one that has been idle longest',
    default: '512',
    min: '8',
    max: '100000',
    takenBy: ['serve', 'demo', 'check-config'],
  },
  'web.enable-lifecycle': {
    kind: 'boolean',
    section: 'Web',
    description: 'Whether POST /-/refresh and POST /-/reload are answered',
    default: 'false',
    takenBy: ['serve', 'demo', 'check-config'],
  },
  'web.allowed-hosts': {
    kind: 'host-name',
    section: 'Web',
    description:
      'Host names that requests may be for, `*.example.com` for all below; others are answered 421, which stops DNS rebinding. Addresses and localhost always pass, and any name where none is given. Pages of these hosts may send lifecycle requests',
    repeatable: true,
    takenBy: ['serve', 'demo', 'check-config'],
  },
  'web.config.file': {
    kind: 'file',
    section: 'Web',
    description:
      'YAML file for TLS, client certificates, basic authentication and response headers, in the format of Prometheus exporters (docs/web-config.md)',
    takenBy: ['serve', 'demo', 'check-config', 'healthcheck'],
    fileKey: ['web', 'config_file'],
  },
  'web.open-health': {
    kind: 'boolean',
    section: 'Web',
    description:
      'Whether /-/healthy and /-/ready are answered without the password or the client certificate that the web configuration file asks for',
    default: 'false',
    takenBy: ['serve', 'demo', 'check-config'],
  },
  'hooks.requests-per-second': {
    kind: 'integer',
    section: 'Hook events',
    description:
      'Most requests per second to POST /hooks/events from one address, ten seconds of them at once; needs a hook token',
    default: '500',
    min: '1',
    max: '100000',
    takenBy: ['serve', 'demo', 'check-config'],
  },
  'log.level': {
    kind: 'choice',
    section: 'Log',
    description: 'Least severe events that are logged; the log goes to standard error',
    default: 'info',
    choices: ['error', 'warn', 'info', 'debug'],
    takenBy: all,
  },
  'log.format': {
    kind: 'choice',
    section: 'Log',
    description: 'Form of the log lines',
    default: 'logfmt',
    choices: ['logfmt', 'json'],
    takenBy: all,
  },
} as const satisfies Record<string, Option>;

export type SharedOptions = typeof sharedOptions & Readonly<Record<`collector.${string}`, CollectorOption>>;

/** The options that the commands share, with a switch for each collector. */
export function createOptions(collectors: readonly CollectorChoice[]): SharedOptions {
  const switches: Record<`collector.${string}`, CollectorOption> = {};
  for (const collector of collectors) {
    switches[`collector.${collector.name}`] = {
      kind: 'boolean',
      section: 'Collectors',
      description: collector.description.replace(/\.$/, ''),
      default: collector.enabledByDefault ? 'true' : 'false',
      takenBy: all,
      fileKey: ['collectors', collector.name, 'enabled'],
    };
  }
  return { ...sharedOptions, ...switches };
}

/** Secrets come from the environment only, never from a flag or the text of a file key. */
export const secretVariables = {
  AGENT_PLATFORM_API_KEY: 'The API key of the organization given by --api.base-url',
  AGENT_PLATFORM_API_KEY_FILE: 'A file that holds this key; it is read again when it changes',
  AGENT_PLATFORM_HOOKS_TOKEN:
    'The token that hook senders present to POST /hooks/events; without one, hook events are not taken',
  AGENT_PLATFORM_HOOKS_TOKEN_FILE: 'A file that holds this token; it is read again when it changes',
  AGENT_PLATFORM_USERS_HASH_KEY:
    'The key of the hashes by which people are told apart with --users.identity=hash; at least 16 bytes',
  AGENT_PLATFORM_USERS_HASH_KEY_FILE: 'A file that holds this key; it is read again when it changes',
} as const;
