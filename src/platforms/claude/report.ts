import type { ApiContract } from '../../catalog/api-contract.ts';
import type { FetchedDays, Window } from '../../catalog/collector.ts';
import type { Reduced } from '../../catalog/dataset.ts';
import { withRejected } from '../../catalog/dataset.ts';
import { type Day, daysFrom } from '../../catalog/day.ts';
import type { DayReader } from '../../catalog/platform.ts';
import { IncompleteListing, type Source } from '../../catalog/source.ts';
import { plusSent } from '../../collectors/counts.ts';
import type { ProductivityRow } from '../../collectors/productivity/dataset.ts';
import type { PersonDay, PersonFault } from '../../collectors/users/person-day.ts';
import { peopleReader } from '../people.ts';
import { readOnce } from '../shared.ts';
import { type ListingRequest, readListing } from './listing.ts';
import { costByPerson } from './people-cost.ts';

const FIGURES = [
  'sessions',
  'commits',
  'pullRequests',
  'linesAdded',
  'linesRemoved',
  'suggestionsShown',
  'suggestionsAccepted',
] as const;

/** What somebody, or everybody, did on a day. Null is what was unusable, undefined what was not sent. */
export type Done = Readonly<Record<(typeof FIGURES)[number], number | null | undefined>>;

const NOTHING = Object.fromEntries(FIGURES.map((name) => [name, undefined])) as unknown as Done;

/** A row of a report: what one actor did at one place. */
export interface ActorRow {
  /** The e-mail address in lower case; null if it is unusable, undefined if the actor is no person. */
  readonly email: string | null | undefined;
  readonly isActive: boolean;
  /** Where it was done, if the report says so. */
  readonly client?: string | undefined;
  readonly done: Done;
}

/** Proposed edits: those that were accepted, and all. */
export function suggestionsOf(
  tools: readonly { readonly accepted: number | null; readonly rejected: number | null }[] | undefined,
): Pick<Done, 'suggestionsShown' | 'suggestionsAccepted'> {
  const sum = (amounts: readonly (number | null)[]) =>
    amounts.reduce<number | null | undefined>(plusSent, undefined);
  return {
    suggestionsShown: tools && sum(tools.flatMap(({ accepted, rejected }) => [accepted, rejected])),
    suggestionsAccepted: tools && sum(tools.map(({ accepted }) => accepted)),
  };
}

interface Somebody {
  isActive: boolean;
  done: Done;
}

/** The report of a day, row by row: a person can have several rows, and an actor that is no person has one, too. */
export class Report {
  readonly people = new Map<string, Somebody>();
  readonly clients = new Map<string, Set<string>>();
  all: Done = NOTHING;
  rejected = 0;
  /** Rows of somebody who is unknown, and rows that could not be read at all. */
  unnamed = 0;
  lost = 0;
  bytes = 0;

  add({ email, isActive, client, done }: ActorRow): void {
    this.all = sumOf(this.all, done);
    if (email === null) this.unnamed += 1;
    if (typeof email !== 'string') return;
    const known = this.people.get(email) ?? { isActive: false, done: NOTHING };
    this.people.set(email, { isActive: known.isActive || isActive, done: sumOf(known.done, done) });
    if (client === undefined || !isActive) return;
    const users = this.clients.get(client) ?? new Set();
    this.clients.set(client, users.add(email));
  }

  /** How many people were active; undefined if it is unknown who somebody was, or whether. */
  get active(): number | undefined {
    const people = [...this.people.values()];
    const isUnclear = ({ isActive, done }: Somebody) => !isActive && unusableIn(done).length > 0;
    if (this.unnamed > 0 || people.some(isUnclear)) return undefined;
    return people.filter(({ isActive }) => isActive).length;
  }
}

/** The names of unusable figures. */
export function unusableIn(figures: Readonly<Record<string, number | null | undefined>>): readonly string[] {
  return Object.keys(figures).filter((name) => figures[name] === null);
}

function sumOf(one: Done, other: Done): Done {
  return Object.fromEntries(
    FIGURES.map((name) => [name, plusSent(one[name], other[name])]),
  ) as unknown as Done;
}

/** Whether any figure is above 0. */
export function isAnyDone(done: Done): boolean {
  return FIGURES.some((name) => (done[name] ?? 0) > 0);
}

/** Reads the report of a day as a dataset wants it. */
export type ReadReport = (
  source: Source,
  endpoint: 'activity' | 'productivity' | 'users',
  day: Day,
) => Promise<Report>;

