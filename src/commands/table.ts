import { commandOptions } from '../config/command-options.ts';
import { type OptionTable, optionsTakenBy } from '../config/option.ts';
import { createOptions } from '../config/options.ts';
import type { Command } from './command.ts';

const table: Readonly<Record<string, Omit<Command, 'name' | 'options'>>> = {
  serve: {
    summary: 'Poll the platform on schedule and serve the metrics',
    load: () => import('./serve.ts'),
  },
  demo: {
    summary: 'Serve metrics of the simulated platforms, in memory; needs no key',
    load: () => import('./demo.ts'),
  },
  sandbox: {
    summary: 'Run only a simulated platform',
    details: describeFaults,
    load: () => import('./sandbox.ts'),
  },
  'check-config': {
    summary: 'Validate and show the configuration; exit code 2 if it is invalid',
    details: async () => [
      'Reads the files and keys that serve would read. No requests are sent to the platform.',
    ],
    load: () => import('./check-config.ts'),
  },
  doctor: {
    summary: 'Check platform, key, store and port; exit code 1 if something fails',
    details: async () => [
      'Run it first, or beside a running exporter. It asks each endpoint of the enabled collectors for',
      'the newest days, and writes nothing to the store. See docs/troubleshooting.md.',
    ],
    load: () => import('./doctor.ts'),
  },
  once: {
    summary: 'Poll once and print the metrics; exit code 1 if a collector failed',
    load: () => import('./once.ts'),
  },
  estimate: {
    summary: 'Poll once and estimate the series of each collector, including disabled ones',
    details: async () => [
      'Shows the cost of a collector or an identity mode before it is enabled.',
      'Nothing is stored. Exit code 1 if a collector failed.',
    ],
    load: () => import('./estimate.ts'),
  },
  backfill: {
    summary: 'Backfill past days into Prometheus, by OpenMetrics files or remote write',
    details: async () => [
      'Days missing from the store are fetched first, and kept in memory for this run.',
      'An interrupted run resumes where it stopped. Exit code 1 if days are missing. See docs/backfill.md.',
    ],
    load: () => import('./backfill.ts'),
  },
  export: {
    summary: 'Write stored days as CSV, JSON lines or FOCUS',
    details: async () => [
      'Days missing from the store are fetched first, and kept in memory for this run.',
      'The figures are those of the metrics. Exit code 1 if days are missing. See docs/export.md.',
    ],
    load: () => import('./export.ts'),
  },
  explain: {
    summary: 'Explain why credits changed: what changed, and where',
    details: async () => [
      'Compares days or ranges of days as daily means, the same weekdays with each other.',
      'Exit code 1 if the credits of a side are unknown. See docs/explain.md.',
    ],
    load: () => import('./explain.ts'),
  },
  report: {
    summary: 'Report a week or a month as HTML or Markdown',
    details: async () => ['Exit code 1 if figures of the period are unknown. See docs/report.md.'],
    load: () => import('./report.ts'),
  },
  'history copy': {
    summary: 'Copy the stored history and hook events from the file to PostgreSQL, or back',
    details: async () => [
      'Stop the exporters of both stores first. An interrupted copy is started over by the same command.',
      'The copy is compared with the original before it can be used. See docs/postgresql.md.',
    ],
    load: () => import('./history-copy.ts'),
  },
  healthcheck: {
    summary: 'Check the health of a running exporter on this machine; exit code 0 or 1',
    details: async () => ['For container images, which then need no other HTTP client.'],
    load: () => import('./healthcheck.ts'),
  },
  hook: {
    summary: 'Read one agent event from standard input, notify people and forward it',
    details: async () => [
      'The agent runs it. It always exits with code 0 within its deadline and prints nothing; problems',
      'are logged to hook.log in its state directory. hook-config configures the agent; see docs/hooks.md.',
    ],
    load: () => import('./hook.ts'),
  },
  'hook-config': {
    summary: "Print the agent's hooks configuration, or merge it into the agent's own file",
    load: () => import('./hook-config.ts'),
  },
};

/** Every command; each one loads its own code. */
export const commands: readonly Command[] = Object.entries(table).map(([name, entry]) => ({
  name,
  ...entry,
  async options() {
    const own: OptionTable = Object.assign(
      {},
      ...commandOptions.map((options) => optionsTakenBy(name, options)),
    );
    const few = optionsTakenBy(name, createOptions([]));
    // A command that asks no platform has no options of the collectors, which take time to load. In its help, its own come first.
    if (!('api.timeout' in few)) return { ...own, ...few, ...own };
    const { collectors } = await import('../collectors/index.ts');
    // Its own options replace shared ones of the same name, such as an --org that may be given several times.
    return { ...optionsTakenBy(name, createOptions(collectors)), ...own };
  },
}));

async function describeFaults(): Promise<readonly string[]> {
  const { copilotFaultKinds, faultKinds } = await import('../sandbox/index.ts');
  const others = copilotFaultKinds.filter((kind) => !faultKinds.includes(kind));
  const listed = (kinds: typeof faultKinds) => {
    const longest = Math.max(...kinds.map(({ name }) => name.length));
    return kinds.map(({ name, meaning }) => `  ${name.padEnd(longest)}  ${meaning}`);
  };
  return ['Faults:', ...listed(faultKinds), '', 'Faults of copilot:', ...listed(others)];
}
