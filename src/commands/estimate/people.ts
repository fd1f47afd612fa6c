import type { DayReader } from '../../catalog/collector.ts';
import { addDays, type Day } from '../../catalog/day.ts';
import type { Platform } from '../../catalog/platform.ts';
import type { PeopleSettings } from '../../catalog/settings.ts';
import type { Source } from '../../catalog/source.ts';
import { RANGE_DAYS } from '../../collectors/month-range.ts';
import type { UsersRow } from '../../collectors/users/dataset.ts';
import { DayReducer } from '../../collectors/users/reduce.ts';
import { createLabels, type Identity, identities } from '../../config/people/people.ts';
import { daysDescending } from '../../pipeline/days-to-fetch.ts';
import { readPeopleOf } from '../../platforms/people.ts';

/** How many days are searched for people: nobody may have worked on the newest ones, and platforms report them late. */
const SEARCHED_DAYS = 7;

/** The rows of people in each identity mode, from one fetch. */
export type PeopleByIdentity = ReturnType<typeof createPeopleByIdentity>;

/** Creates the reader, without any rows; teams are those of the settings. */
export function createPeopleByIdentity({ teamOf, teamRules, teamBudgets }: PeopleSettings) {
  const read = new Map<string, Map<Day, UsersRow>>();
  /** Organizations and their days that are read. */
  const answered = new Set<string>();

  function settings(identity: Identity): PeopleSettings {
    // The number of hashes does not depend on the key.
    return { ...createLabels(identity, 'for counting alone'), teamOf, teamRules, teamBudgets };
  }

  return {
    settings,
    /** The fetched days of an organization in an identity mode. */
    days: (org: string, identity: Identity) => withMonth(read.get(`${org}/${identity}`) ?? new Map()),
    /** The platform, whose people are read in every mode at once; where there are none, those of the newest day before that has some. */
    watched(platform: Platform): Platform {
      if (platform.readers.users === undefined) return platform;
      const fetchDays: DayReader<UsersRow>['fetchDays'] = async (source, { to }, org) => {
        let [rejected, bytes] = [0, 0];
        for (const day of daysDescending(addDays(to, 1 - SEARCHED_DAYS), to)) {
          if (day < to && read.has(`${org?.name}/${identities[0]}`)) break;
          if (answered.has(`${org?.name}/${day}`)) continue;
          const listing = await readDay(source, platform, day, org?.name);
          answered.add(`${org?.name}/${day}`);
          rejected += listing.rejected;
          bytes += listing.bytes;
        }
        return { rows: new Map(), lost: 0, remarks: [], rejected, bytes };
      };
      return { ...platform, readers: { ...platform.readers, users: async () => ({ fetchDays }) } };
    },
  };

  /** Reads the people of a day in every mode. */
  async function readDay(source: Source, platform: Platform, day: Day, org: string | undefined) {
    const reducers = identities.map(
      (identity) => [identity, new DayReducer(settings(identity), platform.name)] as const,
    );
    const readPeople = await readPeopleOf(platform);
    if (readPeople === undefined) throw new Error(`${platform.name} has no people`);
    const listing = await readPeople(source, day, (person) => {
      for (const [, reducer] of reducers) reducer.add(person);
    });
    for (const [identity, reducer] of listing.people > 0 ? reducers : []) {
      const key = `${org}/${identity}`;
      const row = await source.inSlices(reducer.finish());
      read.set(key, (read.get(key) ?? new Map()).set(day, row));
    }
    return listing;
  }
}

/** The days with earlier ones on which the teams with a budget used what they did on the newest: their months are known. */
function withMonth(days: ReadonlyMap<Day, UsersRow>): ReadonlyMap<Day, UsersRow> {
  const newest = [...days.keys()].sort().at(-1);
  const row = newest && days.get(newest);
  if (newest === undefined || row?.budgetedTeams === undefined) return days;
  const { identity, teamRules, budgetedTeams } = row;
  const month = new Map<Day, UsersRow>();
  for (let back = 1; back < RANGE_DAYS; back++) {
    month.set(addDays(newest, -back), { identity, teamRules, budgetedTeams });
  }
  return new Map([...month, ...days]);
}
