import {
  backfillOptions,
  estimateOptions,
  healthcheckOptions,
  hookConfigOptions,
  hookOptions,
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
    summary: 'Run the simulated platform by itself',
    details: describeFaults,
    options: async () => sandboxOptions,
    load: () => import('./sandbox.ts'),
  },
  {
    name: 'check-config',
    summary: 'Load the configuration and show what it means; exit code 2 where it cannot be used',
    details: async () => [
      'Reads the files and keys that serve would read. Nothing is asked of the platform.',
    ],
    options: sharedOptionsOf('check-config'),
    load: () => import('./check-config.ts'),
  },
  {
    name: 'once',
    summary: 'Poll once and print the metrics; exit code 1 where a collector failed',
    options: sharedOptionsOf('once'),
    load: () => import('./once.ts'),
  },
  {
    name: 'estimate',
    summary: 'Poll once and tell how many series each collector makes, also those that are off',
    details: async () => [
      'Shows what a collector, or a way to tell people apart, would cost before it is turned on.',
      'Nothing is stored. Exit code 1 where a collector failed.',
    ],
    options: async (collectors) => ({
      ...optionsTakenBy('estimate', createOptions(await collectors())),
      ...estimateOptions,
    }),
    load: () => import('./estimate.ts'),
  },
  {
    name: 'backfill',
    summary: 'Bring past days to Prometheus, as OpenMetrics files or by remote write',
    details: async () => [
      'Days that are not in the store are fetched first, and kept there. An interrupted run goes on where',
      'it stopped. Exit code 1 where days are missing. docs/backfill.md has the recipes.',
    ],
    // Its own --org may be given several times.
    options: async (collectors) => ({
      ...optionsTakenBy('backfill', createOptions(await collectors())),
      ...backfillOptions,
    }),
    load: () => import('./backfill.ts'),
  },
  {
    name: 'healthcheck',
    summary: 'Ask a running exporter on this machine whether it is healthy; exit code 0 or 1',
    details: async () => ['Made for container images, which need no other HTTP client then.'],
    options: async () => ({ ...healthcheckOptions, ...optionsTakenBy('healthcheck', createOptions([])) }),
    load: () => import('./healthcheck.ts'),
  },
  {
    name: 'hook',
    summary: 'Read one event of the agent on standard input, tell people of it and forward it',
    details: async () => [
      'For the agent to run: it always ends with 0, within its deadline, and prints nothing; its problems',
      'are in hook.log in its state folder. hook-config sets the agent up; docs/hooks.md explains it all.',
    ],
    options: async () => hookOptions,
    load: () => import('./hook.ts'),
  },
  {
    name: 'hook-config',
    summary: "Print the configuration that has the agent run hook, or merge it into the agent's own file",
    options: async () => hookConfigOptions,
    load: () => import('./hook-config.ts'),
  },
];

function sharedOptionsOf(
  command: string,
): (collectors: () => Promise<readonly CollectorChoice[]>) => Promise<OptionTable> {
  return async (collectors) => optionsTakenBy(command, createOptions(await collectors()));
}

async function describeFaults(): Promise<readonly string[]> {
  const { faultKinds } = await import('../sandbox/index.ts');
  const longest = Math.max(...faultKinds.map(({ name }) => name.length));
  return ['Faults:', ...faultKinds.map(({ name, meaning }) => `  ${name.padEnd(longest)}  ${meaning}`)];
}
