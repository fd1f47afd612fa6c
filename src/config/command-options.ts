import type { Option } from './option.ts';

/** The options of `sandbox` alone. */
export const sandboxOptions = {
  'listen-address': {
    kind: 'listen-address',
    section: 'Sandbox',
    description: 'Where the simulated platform listens',
    default: '127.0.0.1:9890',
    command: 'sandbox',
  },
  orgs: {
    kind: 'integer',
    section: 'Sandbox',
    description: 'How many organizations are simulated',
    default: '1',
    min: '1',
    max: '1000',
    command: 'sandbox',
  },
  users: {
    kind: 'integer',
    section: 'Sandbox',
    description: 'How many people an organization has',
    default: '40',
    min: '0',
    max: '200000',
    command: 'sandbox',
  },
  repos: {
    kind: 'integer',
    section: 'Sandbox',
    description: 'How many repositories an organization has',
    default: '12',
    min: '0',
    max: '50000',
    command: 'sandbox',
  },
  days: {
    kind: 'integer',
    section: 'Sandbox',
    description: 'How many of the newest days exist; all since 2026-01-14 where not given',
    min: '1',
    max: '3660',
    command: 'sandbox',
  },
  scenario: {
    kind: 'choice',
    section: 'Sandbox',
    description:
      'What has just happened: credits spiked yesterday, or the newest readiness report is far worse than the one before; may be given several times',
    choices: ['credit-spike', 'readiness-drop'],
    repeatable: true,
    command: 'sandbox',
  },
  seed: {
    kind: 'integer',
    section: 'Sandbox',
    description: 'Other figures for another seed, the same figures for the same',
    default: '1',
    min: '0',
    max: '4294967295',
    command: 'sandbox',
  },
  fault: {
    kind: 'text',
    section: 'Sandbox',
    description: 'A fault to simulate, such as 429=0.1 or missing-yesterday; may be given several times',
    repeatable: true,
    command: 'sandbox',
  },
} as const satisfies Record<string, Option>;

/** The options of `healthcheck` alone. */
export const healthcheckOptions = {
  url: {
    kind: 'url',
    section: 'Health check',
    description: 'Address to ask instead of the one that follows from --web.listen-address, without its path',
    command: 'healthcheck',
  },
} as const satisfies Record<string, Option>;

/** The options of `estimate` alone. */
export const estimateOptions = {
  json: {
    kind: 'boolean',
    section: 'Estimate',
    description: 'Whether the estimate is printed as JSON',
    default: 'false',
    command: 'estimate',
  },
} as const satisfies Record<string, Option>;

