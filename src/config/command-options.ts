import { hookConfigOptions, hookOptions } from './hook-options.ts';
import type { Option, OptionTable } from './option.ts';

/** The options of `sandbox` only. */
export const sandboxOptions = {
  'listen-address': {
    kind: 'listen-address',
    section: 'Sandbox',
    description: 'Listen address of the simulated platform',
    default: '127.0.0.1:9890',
    command: 'sandbox',
  },
  orgs: {
    kind: 'integer',
    section: 'Sandbox',
    description: 'Number of simulated organizations',
    default: '1',
    min: '1',
    max: '1000',
    command: 'sandbox',
  },
  users: {
    kind: 'integer',
    section: 'Sandbox',
    description: 'Number of people per organization',
    default: '40',
    min: '0',
    max: '200000',
    command: 'sandbox',
  },
  repos: {
    kind: 'integer',
    section: 'Sandbox',
    description: 'Number of repositories per organization',
    default: '12',
    min: '0',
    max: '50000',
    command: 'sandbox',
  },
  days: {
    kind: 'integer',
    section: 'Sandbox',
    description: 'Number of newest days that exist. If not set, all since 2026-01-14',
    min: '1',
    max: '3660',
    command: 'sandbox',
  },
  scenario: {
    kind: 'choice',
    section: 'Sandbox',
    description:
      'A recent event to simulate: a credit spike yesterday, or a newest readiness report far below the previous one. May be given several times',
    choices: ['credit-spike', 'readiness-drop'],
    repeatable: true,
    command: 'sandbox',
  },
  seed: {
    kind: 'integer',
    section: 'Sandbox',
    description: 'Seed of the simulated values. The same seed gives the same values',
    default: '1',
    min: '0',
    max: '4294967295',
    command: 'sandbox',
  },
  fault: {
    kind: 'text',
    section: 'Sandbox',
    description: 'A fault to simulate, such as 429=0.1, 401@wiki or late. May be given several times',
    repeatable: true,
    command: 'sandbox',
  },
} as const satisfies Record<string, Option>;

/** The options of `healthcheck` only. */
export const healthcheckOptions = {
  url: {
    kind: 'url',
    section: 'Health check',
    description: 'Base URL to check instead of the one derived from --web.listen-address',
    command: 'healthcheck',
  },
} as const satisfies Record<string, Option>;

/** The options of `estimate` only. */
export const estimateOptions = {
  json: {
    kind: 'boolean',
    section: 'Estimate',
    description: 'Print the estimate as JSON',
    default: 'false',
    command: 'estimate',
  },
} as const satisfies Record<string, Option>;

