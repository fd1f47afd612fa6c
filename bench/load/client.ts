// The load client, a separate process: runs each requested load and replies with the scrapes per second.
import { type Connection, openConnection } from './connection.ts';

/** A load to run. */
export interface Load {
  readonly port: number;
  readonly connections: number;
  readonly milliseconds: number;
}

/** The answers to a load, those before it that are not counted in its time included. */
export interface Loaded {
  readonly answers: number;
  /** From the first request's first byte to the last answer's last. */
  readonly perSecond: number;
}

/** The load continues beyond its time until there are this many answers: one may take a large part of a second. */
const MIN_ANSWERS = 4;

process.on('message', async ({ port, connections: count, milliseconds }: Load) => {
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(port)));
  // The first answer on each is not counted: a short load must not measure connecting.
  await Promise.all(connections.map((connection) => connection.scrapeRepeatedly(() => false)));
  const { answers, perSecond } = await run(connections, milliseconds);
  for (const connection of connections) connection.close();
  process.send?.({ answers: answers + count, perSecond } satisfies Loaded);
});
process.on('disconnect', () => process.exit());
process.send?.({ port: 0 });

async function run(connections: readonly Connection[], milliseconds: number): Promise<Loaded> {
  const startedAt = performance.now();
  let endedAt = startedAt;
  let answers = 0;
  function onAnswer(): boolean {
    answers += 1;
    endedAt = performance.now();
    return endedAt - startedAt < milliseconds || answers < MIN_ANSWERS;
  }
  await Promise.all(connections.map((connection) => connection.scrapeRepeatedly(onAnswer)));
  return { answers, perSecond: (answers * 1000) / (endedAt - startedAt) };
}
