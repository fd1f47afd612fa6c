import type { DayReader, FetchedDays } from '../catalog/collector.ts';
import type { Day } from '../catalog/day.ts';
import type { Platform } from '../catalog/platform.ts';
import { ANONYMOUS } from '../catalog/settings.ts';
import type { Source } from '../catalog/source.ts';
import type { UsersRow } from '../collectors/users/dataset.ts';
import type { PersonDay, PersonFault } from '../collectors/users/person-day.ts';
import { DayReducer, withoutShortSums } from '../collectors/users/reduce.ts';

/** What was read of the people of one day. */
interface PeopleListing extends Omit<FetchedDays<UsersRow>, 'rows' | 'remarks' | 'lost'> {
  readonly people: number;
  /** What each unusable field makes unknown. */
  readonly faults: readonly (readonly PersonFault[])[];
}

/** Reads the people of one day and passes on each person once; throws if the listing is incomplete. */
type ReadPeople = (source: Source, day: Day, onPerson: (person: PersonDay) => void) => Promise<PeopleListing>;

/** A reader of the people of a day, who can also be passed on without being reduced to a row. */
interface PeopleReader extends DayReader<UsersRow> {
  readonly readPeople: ReadPeople;
}

/** Reduces the people of the last day of a window to a row; throws if the listing is incomplete. */
export function peopleReader(readPeople: ReadPeople): PeopleReader {
  return {
    readPeople,
    async fetchDays(source, { to: day }, settings) {
      const reducer = new DayReducer(settings?.people ?? ANONYMOUS, settings?.platform);
      const { people, faults, ...listing } = await readPeople(source, day, (person) => reducer.add(person));
      const rows = new Map<Day, UsersRow>();
      if (people > 0) rows.set(day, withoutShortSums(await source.inSlices(reducer.finish()), faults));
      return { ...listing, lost: 0, rows, remarks: [] };
    },
  };
}

/** People who are looked at before other work goes on. */
export const PEOPLE_AT_ONCE = 500;

/** Passes on people, some at a time, so that other work goes on. */
export async function passOn(
  source: Source,
  people: Iterable<PersonDay>,
  onPerson: (person: PersonDay) => void,
) {
  await source.inSlices(each());

  function* each(): Generator<void, void> {
    let passed = 0;
    for (const person of people) {
      onPerson(person);
      passed += 1;
      if (passed % PEOPLE_AT_ONCE === 0) yield;
    }
  }
}

/** How a platform's people are read; undefined if it tells of none. */
export async function readPeopleOf({ readers }: Platform): Promise<ReadPeople | undefined> {
  const reader = (await readers.users?.()) as PeopleReader | undefined;
  return reader?.readPeople;
}
