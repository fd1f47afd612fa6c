import { validate } from 'node-cron';
import type * as z from 'zod';
import { DEFAULT_PLATFORM } from '../catalog/settings.ts';
import { platforms } from '../platforms/list.ts';
import * as kinds from './kinds.ts';
import { type CollectorChoice, option, optionsOf, several, type ValuesOf } from './option.ts';
import { quoted } from './parse.ts';

const parseCron = kinds.orElse(
  (text) => (validate(text) ? text : undefined),
  'a cron schedule, such as 20 * * * *',
);

/** A cron expression of five fields. */
export const cron = kinds.textual('cron', (text) => {
  const expression = text.trim();
  const fields = expression.split(/\s+/).length;
  if (fields === 5) return parseCron(expression);
  // With six fields the first would be seconds: an hourly schedule would run every minute.
  return {
    problem: `${quoted(text)} has ${fields} ${fields === 1 ? 'field' : 'fields'}; a cron schedule has 5: minute, hour, day of month, month, day of week`,
  };
});

/** Commands that use the complete configuration. */
const all = [
  'serve',
  'demo',
  'once',
  'estimate',
  'backfill',
  'export',
  'explain',
  'report',
  'check-config',
  'doctor',
];
/** Commands that poll configured organizations. */
const own = all.filter((command) => command !== 'demo');
/** Commands that listen, and the one that validates their configuration. */
const serving = ['serve', 'demo', 'check-config', 'doctor'];

