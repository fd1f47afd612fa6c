import {
  backfillOptions,
  doctorOptions,
  estimateOptions,
  explainOptions,
  exportOptions,
  healthcheckOptions,
  historyCopyOptions,
  hookConfigOptions,
  hookOptions,
  reportOptions,
  sandboxOptions,
} from '../config/command-options.ts';
import { type CollectorChoice, type OptionTable, optionsTakenBy } from '../config/option.ts';
import { createOptions } from '../config/options.ts';
import type { Command } from './command.ts';

/** Every command; each one loads its own code. */
export const commands: readonly Command[] = [
  {
    name: 'serve',
    summary: 'Poll the platform on schedule and serve the metrics',
    options: sharedOptionsOf('serve'),
    load: () => import('./serve.ts'),
  },
  {
    name: 'demo',
    summary: 'Serve metrics of a simulated platform, in memory; needs no key',
    options: sharedOptionsOf('demo'),
    load: () => import('./demo.ts'),
  },
  {
    name: 'sandbox',
    summary: 'Run only the simulated platform',
    details: describeFaults,
    options: async () => sandboxOptions,
    load: () => import('./sandbox.ts'),
  },
  {
    name: 'check-config',
    summary: 'Validate and show the configuration; exit code 2 if it is invalid',
    details: async () => [
      'Reads the files and keys that serve would read. No requests are sent to the platform.',
    ],
    options: sharedOptionsOf('check-config'),
    load: () => import('./check-config.ts'),
  },
  {
    name: 'doctor',
    summary: 'Check platform, key, store and port; exit code 1 if something fails',
    details: async () => [
      'Run it first, or beside a running exporter. It asks each endpoint of the enabled collectors for',
      'the newest days, and writes nothing to the store. See docs/troubleshooting.md.',
    ],
    options: sharedOptionsOf('doctor', doctorOptions),
    load: () => import('./doctor.ts'),
  },
  {
    name: 'once',
    summary: 'Poll once and print the metrics; exit code 1 if a collector failed',
    options: sharedOptionsOf('once'),
    load: () => import('./once.ts'),
  },
  {
    name: 'estimate',
    summary: 'Poll once and estimate the series of each collector, including disabled ones',
    details: async () => [
      'Shows the cost of a collector or an identity mode before it is enabled.',
      'Nothing is stored. Exit code 1 if a collector failed.',
    ],
    options: sharedOptionsOf('estimate', estimateOptions),
    load: () => import('./estimate.ts'),
  },
  {
    name: 'backfill',
    summary: 'Backfill past days into Prometheus, by OpenMetrics files or remote write',
    details: async () => [
      'Days missing from the store are fetched first and stored. An interrupted run resumes where',
      'it stopped. Exit code 1 if days are missing. See docs/backfill.md.',
    ],
    // Its own --org may be given several times.
    options: sharedOptionsOf('backfill', backfillOptions),
    load: () => import('./backfill.ts'),
  },
  {
    name: 'export',
    summary: 'Write stored days as CSV, JSON lines or FOCUS',
    details: async () => [
      'Days missing from the store are fetched first and stored. The figures are those of the metrics.',
      'Exit code 1 if days are missing. See docs/export.md.',
    ],
    // Its own --org may be given several times.
    options: sharedOptionsOf('export', exportOptions),
    load: () => import('./export.ts'),
  },
  {
    name: 'explain',
    summary: 'Explain why credits changed: what changed, and where',
    details: async () => [
      'Compares days or ranges of days as daily means, the same weekdays with each other.',
      'Exit code 1 if the credits of a side are unknown. See docs/explain.md.',
    ],
    options: sharedOptionsOf('explain', explainOptions),
    load: () => import('./explain.ts'),
  },
  {
    name: 'report',
    summary: 'Report a week or a month as HTML or Markdown',
    details: async () => ['Exit code 1 if figures of the period are unknown. See docs/report.md.'],
    options: sharedOptionsOf('report', reportOptions),
    load: () => import('./report.ts'),
  },
  {
    name: 'history copy',
    summary: 'Copy the stored history and hook events from the file to PostgreSQL, or back',
    details: async () => [
      'Stop the exporters of both stores first. An interrupted copy is started over by the same command.',
      'The copy is compared with the original before it can be used. See docs/postgresql.md.',
    ],
    options: async () => ({
      ...historyCopyOptions,
      ...optionsTakenBy('history copy', createOptions([])),
    }),
    load: () => import('./history-copy.ts'),
  },
  {
    name: 'healthcheck',
    summary: 'Check the health of a running exporter on this machine; exit code 0 or 1',
    details: async () => ['For container images, which then need no other HTTP client.'],
    options: async () => ({ ...healthcheckOptions, ...optionsTakenBy('healthcheck', createOptions([])) }),
    load: () => import('./healthcheck.ts'),
  },
  {
    name: 'hook',
    summary: 'Read one agent event from standard input, notify people and forward it',
    details: async () => [
      'The agent runs it. It always exits with code 0 within its deadline and prints nothing; problems',
      'are logged to hook.log in its state directory. hook-config configures the agent; see docs/hooks.md.',
    ],
    options: async () => hookOptions,
    load: () => import('./hook.ts'),
  },
  {
    name: 'hook-config',
    summary: "Print the agent's hooks configuration, or merge it into the agent's own file",
    options: async () => hookConfigOptions,
    load: () => import('./hook-config.ts'),
  },
];

/** The shared options that a command takes, and its own, which replace shared ones of the same name. */
function sharedOptionsOf(
  command: string,
  own: OptionTable = {},
): (collectors: () => Promise<readonly CollectorChoice[]>) => Promise<OptionTable> {
  return async (collectors) => ({ ...optionsTakenBy(command, createOptions(await collectors())), ...own });
}

async function describeFaults(): Promise<readonly string[]> {
  const { faultKinds } = await import('../sandbox/index.ts');
  const longest = Math.max(...faultKinds.map(({ name }) => name.length));
  return ['Faults:', ...faultKinds.map(({ name, meaning }) => `  ${name.padEnd(longest)}  ${meaning}`)];
}
