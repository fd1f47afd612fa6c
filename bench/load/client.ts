// The load client, a separate process: runs each requested load and replies with the result.
import type { Load, LoadResult } from '../messages.ts';
import { type Connection, openConnection } from './connection.ts';
import { createConnections } from './connections.ts';

const kept = createConnections({ open: openConnection, now: () => performance.now() });

process.on('message', async (load: Load) => {
  const connections = await kept.take(load.port, load.connections);
  const result = await run(connections, load);
  kept.keep(load.port, connections);
  process.send?.(result);
});
process.on('disconnect', () => process.exit());
process.send?.({ port: 0 });

async function run(
  connections: readonly Connection[],
  { milliseconds, minAnswers }: Load,
): Promise<LoadResult> {
  const times: number[] = [];
  const startedAt = performance.now();
  let endedAt = startedAt;
  let bytes = 0;
  function onAnswer(took: number, length: number): boolean {
    times.push(took);
    bytes = length;
    endedAt = performance.now();
    return endedAt - startedAt < milliseconds || times.length < minAnswers;
  }
  await Promise.all(connections.map((connection) => connection.scrapeRepeatedly(onAnswer)));
  return { seconds: (endedAt - startedAt) / 1000, times: times.map(toMicroseconds), bytes };
}

/** Rounded to microseconds, which are far shorter as text than the clock's digits. */
function toMicroseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
