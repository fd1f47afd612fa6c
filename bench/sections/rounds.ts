import type { Child, Listener } from '../child.ts';
import { addUp, type MeasuredLoad, type Round } from '../load/round.ts';
import type { Turn } from '../load/turns.ts';
import type { Load, LoadResult } from '../messages.ts';
import { ranSecondsOf, wantedSecondsOf } from '../usage.ts';

interface RoundsOptions<Name> {
  /** The load client. */
  readonly client: Child;
  readonly connections: number;
  readonly servers: ReadonlyMap<Name, Listener>;
  /** A first round, which does not count. */
  readonly warmUp: readonly Turn<Name>[];
  readonly turns: readonly Turn<Name>[];
  readonly rounds: number;
}

/** Minimum number of answers per load, for answers that take a large part of a second. */
const MIN_ANSWERS = 4;

/** Runs the turns of each round; returns the rounds of each server. */
export async function runRounds<Name>(
  options: RoundsOptions<Name>,
): Promise<ReadonlyMap<Name, readonly Round[]>> {
  const { servers, warmUp, turns, rounds } = options;
  await runRound(options, warmUp);
  const results = new Map([...servers.keys()].map((name): [Name, Round[]] => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const loads = await runRound(options, turns);
    for (const [name, found] of results) found.push(addUp(loads.get(name) ?? []));
  }
  return results;
}

async function runRound<Name>(
  { client, connections, servers }: RoundsOptions<Name>,
  turns: readonly Turn<Name>[],
): Promise<ReadonlyMap<Name, readonly MeasuredLoad[]>> {
  const loads = new Map<Name, MeasuredLoad[]>();
  for (const { name, milliseconds, begin } of turns) {
    const server = servers.get(name);
    if (server === undefined) throw new Error(`${String(name)} is not running`);
    const load: Load = { port: server.port, connections, milliseconds, minAnswers: MIN_ANSWERS };
    const measured = await measureLoad(server.pid, async () => {
      await begin?.();
      return client.ask<LoadResult>(load);
    });
    loads.set(name, [...(loads.get(name) ?? []), measured]);
  }
  return loads;
}

/** What a server has used before its load and after it belongs to none. */
async function measureLoad(pid: number, run: () => Promise<LoadResult>): Promise<MeasuredLoad> {
  const [cpu, wanted] = [ranSecondsOf(pid), wantedSecondsOf(pid)];
  const result = await run();
  return { ...result, cpuSeconds: ranSecondsOf(pid) - cpu, wantedSeconds: wantedSecondsOf(pid) - wanted };
}