/** The options of `backfill` alone. */
export const backfillOptions = {
  from: {
    kind: 'day',
    section: 'Backfill',
    description: 'First UTC day; --history.start where not given',
    command: 'backfill',
  },
  to: {
    kind: 'day',
    section: 'Backfill',
    description:
      'Last UTC day; the newest one that the live series has left behind where not given, or where it is later',
    command: 'backfill',
  },
  org: {
    kind: 'org-name',
    section: 'Backfill',
    description:
      'An organization to backfill, all where not given; may be given several times. An organization of flags and environment gets this name',
    repeatable: true,
    command: 'backfill',
  },
  collector: {
    kind: 'text',
    section: 'Backfill',
    description:
      'A collector to backfill, such as tokens, all that run where not given; may be given several times',
    repeatable: true,
    command: 'backfill',
  },
  step: {
    kind: 'duration',
    section: 'Backfill',
    description:
      'Also writes a sample after each such time of the day on which the figures were shown, besides the one at 23:00 UTC',
    min: '1m',
    max: '12h',
    command: 'backfill',
  },
  label: {
    kind: 'text',
    section: 'Backfill',
    description:
      'A label of the live target, such as job=agent-platform or instance=exporter:9889; may be given several times',
    repeatable: true,
    command: 'backfill',
  },
  output: {
    kind: 'file',
    section: 'Backfill',
    description:
      'Directory for one OpenMetrics file a month, or a file with an extension for the whole range',
    command: 'backfill',
  },
  'remote-write.url': {
    kind: 'url',
    section: 'Backfill by remote write',
    description: 'Address that takes Prometheus remote write, such as http://prometheus:9090/api/v1/write',
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
    description: 'User name of basic authentication',
    command: 'backfill',
  },
  'remote-write.password-file': {
    kind: 'file',
    section: 'Backfill by remote write',
    description: 'File with the password of basic authentication',
    command: 'backfill',
  },
  'remote-write.tls-ca-file': {
    kind: 'file',
    section: 'Backfill by remote write',
    description: 'File with the certificates (PEM) of the authorities that are trusted for this address',
    command: 'backfill',
  },
  'remote-write.timeout': {
    kind: 'duration',
    section: 'Backfill by remote write',
    description: 'How long one write request may take',
    default: '30s',
    min: '100ms',
    max: '10m',
    command: 'backfill',
  },
  'remote-write.concurrency': {
    kind: 'integer',
    section: 'Backfill by remote write',
    description: 'How many write requests may be under way at a time',
    default: '4',
    min: '1',
    max: '64',
    command: 'backfill',
  },
  'remote-write.state-file': {
    kind: 'file',
    section: 'Backfill by remote write',
    description:
      'File that remembers what each address has acknowledged; backfill.json beside --storage.path where not given',
    command: 'backfill',
  },
  'remote-write.again': {
    kind: 'boolean',
    section: 'Backfill by remote write',
    description: 'Whether what was acknowledged before is sent once more, such as after it was deleted there',
    default: 'false',
    command: 'backfill',
  },
} as const satisfies Record<string, Option>;

/** The options of `hook`. As an agent runs it, it understands the first two; the others are for people. */
export const hookOptions = {
  config: {
    kind: 'file',
    section: 'Hook',
    description:
      'YAML file with channels, rules and the address to forward to; ~/.config/agent-platform-exporter/hooks.yaml where not given',
    command: 'hook',
  },
  'state-dir': {
    kind: 'file',
    section: 'Hook',
    description:
      'Folder of its log, of events that wait and of session starts; below ~/.local/state/agent-platform-exporter where not given',
    command: 'hook',
  },
  check: {
    kind: 'boolean',
    section: 'Hook',
    description:
      'Show what the settings mean instead of reading an event; exit code 2 where they cannot be used',
    default: 'false',
    command: 'hook',
  },
  test: {
    kind: 'boolean',
    section: 'Hook',
    description:
      'Send a sample through every channel instead of reading an event; exit code 1 where one fails',
    default: 'false',
    command: 'hook',
  },
  flush: {
    kind: 'boolean',
    section: 'Hook',
    description: 'Send the events that wait on disk instead of reading one; exit code 1 where some are left',
    default: 'false',
    command: 'hook',
  },
} as const satisfies Record<string, Option>;

/** The options of `hook-config`. */
export const hookConfigOptions = {
  event: {
    kind: 'text',
    section: 'Hook configuration',
    description:
      'An event to run the command at, may be given several times; those that the exporter and the rules need where not given',
    repeatable: true,
    command: 'hook-config',
  },
  command: {
    kind: 'text',
    section: 'Hook configuration',
    description: 'Command line that the agent runs; this program where not given',
    command: 'hook-config',
  },
  config: {
    kind: 'file',
    section: 'Hook configuration',
    description: 'File of settings that the command is to use',
    command: 'hook-config',
  },
  timeout: {
    kind: 'integer',
    section: 'Hook configuration',
    description: 'Seconds after which the agent ends the command; it ends by itself after its own deadline',
    default: '5',
    min: '3',
    max: '60',
    command: 'hook-config',
  },
  write: {
    kind: 'boolean',
    section: 'Hook configuration',
    description: 'Merge into the file instead of printing; what the file held before is kept beside it',
    default: 'false',
    command: 'hook-config',
  },
  file: {
    kind: 'file',
    section: 'Hook configuration',
    description: "The agent's file of hooks that --write merges into; ~/.factory/hooks.json where not given",
    command: 'hook-config',
  },
} as const satisfies Record<string, Option>;
