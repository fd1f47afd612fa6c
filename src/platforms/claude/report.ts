import type { FetchedDays, Window } from '../../catalog/collector.ts';
import { type Reduced, withRejected } from '../../catalog/dataset.ts';
import type { Day } from '../../catalog/day.ts';
import type { DayReader } from '../../catalog/platform.ts';
import { IncompleteListing, type Source } from '../../catalog/source.ts';
import { plusSent } from '../../collectors/counts.ts';
import type { ProductivityRow } from '../../collectors/productivity/dataset.ts';
import type { PersonDay, PersonFault } from '../../collectors/users/person-day.ts';
import { passOn, peopleReader } from '../people.ts';
import { readDays, readOnce } from '../shared.ts';
import { type Listing, readListing } from './listing.ts';
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

type Figures<Name extends string> = Readonly<Record<Name, number | null | undefined>>;

/** What somebody, or everybody, did on a day. Null is what was unusable, undefined what was not sent. */
export type Done = Figures<(typeof FIGURES)[number]>;

/** A row of a report: what one actor did at one place. */
export interface ActorRow {
  /** The day that it is about, if it says so. */
  readonly day?: Day;
  /** The e-mail address in lower case; null if it is unusable, undefined if the actor is no person. */
  readonly email: string | null | undefined;
  readonly isActive: boolean;
  /** Where it was done, if the report says so. */
  readonly client?: string;
  readonly done: Done;
}

/** How the report of a day is asked for. */
export interface DailyReport extends Pick<Listing<ActorRow, never>, 'path' | 'schema' | 'contract'> {
  /** The parameter of the day. */
  readonly dayParameter: string;
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

/** Whether any figure is above 0. */
export function isAnyDone(done: Done): boolean {
  return FIGURES.some((name) => (done[name] ?? 0) > 0);
}

/** The names of unusable figures. */
export function unusableIn(figures: Readonly<Record<string, number | null | undefined>>): string[] {
  return Object.keys(figures).filter((name) => figures[name] === null);
}

const NOTHING = Object.fromEntries(FIGURES.map((name) => [name, undefined])) as unknown as Done;

function sumOf(one: Done, other: Done): Done {
  return Object.fromEntries(
    FIGURES.map((name) => [name, plusSent(one[name], other[name])]),
  ) as unknown as Done;
}

interface Somebody {
  readonly isActive: boolean;
  readonly done: Done;
}

const NOBODY: Somebody = { isActive: false, done: NOTHING };

/** The report of a day, row by row: a person can have several rows, and an actor that is no person has one, too. */
class Report {
  readonly people = new Map<string, Somebody>();
  readonly clients = new Map<string, Set<string>>();
  all = NOTHING;
  /** Rows of somebody who is unknown. */
  unnamed = 0;

  add({ email, isActive, client, done }: ActorRow): void {
    this.all = sumOf(this.all, done);
    if (email === null) this.unnamed += 1;
    if (typeof email !== 'string') return;
    const known = this.people.get(email) ?? NOBODY;
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

async function readReport(
  source: Source,
  endpoint: 'activity' | 'productivity' | 'users',
  { dayParameter, ...listing }: DailyReport,
  day: Day,
) {
  return readListing(source, {
    ...listing,
    endpoint,
    query: { [dayParameter]: day },
    begin: () => new Report(),
    add(report, row) {
      report.add(row);
      return row.day === undefined || row.day === day;
    },
  });
}

/** The report of a day without its people, in which activity and productivity are. */
export function summaryOf(
  report: DailyReport,
  source: Source,
  endpoint: 'activity' | 'productivity',
  day: Day,
) {
  return readOnce(source, { endpoint, day }, async () => {
    const { sum, rejected, bytes } = await readReport(source, endpoint, report, day);
    const clients = [...sum.clients].map(([name, { size: count }]) => ({ name, count }));
    return { all: sum.all, active: sum.active, clients, rejected, bytes };
  });
}

type Summary = Awaited<ReturnType<typeof summaryOf>>;

/** Whether nobody is in a report: nobody did anything on its day. */
export function isEmpty(report: Summary): boolean {
  return report.all === NOTHING;
}

/** Reads rows from the reports of some days, newest first; a day on which nobody did anything has none. */
export async function fetchReports<Row extends Reduced>(
  window: Window,
  read: (day: Day) => Promise<Summary>,
  rowOf: (report: Summary) => { readonly row: Row; readonly faults: readonly string[] },
): Promise<FetchedDays<Row>> {
  return readDays(window, async (day) => {
    const report = await read(day);
    const { rejected, bytes } = report;
    if (isEmpty(report)) return { rejected, bytes };
    const { row, faults } = rowOf(report);
    return { rejected, bytes, row: withRejected(row, faults) };
  });
}

/** The output of a day, of people and of whoever else did something. */
export function productivityReader(report: DailyReport): DayReader<ProductivityRow> {
  return {
    fetchDays: (source, window) =>
      fetchReports<ProductivityRow>(
        window,
        (day) => summaryOf(report, source, 'productivity', day),
        ({ all: { sessions: _, ...output } }) => ({ row: usableOf(output), faults: unusableIn(output) }),
      ),
  };
}

/** The figures without those that are unusable. */
function usableOf<Name extends string>(figures: Figures<Name>) {
  const usable = Object.entries<number | null | undefined>(figures).filter(([, value]) => value !== null);
  return Object.fromEntries(usable) as Readonly<Record<Name, number | undefined>>;
}

const PERSON_FIGURES = ['sessions', 'commits', 'pullRequests'] as const;

/** The people of a day with their cost, which another report has: also that of people who only this one names. */
export function usersReader(report: DailyReport) {
  return peopleReader(async (source, day, onPerson) => {
    const costs = await costByPerson(source, day);
    const faults: (readonly PersonFault[])[] = [];
    const nobody = { faults, people: 0, orgId: undefined, rejected: costs.rejected, bytes: costs.bytes };
    if (!costs.isWhole) return { ...nobody, unready: new Set([day]) };
    const { sum, rejected, bytes } = await readReport(source, 'users', report, day);
    if (sum.unnamed > 0) throw new IncompleteListing('people', 'rows', 1, rejected + sum.unnamed);
    const ids = new Set([...sum.people.keys(), ...costs.byPerson.keys()]);
    await passOn(source, ids.values().map(personOf), onPerson);
    return {
      ...nobody,
      people: ids.size,
      rejected: costs.rejected + rejected,
      bytes: costs.bytes + bytes,
    };

    function personOf(id: string): PersonDay {
      const { isActive, done } = sum.people.get(id) ?? NOBODY;
      const cost = costs.byPerson.has(id) ? costs.byPerson.get(id) : costs.otherwise;
      const figures = Object.fromEntries(PERSON_FIGURES.map((name) => [name, done[name]])) as Figures<
        (typeof PERSON_FIGURES)[number]
      >;
      const unusable = unusableIn({ ...figures, cost }) as PersonFault[];
      // Whoever did nothing else may have been active.
      if (!isActive && unusableIn(done).length > 0) unusable.push('isActive');
      if (unusable.length > 0) faults.push(unusable);
      return {
        person: { id, email: id.includes('@') ? id : undefined },
        isActive,
        cost: cost ?? undefined,
        ...usableOf(figures),
      };
    }
  });
}
