import * as kinds from './kinds.ts';
import { commandOptionsOf, type OptionTable, option, several } from './option.ts';

/** The organizations of a command; all if none is given. */
function orgs(verb: string, more = '') {
  return option(
    `An organization to ${verb}; all if not set. May be given several times${more}`,
    several(kinds.orgName),
  );
}

const named = '. An organization configured by flags and environment gets this name';

const outputFile = option(
  'File to write, which appears when it is complete. Defaults to standard output',
  kinds.file,
);

/** The options of `sandbox` only. */
export const sandboxOptions = commandOptionsOf('sandbox', 'Sandbox', {
  platform: option(
    'The platform to simulate. The files of copilot are served on the next port',
    kinds.choice('agent-platform', 'copilot', 'claude').prefault('agent-platform'),
  ),
  'listen-address': option(
    'Listen address of the simulated platform',
    kinds.listenAddress.prefault('127.0.0.1:9890'),
  ),
  orgs: option('Number of simulated organizations', kinds.integer('1', '1000').prefault(1)),
  users: option('Number of people per organization', kinds.integer('0', '200000').prefault(40)),
  repos: option('Number of repositories per organization', kinds.integer('0', '50000').prefault(12)),
  days: option(
    'Number of newest days that exist. If not set, all since 2026-01-14',
    kinds.integer('1', '3660'),
  ),
  scenario: option(
    'What to simulate: a credit spike yesterday, a newest readiness report far below the previous one, or somebody at work every day and no spike. May be given several times',
    several(kinds.choice('credit-spike', 'readiness-drop', 'steady')),
  ),
  seed: option(
    'Seed of the simulated values. The same seed gives the same values',
    kinds.integer('0', '4294967295').prefault(1),
  ),
  fault: option(
    'A fault to simulate, such as 429=0.1, 401@wiki or late. May be given several times',
    several(kinds.text),
  ),
});

/** The options of `healthcheck` only. */
export const healthcheckOptions = commandOptionsOf('healthcheck', 'Health check', {
  url: option('Base URL to check instead of the one derived from --web.listen-address', kinds.url),
});

/** The options of `doctor` only. */
export const doctorOptions = commandOptionsOf('doctor', 'Doctor', {
  format: option('Format of the report', kinds.choice('text', 'json').prefault('text')),
  deadline: option(
    'How long all checks may take together; those that have not ended by then fail',
    kinds.duration('1s', '10m').prefault('60s'),
  ),
  'hook-config': option(
    "The settings file of this machine's agents. Defaults to ~/.config/agent-platform-exporter/hooks.yaml, if it exists",
    kinds.file,
  ),
});

/** The options of `estimate` only. */
export const estimateOptions = commandOptionsOf('estimate', 'Estimate', {
  json: option('Print the estimate as JSON', kinds.boolean.prefault(false)),
});

/** The options of `backfill` only. */
export const backfillOptions = {
  ...commandOptionsOf('backfill', 'Backfill', {
    from: option('First UTC day. Defaults to --history.start', kinds.day()),
    to: option(
      'Last UTC day. Defaults to, and is at most, the newest day that is no longer covered by the live series',
      kinds.day(),
    ),
    org: orgs('backfill', named),
    collector: option(
      'A collector to backfill, such as tokens; all enabled ones if not set. May be given several times',
      several(kinds.text),
    ),
    step: option(
      'Additionally write a sample at this interval throughout the day on which the values were shown, besides the one at 12:00 UTC',
      kinds.duration('1m', '12h'),
    ),
    label: option(
      'A label of the live target, such as job=agent-platform or instance=exporter:9889. May be given several times',
      several(kinds.text),
    ),
    output: option(
      'Directory for one OpenMetrics file per month, or, with a file extension, one file for the whole range',
      kinds.file,
    ),
  }),
  ...commandOptionsOf('backfill', 'Backfill by remote write', {
    'remote-write.url': option(
      'URL of a Prometheus remote-write endpoint, such as http://prometheus:9090/api/v1/write',
      kinds.url,
    ),
    'remote-write.bearer-token-file': option('File with a bearer token', kinds.file),
    'remote-write.username': option('User name for basic authentication', kinds.text),
    'remote-write.password-file': option('File with the password for basic authentication', kinds.file),
    'remote-write.header': option(
      "A header of every request, such as 'X-Scope-OrgID: tenant'. May be given several times",
      several(kinds.text),
    ),
    'remote-write.header-file': option(
      "A header whose value is secret, with the file that contains it, such as 'X-Api-Key: /run/secrets/key'. May be given several times",
      several(kinds.text),
    ),
    'remote-write.tls-ca-file': option(
      'File with the CA certificates (PEM) that are trusted for this endpoint',
      kinds.file,
    ),
    'remote-write.timeout': option(
      'Timeout of one write request',
      kinds.duration('100ms', '10m').prefault('30s'),
    ),
    'remote-write.concurrency': option(
      'Maximum number of concurrent write requests',
      kinds.integer('1', '64').prefault(4),
    ),
    'remote-write.state-file': option(
      'File that records what each endpoint has acknowledged. Defaults to backfill.json beside --storage.path',
      kinds.file,
    ),
    'remote-write.again': option(
      'Send acknowledged samples again, for example after they were deleted at the destination',
      kinds.boolean.prefault(false),
    ),
  }),
};