const sharedOptions = {
  ...optionsOf('Configuration file', [...all, 'healthcheck', 'history copy'], 'restart', {
    'config.file': option('YAML file with the keys that docs/CONFIGURATION.md lists', kinds.file, {
      key: undefined,
    }),
    'config.watch': option(
      'Reload the configuration when its file changes, as on SIGHUP',
      kinds.boolean.prefault(false),
      { takenBy: serving, key: undefined },
    ),
  }),
  ...optionsOf('Organization', own, 'live', {
    org: option(
      'Value of the org label for the organization configured by --api.base-url and a key',
      kinds.orgName.prefault('default'),
    ),
    'api.platform': option(
      'Platform of the organization configured by flags and environment',
      kinds.choice(...platforms.map(({ name }) => name)).prefault(DEFAULT_PLATFORM),
    ),
    'api.account': option('Name of that organization on a platform whose paths contain it', kinds.text),
    'api.kind': option('Kind of that organization, on a platform that has several', kinds.text),
    'api.base-url': option('Base URL of the API host', kinds.url),
    'api.app-url': option(
      'Base URL of the web-app host, which serves the readiness reports. Defaults to the API host',
      kinds.url,
    ),
    'api.org-id': option(
      "The platform's identifier of the organization configured by --api.base-url. Answers of other organizations are refused. If not set, the first identifier that the answers contain is kept. Changing it declares a deliberate change of organization: the stored data of the former organization is set aside and restored when its identifier is configured again",
      kinds.text,
    ),
    shard: option(
      'Number of this shard, starting at 0. The process serves only the organizations of its shard',
      kinds.integer('0', '999').prefault(0),
    ),
    'total-shards': option(
      'Number of processes that share the organizations, by a stable hash of their names',
      kinds.integer('1', '1000').prefault(1),
    ),
  }),
  ...optionsOf('Platform API', all, 'live', {
    'api.timeout': option('Timeout of one request', kinds.duration('100ms', '10m').prefault('30s')),
    'api.retries': option(
      'Maximum number of retries of a failed request',
      kinds.integer('0', '20').prefault(4),
    ),
    'api.requests-per-second': option(
      'Maximum number of requests per second and organization, including retries',
      kinds.number('0.01', '1000').prefault(5),
    ),
    'api.daily-request-limit': option(
      'Maximum number of requests per UTC day and organization, including retries and redirects, counted across restarts. Unlimited if not set. Once the limit is reached, collectors fail with the reason limit until the next UTC day',
      kinds.integer('1', '100000000'),
    ),
    'api.readiness-path': option(
      'Path of the listing of readiness reports on the web-app host, where both known ones are wrong: the one of the contract and, if that answers 404, 405 or 410, the one of newer platforms',
      kinds.path,
    ),
    'api.max-concurrent-requests': option(
      'Maximum number of requests that are under way or being processed at the same time, over all organizations. A request that takes more than two seconds no longer counts, so that a slow platform delays only its own organization',
      kinds.integer('1', '1000').prefault(32),
    ),
    'api.max-response-bytes': option(
      'Maximum size of an answer after decompression. It may take eight times as much memory once parsed, and at most a quarter of the heap; all answers that are read at once share twice that. Larger answers are fetched again in smaller windows',
      kinds.size('1MiB', '256MiB').prefault('8MiB'),
    ),
  }),
  ...optionsOf('Schedules', all, 'live', {
    'schedule.analytics': option(
      'Schedule of the analytics collectors. Every collector also runs at start-up',
      cron.prefault('20 * * * *'),
    ),
    'schedule.users': option(
      'Schedule of the users collector, which fetches every person of a day',
      cron.prefault('35 */3 * * *'),
    ),
    'schedule.readiness': option('Schedule of the readiness collector', cron.prefault('40 * * * *')),
    'schedule.wiki': option('Schedule of the wiki collector', cron.prefault('50 * * * *')),
    'schedule.jitter': option(
      'Maximum random delay of a scheduled run; 0 starts it immediately',
      kinds.duration('0', '30m').prefault('60s'),
    ),
  }),
  ...optionsOf('People', all, 'live', {
    'users.identity': option(
      'How individual users are identified in series: not at all, by a hash of their id, by their id or by their e-mail address. See docs/users.md for the consequences',
      kinds.choice('none', 'hash', 'id', 'email').prefault('none'),
      { key: ['collectors', 'users', 'identity'] },
    ),
    'teams.file': option(
      'YAML or CSV file that assigns people to teams, and may give teams a monthly budget. It is read again when it changes. In the configuration file, a relative path is resolved against the directory of that file',
      kinds.file,
    ),
  }),
  ...optionsOf('Data', [...own, 'history copy'], 'restart', {
    'storage.path': option(
      'SQLite file of the days seen so far. `serve` owns it, and creates it and its directory if necessary; commands read it beside that, and `once` and `estimate` leave it alone. With `:memory:`, nothing is kept across a restart',
      kinds.storeFile.prefault('data/history.db'),
    ),
    'storage.url': option(
      'PostgreSQL database to use instead of the file: `postgres://user@host/database`, with parameters such as `sslmode=verify-full` and `schema` (default `agent_platform`); any other is an error. A password is not accepted here: use AGENT_PLATFORM_STORAGE_URL or AGENT_PLATFORM_STORAGE_URL_FILE. See docs/postgresql.md',
      kinds.text,
    ),
    'storage.on-damage': option(
      'What to do with a history file that is damaged: move it aside under another name and replace it with a new one, which is filled from the platform, or exit with code 2 and leave it untouched',
      kinds.choice('replace', 'exit').prefault('replace'),
      { takenBy: own },
    ),
  }),
  ...optionsOf('Data', all, 'live', {
    'metrics.max-age': option(
      'How long the last good data of a failing collector stays published',
      kinds.duration('1m', '1y').prefault('7d'),
    ),
    'metrics.exclude': option(
      'A metric of the platform that is not published, with `*` for any characters, such as agent_platform_daily_tokens*. May be given several times; a list in the file. The page, backfills and exports leave it out too. Metrics about the data and the exporter are always published',
      several(kinds.text),
    ),
    'history.start': option('First UTC day to fetch', kinds.day('2020-01-01').prefault('2026-01-14')),
    'history.retention': option(
      'Number of newest days to keep and fetch, counted from the newest day that is both known and over; 0 keeps all. Expected and trailing values need up to 63 days, ranges of forecasts 114',
      kinds.days('0').prefault('0'),
    ),
    'history.revision-window': option(
      'Number of newest days that are fetched again once a day, in case they were revised',
      kinds.days('0', '90d').prefault('7d'),
    ),
  }),
  ...optionsOf('Web', serving, 'restart', {
    'web.listen-address': option(
      'Listen address. Without a host, all interfaces; with port 0, any free port. By default, demo listens on 127.0.0.1 only',
      kinds.listenAddress.prefault(':9889'),
      { takenBy: [...serving, 'healthcheck'] },
    ),
    'web.telemetry-path': option('Path of the metrics endpoint', kinds.httpPath.prefault('/metrics')),
    'web.dashboard-url': option('Address of the dashboards, to which the page links', kinds.url, {
      reload: 'live',
    }),
    'web.max-connections': option(
      'Maximum number of simultaneous connections. A further connection replaces the one that has been idle longest. On Linux, a low limit of open files reduces it',
      kinds.integer('8', '100000').prefault(512),
    ),
    'web.enable-lifecycle': option(
      'Enable POST /-/refresh and POST /-/reload',
      kinds.boolean.prefault(false),
    ),
    'web.allowed-hosts': option(
      'Host names that requests may use; `*.example.com` allows all subdomains. Requests for other names are answered with 421, which prevents DNS rebinding; health checks may use any. IP addresses and localhost are always allowed. If not set, every name is allowed. Pages of these hosts may send lifecycle requests',
      several(kinds.hostName),
    ),
    'web.config.file': option(
      'YAML file for TLS, client certificates, basic authentication and response headers, in the format of Prometheus exporters (docs/web-config.md)',
      kinds.file,
      { takenBy: [...serving, 'healthcheck'], key: ['web', 'config_file'] },
    ),
    'web.open-health': option(
      'Serve /-/healthy and /-/ready without the password or client certificate that the web configuration file requires',
      kinds.boolean.prefault(false),
    ),
  }),
  ...optionsOf('Hook events', serving, 'restart', {
    'hooks.requests-per-second': option(
      'Maximum number of requests per second to POST /hooks/events from one address, with a burst of ten seconds. Requires a hook token',
      kinds.integer('1', '100000').prefault(500),
    ),
  }),
  ...optionsOf('Log', [...all, 'history copy'], 'live', {
    'log.level': option(
      'Minimum severity of logged messages. Logs are written to standard error',
      kinds.choice('error', 'warn', 'info', 'debug').prefault('info'),
    ),
    'log.format': option('Format of log lines', kinds.choice('logfmt', 'json').prefault('logfmt'), {
      reload: 'restart',
    }),
  }),
};

export type SharedOptions = typeof sharedOptions &
  Readonly<Record<`collector.${string}`, z.ZodType<boolean>>>;

/** The values of the shared options by flag. */
export type SharedValues = ValuesOf<SharedOptions>;

/** The shared options with these flags, for commands that need no complete configuration. */
export function optionsNamed<Flag extends keyof typeof sharedOptions>(...flags: readonly Flag[]) {
  const named = flags.map((flag) => [flag, sharedOptions[flag]] as const);
  // Exactly those that are named.
  return Object.fromEntries(named) as Pick<typeof sharedOptions, Flag>;
}

/** The shared options of the commands, with a switch for each collector. */
export function createOptions(collectors: readonly CollectorChoice[]): SharedOptions {
  const switches = collectors.map(
    ({ name, description, enabledByDefault }) =>
      [
        `collector.${name}`,
        option(description.replace(/\.$/, ''), kinds.boolean.prefault(enabledByDefault), {
          key: ['collectors', name, 'enabled'],
        }),
      ] as const,
  );
  return { ...sharedOptions, ...optionsOf('Collectors', all, 'live', Object.fromEntries(switches)) };
}