/** The options of `backfill` only. */
export const backfillOptions = {
  from: {
    kind: 'day',
    section: 'Backfill',
    description: 'First UTC day. Defaults to --history.start',
    command: 'backfill',
  },
  to: {
    kind: 'day',
    section: 'Backfill',
    description:
      'Last UTC day. Defaults to, and is at most, the newest day that is no longer covered by the live series',
    command: 'backfill',
  },
  org: {
    kind: 'org-name',
    section: 'Backfill',
    description:
      'An organization to backfill; all if not set. May be given several times. An organization configured by flags and environment gets this name',
    repeatable: true,
    command: 'backfill',
  },
  collector: {
    kind: 'text',
    section: 'Backfill',
    description:
      'A collector to backfill, such as tokens; all enabled ones if not set. May be given several times',
    repeatable: true,
    command: 'backfill',
  },
  step: {
    kind: 'duration',
    section: 'Backfill',
    description:
      'Additionally write a sample at this interval throughout the day on which the values were shown, besides the one at 12:00 UTC',
    min: '1m',
    max: '12h',
    command: 'backfill',
  },
  label: {
    kind: 'text',
    section: 'Backfill',
    description:
      'A label of the live target, such as job=agent-platform or instance=exporter:9889. May be given several times',
    repeatable: true,
    command: 'backfill',
  },
  output: {
    kind: 'file',
    section: 'Backfill',
    description:
      'Directory for one OpenMetrics file per month, or, with a file extension, one file for the whole range',
    command: 'backfill',
  },
  'remote-write.url': {
    kind: 'url',
    section: 'Backfill by remote write',
    description: 'URL of a Prometheus remote-write endpoint, such as http://prometheus:9090/api/v1/write',
    command: 'backfill',
  },
  'remote-write.bearer-token-file': {
    kind: 'file',
    section: 'Backfill by remote write',
    description: 'File with a bearer token',
    command: 'backfill',
  },
  'remote-write.username': {
    kind: 'text',
    section: 'Backfill by remote write',
    description: 'User name for basic authentication',
    command: 'backfill',
  },
  'remote-write.password-file': {
    kind: 'file',
    section: 'Backfill by remote write',
    description: 'File with the password for basic authentication',
    command: 'backfill',
  },
  'remote-write.header': {
    kind: 'text',
    section: 'Backfill by remote write',
    description: "A header of every request, such as 'X-Scope-OrgID: tenant'. May be given several times",
    repeatable: true,
    command: 'backfill',
  },
  'remote-write.header-file': {
    kind: 'text',
    section: 'Backfill by remote write',
    description:
      "A header whose value is secret, with the file that contains it, such as 'X-Api-Key: /run/secrets/key'. May be given several times",
    repeatable: true,
    command: 'backfill',
  },
  'remote-write.tls-ca-file': {
    kind: 'file',
    section: 'Backfill by remote write',
    description: 'File with the CA certificates (PEM) that are trusted for this endpoint',
    command: 'backfill',
  },
  'remote-write.timeout': {
    kind: 'duration',
    section: 'Backfill by remote write',
    description: 'Timeout of one write request',
    default: '30s',
    min: '100ms',
    max: '10m',
    command: 'backfill',
  },
  'remote-write.concurrency': {
    kind: 'integer',
    section: 'Backfill by remote write',
    description: 'Maximum number of concurrent write requests',
    default: '4',
    min: '1',
    max: '64',
    command: 'backfill',
  },
  'remote-write.state-file': {
    kind: 'file',
    section: 'Backfill by remote write',
    description:
      'File that records what each endpoint has acknowledged. Defaults to backfill.json beside --storage.path',
    command: 'backfill',
  },
  'remote-write.again': {
    kind: 'boolean',
    section: 'Backfill by remote write',
    description: 'Send acknowledged samples again, for example after they were deleted at the destination',
    default: 'false',
    command: 'backfill',
  },
} as const satisfies Record<string, Option>;

/** The options of `export` only. */
export const exportOptions = {
  format: {
    kind: 'choice',
    section: 'Export',
    description:
      'Format of the rows: csv and jsonl have a row for each figure; focus is the Cost and Usage dataset of the FinOps Open Cost and Usage Specification, and requires prices',
    default: 'csv',
    choices: ['csv', 'jsonl', 'focus'],
    command: 'export',
  },
  from: {
    kind: 'day',
    section: 'Export',
    description: 'First UTC day. Defaults to --history.start',
    command: 'export',
  },
  to: {
    kind: 'day',
    section: 'Export',
    description: 'Last UTC day. Defaults to, and is at most, yesterday',
    command: 'export',
  },
  org: {
    kind: 'org-name',
    section: 'Export',
    description:
      'An organization to export; all if not set. May be given several times. An organization configured by flags and environment gets this name',
    repeatable: true,
    command: 'export',
  },
  collector: {
    kind: 'text',
    section: 'Export',
    description:
      'A collector to export, such as tokens; all enabled ones if not set. May be given several times',
    repeatable: true,
    command: 'export',
  },
  output: {
    kind: 'file',
    section: 'Export',
    description: 'File to write, which appears when it is complete. Defaults to standard output',
    command: 'export',
  },
} as const satisfies Record<string, Option>;

/** The options of `history copy` only. */
export const historyCopyOptions = {
  to: {
    kind: 'choice',
    section: 'Copy',
    description: 'Where to copy to: from the file to the database, or from the database to the file',
    choices: ['database', 'file'],
    command: 'history copy',
  },
} as const satisfies Record<string, Option>;

/** The options of single commands, a table per command. */
export const commandOptions: readonly OptionTable[] = [
  sandboxOptions,
  healthcheckOptions,
  estimateOptions,
  backfillOptions,
  exportOptions,
  historyCopyOptions,
  hookOptions,
  hookConfigOptions,
];
