import type { Child, Listener } from '../child.ts';
import { CORES, canDivide, moveToAnyCore, moveToCore } from '../cores.ts';
import type { Round } from '../load/round.ts';
import { turnsOf } from '../load/turns.ts';
import { median, ratiosOf, type Spread } from '../report/statistics.ts';
import { memoryOf } from '../usage.ts';
import { runRounds } from './rounds.ts';

/** The servers to compare. */
export type ServerName = 'exporter' | 'node:http' | 'express' | 'prom-client' | 'client_golang';

export interface ComparingOptions {
  readonly rounds: number;
  /** Time for which each server is loaded in a round. */
  readonly milliseconds: number;
  readonly connections: number;
  /**
   * What the exporter has to do in each round, and how long its load in it is, with loads of the others before and after
   * it; nothing by default.
   */
  readonly work?: { start(): Promise<void>; readonly milliseconds: number };
}

/** The results of a server: medians of its rounds, and the spread of the ratio; times in milliseconds. */
export interface ServerResult {
  readonly name: ServerName;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** The exporter's scrapes per second relative to this server's in the same round. */
  readonly ratio: Spread;
  /** CPU milliseconds of all threads per scrape. */
  readonly cpuMs: number;
  /** This server's CPU time per scrape relative to the exporter's in the same round. */
  readonly cpuRatio: Spread;
  /** The share of its loads in which its main thread ran or waited for a core: 1 if nothing but the server was slow. */
  readonly wanted: number;
  /** Bytes of an answer's body. */
  readonly bytes: number;
  /** Resident memory after the load, in bytes. */
  readonly resident: number;
}

/** Servers whose answers may take seconds at many series. */
const REGISTRIES: ReadonlySet<ServerName> = new Set(['prom-client', 'client_golang']);

/** Runs the rounds on servers of which the exporter is one. */
export async function compareServers(
  client: Child,
  servers: ReadonlyMap<ServerName, Listener>,
  { rounds, milliseconds, connections, work }: ComparingOptions,
): Promise<readonly ServerResult[]> {
  const alternating = [...servers.keys()].filter((name) => !REGISTRIES.has(name));
  const whole = [...servers.keys()].filter((name) => REGISTRIES.has(name));
  const warmUp = turnsOf({ alternating, whole, milliseconds });
  const turns =
    work === undefined
      ? warmUp
      : turnsOf({
          alternating: alternating.filter((name) => name !== 'exporter'),
          between: { name: 'exporter', milliseconds: work.milliseconds, begin: work.start },
          whole,
          milliseconds,
        });
  // What is polled may use all processors.
  const divides = work === undefined && canDivide();
  const pids = alternating.flatMap((name) => servers.get(name)?.pid ?? []);
  if (divides) moveApart(client.pid, pids);
  const results = await runRounds({ client, connections, servers, warmUp, turns, rounds });
  if (divides) for (const pid of pids) moveToAnyCore(pid);
  const exporter = results.get('exporter') ?? [];
  return [...servers].map(([name, { pid }]) => {
    const own = results.get(name) ?? [];
    return {
      ...{ name, ...mediansOf(own), resident: memoryOf(pid).resident },
      ratio: ratiosOf(exporter.map(speed), own.map(speed)),
      cpuRatio: ratiosOf(own.map(cost), exporter.map(cost)),
    };
  });
}

/** Client and servers on different processors, because sending the same bytes costs up to twice as much there. */
function moveApart(client: number, servers: readonly number[]): void {
  moveToCore(CORES.peer, client);
  for (const server of servers) moveToCore(CORES.measured, server);
}

const FIGURES = ['perSecond', 'p50', 'p99', 'bytes', 'cpuMs', 'wanted'] as const;

function mediansOf(rounds: readonly Round[]): Pick<Round, (typeof FIGURES)[number]> {
  const medians = FIGURES.map((figure) => [figure, median(rounds.map((round) => round[figure]))] as const);
  return Object.fromEntries(medians) as Pick<Round, (typeof FIGURES)[number]>;
}

function speed({ perSecond }: Round): number {
  return perSecond;
}

function cost({ cpuMs }: Round): number {
  return cpuMs;
}
