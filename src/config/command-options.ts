import * as kinds from './kinds.ts';
import { commandOptionsOf, type OptionTable } from './option.ts';

/** The options of `sandbox` only. */
export const sandboxOptions = commandOptionsOf('sandbox', 'Sandbox', {
  'listen-address': {
    value: kinds.listenAddress(),
    default: '127.0.0.1:9890',
    description: 'Listen address of the simulated platform',
  },
  orgs: {
    value: kinds.integer('1', '1000'),
    default: '1',
    description: 'Number of simulated organizations',
  },
  users: {
    value: kinds.integer('0', '200000'),
    default: '40',
    description: 'Number of people per organization',
  },
  repos: {
    value: kinds.integer('0', '50000'),
    default: '12',
    description: 'Number of repositories per organization',
  },
  days: {
    value: kinds.integer('1', '3660'),
    description: 'Number of newest days that exist. If not set, all since 2026-01-14',
  },
  scenario: {
    value: kinds.choice('credit-spike', 'readiness-drop'),
    repeatable: true,
    description:
      'A recent event to simulate: a credit spike yesterday, or a newest readiness report far below the previous one. May be given several times',
  },
  seed: {
    value: kinds.integer('0', '4294967295'),
    default: '1',
    description: 'Seed of the simulated values. The same seed gives the same values',
  },
  fault: {
    value: kinds.text(),
    repeatable: true,
    description: 'A fault to simulate, such as 429=0.1, 401@wiki or late. May be given several times',
  },
});

/** The options of `healthcheck` only. */
export const healthcheckOptions = commandOptionsOf('healthcheck', 'Health check', {
  url: {
    value: kinds.url(),
    description: 'Base URL to check instead of the one derived from --web.listen-address',
  },
});

/** The options of `doctor` only. */
export const doctorOptions = commandOptionsOf('doctor', 'Doctor', {
  format: { value: kinds.choice('text', 'json'), default: 'text', description: 'Format of the report' },
  deadline: {
    value: kinds.duration('1s', '10m'),
    default: '60s',
    description: 'How long all checks may take together; those that have not ended by then fail',
  },
  'hook-config': {
    value: kinds.file(),
    description:
      "The settings file of this machine's agents. Defaults to ~/.config/agent-platform-exporter/hooks.yaml, if it exists",
  },
});

/** The options of `estimate` only. */
export const estimateOptions = commandOptionsOf('estimate', 'Estimate', {
  json: { value: kinds.boolean(), default: 'false', description: 'Print the estimate as JSON' },
});

/** The options of `backfill` only. */
export const backfillOptions = {
  ...commandOptionsOf('backfill', 'Backfill', {
    from: { value: kinds.day(), description: 'First UTC day. Defaults to --history.start' },
    to: {
      value: kinds.day(),
      description:
        'Last UTC day. Defaults to, and is at most, the newest day that is no longer covered by the live series',
    },
    org: {
      value: kinds.orgName(),
      repeatable: true,
      description:
        'An organization to backfill; all if not set. May be given several times. An organization configured by flags and environment gets this name',
    },
    collector: {
      value: kinds.text(),
      repeatable: true,
      description:
        'A collector to backfill, such as tokens; all enabled ones if not set. May be given several times',
    },
    step: {
      value: kinds.duration('1m', '12h'),
      description:
        'Additionally write a sample at this interval throughout the day on which the values were shown, besides the one at 12:00 UTC',
    },
    label: {
      value: kinds.text(),
      repeatable: true,
      description:
        'A label of the live target, such as job=agent-platform or instance=exporter:9889. May be given several times',
    },
    output: {
      value: kinds.file(),
      description:
        'Directory for one OpenMetrics file per month, or, with a file extension, one file for the whole range',
    },
  }),
  ...commandOptionsOf('backfill', 'Backfill by remote write', {
    'remote-write.url': {
      value: kinds.url(),
      description: 'URL of a Prometheus remote-write endpoint, such as http://prometheus:9090/api/v1/write',
    },
    'remote-write.bearer-token-file': { value: kinds.file(), description: 'File with a bearer token' },
    'remote-write.username': { value: kinds.text(), description: 'User name for basic authentication' },
    'remote-write.password-file': {
      value: kinds.file(),
      description: 'File with the password for basic authentication',
    },
    'remote-write.header': {
      value: kinds.text(),
      repeatable: true,
      description: "A header of every request, such as 'X-Scope-OrgID: tenant'. May be given several times",
    },
    'remote-write.header-file': {
      value: kinds.text(),
      repeatable: true,
      description:
        "A header whose value is secret, with the file that contains it, such as 'X-Api-Key: /run/secrets/key'. May be given several times",
    },
    'remote-write.tls-ca-file': {
      value: kinds.file(),
      description: 'File with the CA certificates (PEM) that are trusted for this endpoint',
    },
    'remote-write.timeout': {
      value: kinds.duration('100ms', '10m'),
      default: '30s',
      description: 'Timeout of one write request',
    },
    'remote-write.concurrency': {
      value: kinds.integer('1', '64'),
      default: '4',
      description: 'Maximum number of concurrent write requests',
    },
    'remote-write.state-file': {
      value: kinds.file(),
      description:
        'File that records what each endpoint has acknowledged. Defaults to backfill.json beside --storage.path',
    },
    'remote-write.again': {
      value: kinds.boolean(),
      default: 'false',
      description: 'Send acknowledged samples again, for example after they were deleted at the destination',
    },
  }),
};