/** Reads a listing into the report of a day; throws if a row of it cannot be read. */
export async function readRows(
  source: Source,
  request: Pick<ListingRequest<Report>, 'endpoint' | 'path' | 'query'>,
  contract: ApiContract,
  rowOf: (sent: unknown) => { readonly row: ActorRow | undefined; readonly rejected: number },
): Promise<Report> {
  const { sum, pages, bytes } = await readListing(source, {
    ...request,
    begin: () => new Report(),
    add(report, rows) {
      source.compare?.(contract, rows);
      for (const sent of rows) {
        const { row, rejected } = rowOf(sent);
        report.rejected += rejected;
        if (row === undefined) report.lost += 1;
        else report.add(row);
      }
    },
  });
  if (sum.lost > 0) throw new IncompleteListing(request.path, 'rows', pages, sum.rejected + sum.lost);
  sum.bytes = bytes;
  return sum;
}

/** The report of a day without its people, in which activity and productivity are. */
export function summaryOf(read: ReadReport) {
  return (source: Source, endpoint: 'activity' | 'productivity', day: Day) =>
    readOnce(source, { endpoint, day }, async () => {
      const report = await read(source, endpoint, day);
      const { all, active, rejected, bytes } = report;
      const clients = [...report.clients].map(([name, { size: count }]) => ({ name, count }));
      return { all, active, clients, isEmpty: all === NOTHING, rejected, bytes };
    });
}

type Summary = Awaited<ReturnType<ReturnType<typeof summaryOf>>>;

/** Reads rows from the reports of some days, newest first; a day on which nobody did anything has none. */
export async function fetchReports<Row extends Reduced>(
  source: Source,
  { from, to }: Window,
  read: (source: Source, day: Day) => Promise<Summary>,
  rowOf: (report: Summary) => { readonly row: Row; readonly faults: readonly string[] },
): Promise<FetchedDays<Row>> {
  const rows = new Map<Day, Row>();
  let [rejected, bytes] = [0, 0];
  for (const day of daysFrom(from, to).toReversed()) {
    const report = await read(source, day);
    rejected += report.rejected;
    bytes += report.bytes;
    if (report.isEmpty) continue;
    const { row, faults } = rowOf(report);
    rows.set(day, withRejected(row, faults));
  }
  return { rows, lost: 0, rejected, bytes, remarks: [] };
}

/** The output of a day, of people and of whoever else did something. */
export function productivityReader(read: ReadReport): DayReader<ProductivityRow> {
  const summary = summaryOf(read);
  return {
    fetchDays: (source, window) =>
      fetchReports<ProductivityRow>(
        source,
        window,
        (of, day) => summary(of, 'productivity', day),
        ({ all }) => {
          const { sessions: _, ...output } = all;
          return { row: usableOf(output), faults: unusableIn(output) };
        },
      ),
  };
}

/** The figures without those that are unusable. */
function usableOf<Name extends string>(figures: Readonly<Record<Name, number | null | undefined>>) {
  const usable = Object.entries<number | null | undefined>(figures).filter(([, value]) => value !== null);
  return Object.fromEntries(usable) as Readonly<Record<Name, number | undefined>>;
}

/** The people of a day with their cost, which another report has: also that of people who only this one names. */
export function usersReader(read: ReadReport) {
  return peopleReader(async (source, day, onPerson) => {
    const report = await read(source, 'users', day);
    if (report.unnamed > 0)
      throw new IncompleteListing('people', 'rows', 1, report.rejected + report.unnamed);
    const costs = await costByPerson(source, day);
    const faults: (readonly PersonFault[])[] = [];
    const emails = new Set([...report.people.keys(), ...costs.byPerson.keys()]);
    await source.inSlices(passOn());
    return {
      ...{ faults, people: costs.isWhole ? emails.size : 0, orgId: undefined },
      rejected: report.rejected + costs.rejected,
      bytes: report.bytes + costs.bytes,
      unready: new Set(costs.isWhole ? [] : [day]),
    };

    function* passOn(): Generator<void, void> {
      let passed = 0;
      for (const id of costs.isWhole ? emails : []) {
        onPerson(personOf(id));
        passed += 1;
        if (passed % AT_ONCE === 0) yield;
      }
    }

    function personOf(id: string): PersonDay {
      const { isActive = false, done = NOTHING } = report.people.get(id) ?? {};
      const cost = costs.byPerson.has(id) ? costs.byPerson.get(id) : costs.otherwise;
      const unusable = FAULTS.flatMap(([name, fault]) => (done[name] === null ? [fault] : []));
      // An entry, even an empty one, says that somebody is not known wholly.
      if (unusable.length > 0) faults.push(unusable);
      if (cost === null) faults.push(['cost']);
      return {
        person: { id, email: id.includes('@') ? id : undefined },
        isActive,
        cost: cost ?? undefined,
        sessions: done.sessions ?? undefined,
        commits: done.commits ?? undefined,
        pullRequests: done.pullRequests ?? undefined,
      };
    }
  });
}

const FAULTS = [
  ['sessions', 'isActive'],
  ['commits', 'commits'],
  ['pullRequests', 'pullRequests'],
] as const;

/** People who are passed on at once. */
const AT_ONCE = 500;
