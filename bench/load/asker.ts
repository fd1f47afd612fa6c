// Asks a program for its page and its health at intervals, in a process of its own that nothing else can block.
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answered, Asking } from '../messages.ts';
import { quantile } from '../report/statistics.ts';
import { sayReady } from '../servers/process.ts';

/** How often each of the two routes is asked, in milliseconds. */
const EVERY_MS = 50;
const ROUTES = [
  ['/metrics', { 'accept-encoding': 'gzip' }],
  ['/-/healthy', {}],
] as const;

let times: number[] = [];
let ends = false;
let asking: Promise<unknown> = Promise.resolve();

process.on('message', async ({ port }: Asking) => {
  if (port !== undefined) {
    times = [];
    ends = false;
    const agent = new Agent({ keepAlive: true });
    asking = Promise.all(
      ROUTES.map(([route, headers]) => knock(`http://127.0.0.1:${port}${route}`, headers, agent)),
    ).finally(() => agent.destroy());
    process.send?.({});
    return;
  }
  ends = true;
  await asking;
  const answered: Answered = { p99: quantile(times, 0.99), slowest: Math.max(...times) };
  process.send?.(answered);
});
process.on('disconnect', () => process.exit());
sayReady(0);

/** Asks until the end; a connection that is refused does not count. */
async function knock(url: string, headers: Readonly<Record<string, string>>, agent: Agent): Promise<void> {
  while (!ends) {
    const askedAt = performance.now();
    if (await isAnswered(url, headers, agent)) times.push(performance.now() - askedAt);
    await pause(EVERY_MS);
  }
}

function isAnswered(url: string, headers: Readonly<Record<string, string>>, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent, headers }, (response) => {
      response
        .resume()
        .once('end', () => resolve(true))
        .once('error', () => resolve(false));
    }).once('error', () => resolve(false));
  });
}
