// The load client, a separate process: runs each requested load and replies with the result.
import type { Load, LoadResult } from '../messages.ts';
import { quantile } from '../report/statistics.ts';
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
  return {
    answers: times.length,
    perSecond: (times.length / (endedAt - startedAt)) * 1000,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    bytes,
  };
}
