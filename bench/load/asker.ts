// Asks a program for its page and its health at intervals, in a process of its own that nothing else can block.
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** Asks the program at that port from now on; without a port, ends that and reports the times of the answers. */
export interface Asking {
  readonly port?: number;
}

/** Milliseconds of each complete answer. */
export interface Answered {
  readonly times: readonly number[];
}

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
  process.send?.({ times } satisfies Answered);
});
process.on('disconnect', () => process.exit());
process.send?.({ port: 0 });

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