/** The options of `export` only. */
export const exportOptions = commandOptionsOf('export', 'Export', {
  format: {
    value: kinds.choice('csv', 'jsonl', 'focus'),
    default: 'csv',
    description:
      'Format of the rows: csv and jsonl have a row for each figure; focus is the Cost and Usage dataset of the FinOps Open Cost and Usage Specification, and requires prices',
  },
  from: { value: kinds.day(), description: 'First UTC day. Defaults to --history.start' },
  to: { value: kinds.day(), description: 'Last UTC day. Defaults to, and is at most, yesterday' },
  org: {
    value: kinds.orgName(),
    repeatable: true,
    description:
      'An organization to export; all if not set. May be given several times. An organization configured by flags and environment gets this name',
  },
  collector: {
    value: kinds.text(),
    repeatable: true,
    description:
      'A collector to export, such as tokens; all enabled ones if not set. May be given several times',
  },
  output: {
    value: kinds.file(),
    description: 'File to write, which appears when it is complete. Defaults to standard output',
  },
});

/** The options of `explain` only. */
export const explainOptions = commandOptionsOf('explain', 'Explain', {
  from: {
    value: kinds.dayRange(),
    description:
      'UTC day or range of days, such as 2026-11-01..2026-11-07, to compare with. Defaults to the same weekdays of the four weeks before',
  },
  to: {
    value: kinds.dayRange(),
    description: 'UTC day or range of days to explain. Defaults to the newest day',
  },
  org: {
    value: kinds.orgName(),
    repeatable: true,
    description: 'An organization to explain; all if not set. May be given several times',
  },
  format: {
    value: kinds.choice('text', 'json', 'markdown'),
    default: 'text',
    description: 'Format of the explanation; json has one line for each organization',
  },
});

/** The options of `report` only. */
export const reportOptions = commandOptionsOf('report', 'Report', {
  period: {
    value: kinds.choice('week', 'month'),
    default: 'week',
    description: 'A week from Monday to Sunday, or a calendar month',
  },
  day: {
    value: kinds.day(),
    description: 'A UTC day of the period. Defaults to the last period that is over',
  },
  org: {
    value: kinds.orgName(),
    repeatable: true,
    description: 'An organization to report; all if not set. May be given several times',
  },
  format: {
    value: kinds.choice('html', 'markdown'),
    default: 'markdown',
    description: 'Format of the report; html is one document without scripts',
  },
  output: {
    value: kinds.file(),
    description: 'File to write, which appears when it is complete. Defaults to standard output',
  },
});

/** The options of `history copy` only. */
export const historyCopyOptions = commandOptionsOf('history copy', 'Copy', {
  to: {
    value: kinds.choice('database', 'file'),
    description: 'Where to copy to: from the file to the database, or from the database to the file',
  },
});

/** The options of `hook` only. Agents use the first two; the others are for people. */
export const hookOptions = commandOptionsOf('hook', 'Hook', {
  config: {
    value: kinds.file(),
    description:
      'YAML file with channels, rules and the address to forward to. Defaults to ~/.config/agent-platform-exporter/hooks.yaml',
  },
  'state-dir': {
    value: kinds.file(),
    description:
      'Directory of the log, the spooled events and the session starts. Defaults to a directory below ~/.local/state/agent-platform-exporter',
  },
  check: {
    value: kinds.boolean(),
    default: 'false',
    description:
      'Validate and show the settings instead of reading an event. Exit code 2 if they are invalid',
  },
  test: {
    value: kinds.boolean(),
    default: 'false',
    description: 'Send a sample through every channel instead of reading an event. Exit code 1 if one fails',
  },
  flush: {
    value: kinds.boolean(),
    default: 'false',
    description: 'Send the spooled events instead of reading one. Exit code 1 if some are left',
  },
});

/** The options of `hook-config` only. */
export const hookConfigOptions = commandOptionsOf('hook-config', 'Hook configuration', {
  event: {
    value: kinds.text(),
    repeatable: true,
    description:
      'An event that runs the command. May be given several times. Defaults to the events that the exporter and the rules need',
  },
  command: {
    value: kinds.text(),
    description: 'Command line that the agent runs. Defaults to this program',
  },
  config: { value: kinds.file(), description: 'Settings file for the command' },
  timeout: {
    value: kinds.integer('3', '60'),
    description:
      'Seconds after which the agent stops the command; 5 for new entries. The command itself exits at its own deadline',
  },
  write: {
    value: kinds.boolean(),
    default: 'false',
    description: 'Merge into the file instead of printing. A backup of the file is kept beside it',
  },
  file: {
    value: kinds.file(),
    description: "The agent's hooks file that --write merges into. Defaults to ~/.factory/hooks.json",
  },
});

/** The options of single commands, a table per command. */
export const commandOptions: readonly OptionTable[] = [
  sandboxOptions,
  healthcheckOptions,
  doctorOptions,
  estimateOptions,
  backfillOptions,
  exportOptions,
  explainOptions,
  reportOptions,
  historyCopyOptions,
  hookOptions,
  hookConfigOptions,
];
