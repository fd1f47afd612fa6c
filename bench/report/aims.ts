import type { ServerName, ServerResult } from '../sections/comparison.ts';
import type { ServingResult } from '../sections/serving.ts';
import type { SizeResult } from '../sections/size.ts';
import type { StartingResult } from '../sections/starting.ts';
import { type Spread, spreadOf } from './statistics.ts';
import { grouped, renderTable, shownSpread } from './table.ts';

/** A target, and the measured value. With a spread, the worse end of it must reach the target. */
export interface Aim {
  readonly what: string;
  readonly aim: string;
  readonly measured: string;
  /** Undefined if the measurement does not tell. */
  readonly reached: boolean | undefined;
}

const LARGE = 100_000;
const HUGE = 1_000_000;
const REGISTRIES = [
  ['prom-client', 'express with prom-client'],
  ['client_golang', 'client_golang'],
] as const;
/** From this share of its loads in which it ran or waited for a core, a server was what limited them. */
const SATURATED = 0.9;
/** A measured number of series may exceed a round one by this factor and still belong to it. */
const SLACK = 1.05;
const MIB = 2 ** 20;

function ratioTo({ servers }: SizeResult, name: ServerName): Spread | undefined {
  return servers.find((server) => server.name === name)?.ratio;
}

/** The targets for one number of series. */
export function aimsOf(result: SizeResult): readonly Aim[] {
  const { series, stall } = result.publishing;
  const at = `at ${grouped(series)} series`;
  const large = series >= LARGE / SLACK;
  const aims = large
    ? [atLeast(`scrapes ${at} against bare node:http`, 0.85, ratioTo(result, 'node:http'))]
    : [atLeast(`scrapes ${at} against a bare express route`, 0.8, ratioTo(result, 'express'))];
  for (const [name, text] of REGISTRIES) {
    const ratio = ratioTo(result, name);
    if (large && ratio !== undefined) aims.push(atLeast(`scrapes ${at} against ${text}`, 500, ratio));
  }
  if (series <= HUGE * SLACK) {
    const few = series <= LARGE * SLACK;
    aims.push(
      below(`longest stall while publishing ${at}`, few ? 50 : 100, stall, 'ms'),
      below(`peak of resident memory ${at}`, few ? 150 : 700, result.peak / MIB, 'MiB'),
    );
  }
  return aims;
}

/** The targets for the running service. */
export function servingAims({ series, idle, polling }: ServingResult): readonly Aim[] {
  const [name, text] =
    series >= LARGE / SLACK
      ? (['node:http', 'bare node:http'] as const)
      : (['express', 'a bare express route'] as const);
  const found = (servers: readonly ServerResult[]) => servers.find((server) => server.name === name);
  const at = `of the running service at ${grouped(series)} series against ${text}`;
  const scrapes = atLeast(`scrapes ${at}`, 0.9, found(idle)?.ratio);
  const isJudged = [idle[0], found(idle)].every((server) => (server?.wanted ?? 0) >= SATURATED);
  return [
    isJudged ? scrapes : { ...scrapes, reached: undefined },
    atLeast(`scrapes per CPU second ${at}`, 0.9, found(idle)?.cpuRatio),
    atLeast(`scrapes ${at}, while polling`, 0.9, found(polling)?.ratio),
  ];
}

/** The targets for start-up. */
export function startingAims({ exporter, first }: StartingResult): readonly Aim[] {
  return [
    below('start to the first answered scrape', 1000, exporter, 'ms'),
    below('the same, first start on a machine', 1000, first, 'ms'),
  ];
}

export function renderAims(aims: readonly Aim[]): string {
  const rows = aims.map(({ what, aim, measured, reached }) => [
    what,
    aim,
    measured,
    reached === undefined ? 'not judged' : reached ? 'yes' : '**no**',
  ]);
  return renderTable(['what', 'aim', 'measured', 'reached'], rows);
}

/** A target for which more is better. */
export function atLeast(what: string, aim: number, measured: Measured = Number.NaN, unit = '×'): Aim {
  const spread = spreadFrom(measured);
  return {
    what,
    aim: `≥ ${numeral(aim)} ${unit}`,
    measured: `${shownSpread(spread)} ${unit}`,
    reached: spread.lower >= aim,
  };
}

/** A target for which less is better. */
export function below(what: string, aim: number, measured: Measured, unit: string): Aim {
  const spread = spreadFrom(measured);
  const reached = spread.upper < aim;
  return { what, aim: `< ${aim} ${unit}`, measured: `${shownSpread(spread)} ${unit}`, reached };
}

/** A figure of several rounds, or a single one. */
type Measured = Spread | number;

function spreadFrom(measured: Measured): Spread {
  return typeof measured === 'number' ? spreadOf([measured]) : measured;
}

function numeral(aim: number): string {
  return aim >= LARGE ? grouped(aim) : String(aim);
}
