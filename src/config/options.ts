import type { CollectorChoice, CollectorOption, Option } from './option.ts';
import { webOptions } from './web-options.ts';

/** Commands that use the complete configuration. */
const all = ['serve', 'demo', 'once', 'estimate', 'backfill', 'export', 'check-config'];
/** Commands that poll configured organizations. */
const own = ['serve', 'once', 'estimate', 'backfill', 'export', 'check-config'];

const sharedOptions = {
  'config.file': {
    kind: 'file',
    section: 'Configuration file',
    description: 'YAML file with the keys that docs/CONFIGURATION.md lists',
    takenBy: [...all, 'healthcheck', 'history copy'],
    fileKey: 'none',
  },
  'config.watch': {
    kind: 'boolean',
    section: 'Configuration file',
    description: 'Reload the configuration when its file changes, as on SIGHUP',
    default: 'false',
    takenBy: ['serve', 'demo', 'check-config'],
    fileKey: 'none',
  },
  org: {
    kind: 'org-name',
    section: 'Organization',
    description: 'Value of the org label for the organization configured by --api.base-url and a key',
    default: 'default',
    takenBy: own,
  },
  'api.base-url': {
    kind: 'url',
    section: 'Organization',
    description: 'Base URL of the API host',
    takenBy: own,
  },
  'api.app-url': {
    kind: 'url',
    section: 'Organization',
    description: 'Base URL of the web-app host, which serves the readiness reports. Defaults to the API host',
    takenBy: own,
  },
  'api.org-id': {
    kind: 'text',
    section: 'Organization',
    description:
      "The platform's identifier of the organization configured by --api.base-url. Answers of other organizations are refused. If not set, the first identifier that the answers contain is kept. Changing it declares a deliberate change of organization: the stored data of the former organization is set aside and restored when its identifier is configured again",
    takenBy: own,
  },
  shard: {
    kind: 'integer',
    section: 'Organization',
    description:
      'Number of this shard, starting at 0. The process serves only the organizations of its shard',
    default: '0',
    min: '0',
    max: '999',
    takenBy: own,
  },
  'total-shards': {
    kind: 'integer',
    section: 'Organization',
    description: 'Number of processes that share the organizations, by a stable hash of their names',
    default: '1',
    min: '1',
    max: '1000',
    takenBy: own,
  },
  'api.timeout': {
    kind: 'duration',
    section: 'Platform API',
    description: 'Timeout of one request',
    default: '30s',
    min: '100ms',
    max: '10m',
    takenBy: all,
  },
  'api.retries': {
    kind: 'integer',
    section: 'Platform API',
    description: 'Maximum number of retries of a failed request',
    default: '4',
    min: '0',
    max: '20',
    takenBy: all,
  },
  'api.requests-per-second': {
    kind: 'number',
    section: 'Platform API',
    description: 'Maximum number of requests per second and organization, including retries',
    default: '5',
    min: '0.01',
    max: '1000',
    takenBy: all,
  },
  'api.daily-request-limit': {
    kind: 'integer',
    section: 'Platform API',
    description:
      'Maximum number of requests per UTC day and organization, including retries and redirects, counted across restarts. Unlimited if not set. Once the limit is reached, collectors fail with the reason limit until the next UTC day',
    min: '1',
    max: '100000000',
    takenBy: all,
  },
  'api.readiness-path': {
    kind: 'path',
    section: 'Platform API',
    description:
      'Path of the listing of readiness reports on the web-app host, where both known ones are wrong: the one of the contract and, if that answers 404, 405 or 410, the one of newer platforms',
    takenBy: all,
  },
  'api.max-concurrent-requests': {
    kind: 'integer',
    section: 'Platform API',
    description:
      'Maximum number of requests that are under way or being processed at the same time, over all organizations. A request that takes more than two seconds no longer counts, so that a slow platform delays only its own organization',
    default: '32',
    min: '1',
    max: '1000',
    takenBy: all,
  },
  'api.max-response-bytes': {
    kind: 'size',
    section: 'Platform API',
    description:
      'Maximum size of an answer after decompression. Larger answers are fetched again in smaller windows',
    default: '64MiB',
    min: '1MiB',
    max: '256MiB',
    takenBy: all,
  },
  'schedule.analytics': {
    kind: 'cron',
    section: 'Schedules',
    description: 'Schedule of the analytics collectors. Every collector also runs at start-up',
    default: '20 * * * *',
    takenBy: all,
  },
  'schedule.users': {
    kind: 'cron',
    section: 'Schedules',
    description: 'Schedule of the users collector, which fetches every person of a day',
    default: '35 */3 * * *',
    takenBy: all,
  },
  'schedule.readiness': {
    kind: 'cron',
    section: 'Schedules',
    description: 'Schedule of the readiness collector',
    default: '40 * * * *',
    takenBy: all,
  },
  'schedule.wiki': {
    kind: 'cron',
    section: 'Schedules',
    description: 'Schedule of the wiki collector',
    default: '50 * * * *',
    takenBy: all,
  },
  'schedule.jitter': {
    kind: 'duration',
    section: 'Schedules',
    description: 'Maximum random delay of a scheduled run; 0 starts it immediately',
    default: '60s',
    min: '0',
    max: '30m',
    takenBy: all,
  },
  'users.identity': {
    kind: 'choice',
    section: 'People',
    description:
      'How individual users are identified in series: not at all, by a hash of their id, by their id or by their e-mail address. See docs/users.md for the consequences',
    default: 'none',
    choices: ['none', 'hash', 'id', 'email'],
    takenBy: all,
    fileKey: ['collectors', 'users', 'identity'],
  },
  'teams.file': {
    kind: 'file',
    section: 'People',
    description:
      'YAML or CSV file that assigns people to teams, and may give teams a monthly budget. It is read again when it changes. In the configuration file, a relative path is resolved against the directory of that file',
    takenBy: all,
  },
  'storage.path': {
    kind: 'file',
    section: 'Data',
    description:
      'SQLite file of the days seen so far. `serve` owns it, and creates it and its directory if necessary; commands read it beside that, and `once` and `estimate` leave it alone. With `:memory:`, nothing is kept across a restart',
    default: 'data/history.db',
    takenBy: [...own, 'history copy'],
  },
  'storage.url': {
    kind: 'text',
    section: 'Data',
    description:
      'PostgreSQL database to use instead of the file: `postgres://user@host/database`, with parameters such as `sslmode=verify-full` and `schema` (default `agent_platform`); any other is an error. A password is not accepted here: use AGENT_PLATFORM_STORAGE_URL or AGENT_PLATFORM_STORAGE_URL_FILE. See docs/postgresql.md',
    takenBy: [...own, 'history copy'],
  },
  'storage.on-damage': {
    kind: 'choice',
    section: 'Data',
    description:
      'What to do with a file of the store that is damaged: move it aside and fill a new one from the platform, or leave it and end with code 2',
    default: 'replace',
    choices: ['replace', 'exit'],
    takenBy: own,
  },
  'metrics.max-age': {
    kind: 'duration',
    section: 'Data',
    description: 'How long the last good data of a failing collector stays published',
    default: '7d',
    min: '1m',
    max: '1y',
    takenBy: all,
  },
  'metrics.exclude': {
    kind: 'text',
    section: 'Data',
    description:
      'A metric of the platform that is not published, with `*` for any characters, such as agent_platform_daily_tokens*. May be given several times; a list in the file. The page, backfills and exports leave it out too. Metrics about the data and the exporter are always published',
    repeatable: true,
    takenBy: all,
  },
  'history.start': {
    kind: 'day',
    section: 'Data',
    description: 'First UTC day to fetch',
    default: '2026-01-14',
    min: '2020-01-01',
    takenBy: all,
  },
  'history.retention': {
    kind: 'days',
    section: 'Data',
    description:
      'Number of newest days to keep and fetch, counted from the newest day that is both known and over; 0 keeps all. Expected and trailing values need up to 63 days',
    default: '0',
    min: '0',
    takenBy: all,
  },
  'history.revision-window': {
    kind: 'days',
    section: 'Data',
    description: 'Number of newest days that are fetched again once a day, in case they were revised',
    default: '7d',
    min: '0',
    max: '90d',
    takenBy: all,
  },
  ...webOptions,
  'log.level': {
    kind: 'choice',
    section: 'Log',
    description: 'Minimum severity of logged messages. Logs are written to standard error',
    default: 'info',
    choices: ['error', 'warn', 'info', 'debug'],
    takenBy: [...all, 'history copy'],
  },
  'log.format': {
    kind: 'choice',
    section: 'Log',
    description: 'Format of log lines',
    default: 'logfmt',
    choices: ['logfmt', 'json'],
    takenBy: [...all, 'history copy'],
  },
} as const satisfies Record<string, Option>;

export type SharedOptions = typeof sharedOptions & Readonly<Record<`collector.${string}`, CollectorOption>>;

/** The shared options of the commands, with a switch for each collector. */
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
