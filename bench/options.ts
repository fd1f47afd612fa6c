import { parseArgs } from 'node:util';
import type { OrganizationsSize } from './sections/organizations.ts';
import type { PastSize } from './workload/past.ts';
import type { YearSize } from './workload/year.ts';

/** The sections that can be measured on their own. */
export type Part =
  | 'scrape'
  | 'backfill'
  | 'sync'
  | 'hook'
  | 'executable'
  | 'users'
  | 'panels'
  | 'organizations'
  | 'replicas';

/** What is measured, and for how long. */
export interface BenchOptions {
  readonly parts: readonly Part[];
  readonly sizes: readonly number[];
  readonly rounds: number;
  /** Time for which each server is loaded in a round, in milliseconds. */
  readonly milliseconds: number;
  readonly connections: number;
  /** Rounds in which the running service polls everything once, and the length of its load in each, in milliseconds. */
  readonly pollingRounds: number;
  readonly pollingMilliseconds: number;
  readonly publishings: number;
  readonly starts: number;
  /** Sizes of the backfills to files and by remote write, the largest last, and the number of repetitions. */
  readonly toFiles: readonly PastSize[];
  readonly byRemoteWrite: readonly PastSize[];
  readonly backfills: number;
  /** Days of the first sync, and the number of repetitions. */
  readonly syncedDays: number;
  readonly syncs: number;
  /** How often the hook command is run in each variant. */
  readonly hookRuns: number;
  /** People of the organization whose listing is read, and the number of repetitions. */
  readonly users: number;
  readonly readings: number;
  /** The organizations whose dashboards are queried over a year, and the number of repetitions. */
  readonly year: YearSize;
  readonly queried: number;
  /** Organizations in one process, and the days of each; the first are of a few days, the largest last. */
  readonly organizations: readonly OrganizationsSize[];
  /** Rounds of those whose CPU times are compared. */
  readonly organizationRounds: number;
  /** Of one process, and of several on one database. */
  readonly replicated: OrganizationsSize;
  /** Whether the page of results is written. */
  readonly write: boolean;
}

const USAGE = `npm run bench -- [options]
  --series 1000,100000   numbers of series to measure (default 1000,100000,1000000)
  --rounds 7             rounds of load, of which the median counts
  --seconds 1.5          time for which each server is loaded in a round
  --connections 4        connections that the load client keeps
  --organizations 100x15 organizations in one process and their days, 15 by default; the last is that of the replicas
  --quick                one short round at 1000 series: shows that everything runs
  --only scrape          scrapes and the start alone; or backfill, sync, hook, executable, users, panels, organizations or replicas; may be given several times
  --write                write docs/BENCHMARKS.md too; not with --only`;

const PARTS: readonly Part[] = [
  'scrape',
  'backfill',
  'sync',
  'hook',
  'executable',
  'users',
  'panels',
  'organizations',
  'replicas',
];
/** Replicas need PostgreSQL and much time: they are measured by --only replicas. */
const BY_DEFAULT = PARTS.filter((name) => name !== 'replicas');
const TO_FILES: readonly PastSize[] = [
  { series: 1000, days: 30 },
  { series: 1000, days: 300 },
  { series: 1000, days: 1500 },
  { series: 20_000, days: 300 },
];
/** Short and long ones: V8 compiles as much code for either. */
const BY_REMOTE_WRITE: readonly PastSize[] = [
  { series: 1000, days: 300 },
  { series: 1000, days: 1500 },
  { series: 20_000, days: 30 },
  { series: 20_000, days: 150 },
];
/** Of these, slightly more than twenty thousand are active on a working day: two hundred pages. */
const USERS = 42_000;
const YEAR: YearSize = { days: 365, orgs: 2, models: 60, repos: 500, people: 1000 };
const QUICK_YEAR: YearSize = { days: 3, orgs: 1, models: 2, repos: 2, people: 2 };
/** A few days, nearly a year, and twice as many as one process is meant for. */
const ORGANIZATIONS = '1,10,50,100,500,1x310,10x310,100x310,500x310,1000';
const REPLICATED: OrganizationsSize = { organizations: 500, days: 15 };
const QUICK_PAST: readonly PastSize[] = [{ series: 1000, days: 3 }];

/** Parses the command line; throws an error with the usage if it is invalid. */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parse(args);
  const quick = values.quick === true;
  if (values.write === true && values.only !== undefined) throw new Error(USAGE);
  const organizations = (values.organizations ?? (quick ? '1x3,3x3' : ORGANIZATIONS)).split(',').map(size);
  return {
    parts: values.only?.map(part) ?? BY_DEFAULT,
    sizes: (values.series ?? (quick ? '1000' : '1000,100000,1000000')).split(',').map(positive),
    rounds: positive(values.rounds ?? (quick ? '1' : '7')),
    milliseconds: positive(values.seconds ?? (quick ? '0.1' : '1.5')) * 1000,
    connections: positive(values.connections ?? '4'),
    pollingRounds: quick ? 1 : 3,
    pollingMilliseconds: quick ? 300 : 30_000,
    publishings: quick ? 2 : 6,
    starts: quick ? 1 : 15,
    toFiles: quick ? QUICK_PAST : TO_FILES,
    byRemoteWrite: quick ? QUICK_PAST : BY_REMOTE_WRITE,
    backfills: quick ? 1 : 5,
    syncedDays: quick ? 10 : 310,
    syncs: quick ? 1 : 5,
    hookRuns: quick ? 1 : 40,
    users: quick ? 300 : USERS,
    readings: quick ? 1 : 3,
    year: quick ? QUICK_YEAR : YEAR,
    queried: quick ? 1 : 3,
    organizations,
    organizationRounds: quick ? 1 : 3,
    replicated:
      (quick || values.organizations !== undefined ? organizations.at(-1) : undefined) ?? REPLICATED,
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
        organizations: { type: 'string' },
        connections: { type: 'string' },
        only: { type: 'string', multiple: true },
        quick: { type: 'boolean' },
        write: { type: 'boolean' },
      },
    });
  } catch {
    throw new Error(USAGE);
  }
}

function part(text: string): Part {
  const found = PARTS.find((name) => name === text);
  if (found === undefined) throw new Error(USAGE);
  return found;
}

/** `100x15`, or `100` for the days that most sizes have. */
function size(text: string): OrganizationsSize {
  const [organizations = '', days = String(REPLICATED.days)] = text.split('x');
  return { organizations: positive(organizations), days: positive(days) };
}

function positive(text: string): number {
  const number = Number(text);
  if (!(number > 0 && Number.isFinite(number))) throw new Error(USAGE);
  return number;
}
