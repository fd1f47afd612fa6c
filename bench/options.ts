import { parseArgs } from 'node:util';

/** What is measured, and how long. */
export interface BenchOptions {
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** Length of one load, in milliseconds. */
  readonly milliseconds: number;
  readonly connections: number;
  readonly publishings: number;
  readonly starts: number;
  /** Whether the page of figures is written. */
  readonly write: boolean;
}

const USAGE = `npm run bench -- [options]
  --series 1000,100000   numbers of series to measure (default 1000,100000,1000000)
  --rounds 5             rounds of load, of which the median counts
  --seconds 2            length of one load on one server
  --connections 4        connections that the load client keeps
  --quick                one short round at 1000 series: shows that everything runs
  --write                write docs/BENCHMARKS.md too`;

/** Reads the command line; throws with the usage where it cannot be used. */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parse(args);
  const quick = values.quick === true;
  return {
    sizes: (values.series ?? (quick ? '1000' : '1000,100000,1000000')).split(',').map(positive),
    rounds: positive(values.rounds ?? (quick ? '1' : '5')),
    milliseconds: positive(values.seconds ?? (quick ? '0.1' : '2')) * 1000,
    connections: positive(values.connections ?? '4'),
    publishings: quick ? 2 : 6,
    starts: quick ? 1 : 15,
    write: values.write === true,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        series: { type: 'string' },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        connections: { type: 'string' },
        quick: { type: 'boolean' },
        write: { type: 'boolean' },
      },
    });
  } catch {
    throw new Error(USAGE);
  }
}

function positive(text: string): number {
  const number = Number(text);
  if (!(number > 0 && Number.isFinite(number))) throw new Error(USAGE);
  return number;
}