/** The options of `export` only. */
export const exportOptions = commandOptionsOf('export', 'Export', {
  format: option(
    'Format of the rows: csv opens in a spreadsheet, jsonl has a row for each figure; focus is the Cost and Usage dataset of the FinOps Open Cost and Usage Specification, and requires prices',
    kinds.choice('csv', 'jsonl', 'focus').prefault('csv'),
  ),
  layout: option(
    'Layout of csv: wide has a column for each label and each metric, tidy has a row for each figure with its labels as JSON, like jsonl. Defaults to wide',
    kinds.choice('wide', 'tidy'),
  ),
  by: option(
    'What a row is of. month has the sums of daily amounts, and states as they were on the last day; team is for focus, whose rows are of a day and a model otherwise, and has a row for each day and team',
    kinds.choice('day', 'month', 'team').prefault('day'),
  ),
  delimiter: option(
    'What separates the cells of csv. With semicolon, numbers have a decimal comma, as spreadsheets of many countries read them. Defaults to comma',
    kinds.choice('comma', 'semicolon', 'tab'),
  ),
  criteria: option(
    'Include the figures of each readiness criterion, which are most of all rows',
    kinds.boolean.prefault(false),
  ),
  month: option(
    'A month to export once none of its days can change any more, such as 2026-10, or last for the newest one; instead of --from and --to, and without figures of single people. Only stored days are used, unless --storage.path is :memory:',
    kinds.month,
  ),
  corrections: option(
    'The file that export --month wrote when the month was closed: writes what has changed since, instead of the month. Needs the other options of that time',
    kinds.file,
  ),
  split: option(
    'Write a file for each organization, named after it: october-acme.csv with --output=october.csv. With --month, each has its own billing month. The same goes for --corrections',
    kinds.boolean.prefault(false),
  ),
  from: option('First UTC day. Defaults to --history.start', kinds.day()),
  to: option('Last UTC day. Defaults to, and is at most, yesterday', kinds.day()),
  org: orgs('export', named),
  collector: option(
    'A collector to export, such as tokens; all enabled ones if not set. May be given several times',
    several(kinds.text),
  ),
  output: outputFile,
});

/** The options of `explain` only. */
export const explainOptions = commandOptionsOf('explain', 'Explain', {
  from: option(
    'UTC day or range of days, such as 2026-11-01..2026-11-07, to compare with. Defaults to the same weekdays of the four weeks before',
    kinds.dayRange,
  ),
  to: option('UTC day or range of days to explain. Defaults to the newest day', kinds.dayRange),
  org: orgs('explain'),
  format: option(
    'Format of the explanation; json has one line for each organization',
    kinds.choice('text', 'json', 'markdown').prefault('text'),
  ),
});

/** The options of `report` only. */
export const reportOptions = commandOptionsOf('report', 'Report', {
  period: option(
    'A week from Monday to Sunday, or a month of the bill (`orgs[].billing`)',
    kinds.choice('week', 'month').prefault('week'),
  ),
  day: option('A UTC day of the period. Defaults to the last period that is over', kinds.day()),
  org: orgs('report'),
  format: option(
    'Format of the report; html is one document without scripts, slack has text of fixed width in place of tables',
    kinds.choice('html', 'markdown', 'slack').prefault('markdown'),
  ),
  output: outputFile,
});

/** The options of `history copy` only. */
export const historyCopyOptions = commandOptionsOf('history copy', 'Copy', {
  to: option(
    'Where to copy to: from the file to the database, or from the database to the file',
    kinds.choice('database', 'file'),
  ),
});

/** The options of `hook` only. Agents use the first two; the others are for people. */
export const hookOptions = commandOptionsOf('hook', 'Hook', {
  config: option(
    'YAML file with channels, rules and the address to forward to. Defaults to ~/.config/agent-platform-exporter/hooks.yaml',
    kinds.file,
  ),
  'state-dir': option(
    'Directory of the log, the spooled events and the session starts. Defaults to a directory below ~/.local/state/agent-platform-exporter',
    kinds.file,
  ),
  check: option(
    'Validate and show the settings instead of reading an event. Exit code 2 if they are invalid',
    kinds.boolean.prefault(false),
  ),
  test: option(
    'Send a sample through every channel instead of reading an event. Exit code 1 if one fails',
    kinds.boolean.prefault(false),
  ),
  flush: option(
    'Send the spooled events instead of reading one. Exit code 1 if some are left',
    kinds.boolean.prefault(false),
  ),
});

/** The options of `hook-config` only. */
export const hookConfigOptions = commandOptionsOf('hook-config', 'Hook configuration', {
  event: option(
    'An event that runs the command. May be given several times. Defaults to the events that the exporter and the rules need',
    several(kinds.text),
  ),
  command: option('Command line that the agent runs. Defaults to this program', kinds.text),
  config: option('Settings file for the command', kinds.file),
  timeout: option(
    'Seconds after which the agent stops the command; 5 for new entries. The command itself exits at its own deadline',
    kinds.integer('3', '60'),
  ),
  write: option(
    'Merge into the file instead of printing. A backup of the file is kept beside it',
    kinds.boolean.prefault(false),
  ),
  file: option(
    "The agent's hooks file that --write merges into. Defaults to ~/.factory/hooks.json",
    kinds.file,
  ),
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
