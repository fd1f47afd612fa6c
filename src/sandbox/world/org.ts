import { type Day, daysFrom, firstDay } from '../calendar.ts';
import { createRecent } from '../lru-cache.ts';
import { hex, mix, textSeed } from '../random.ts';
import { createReadinessListing } from '../readiness/listing.ts';
import { createRepositories } from '../readiness/repositories.ts';
import { type Role, roles } from '../types.ts';
import { type Conditions, conditionsOn } from './conditions.ts';
import { createPeople, type Person } from './people.ts';
import { presence } from './person-day.ts';
import { type Totals, totalsOn } from './totals.ts';

interface OrgSize {
  readonly users: number;
  readonly repos: number;
}

interface RecentEvents {
  readonly spikeOn: Day | undefined;
  /** The newest readiness report before this instant has a low score. */
  readonly dropBefore: number | undefined;
  /** Whether somebody is at work on every day, and no agent is ever stuck in a loop. */
  readonly steady?: boolean;
}

const names = ['acme', 'globex', 'initech', 'umbrella', 'hooli'];

/** One organization and all its days, which can be requested in any order. */
export type Org = ReturnType<typeof createOrg>;

/** Creates the organization of that index; `editionOf` returns the number of revisions of a day's figures. */
export function createOrg(
  index: number,
  seed: number,
  size: OrgSize,
  editionOf: (day: Day, org: string) => number,
  { spikeOn, dropBefore, steady = false }: RecentEvents,
) {
  const name = names[index] ?? `org-${index}`;
  const orgSeed = mix(seed, textSeed(name));
  const small = size.users < 200 && !steady;
  const temper = { name, seed: orgSeed, small, steady, spikeOn };
  const people = createPeople(name, orgSeed, size.users);
  const repositories = createRepositories(name, orgSeed, size.repos);
  const conditionsOfDays = createRecent<Conditions>(512);
  const totals = createRecent<Totals>(512);
  const presences = createRecent<Uint8Array>(64);

  function conditions(day: Day): Conditions {
    const edition = editionOf(day, name);
    return conditionsOfDays.get(`${day}/${edition}`, () => conditionsOn(temper, day, edition));
  }
  function presentOn(day: Day): Uint8Array {
    const on = conditions(day);
    return presences.get(`${day}/${on.edition}`, () =>
      Uint8Array.from(people, (person) => Number(presence(person, on) === 'active')),
    );
  }

  return {
    name,
    orgId: `org_${hex(orgSeed)}`,
    keys: Object.fromEntries(roles.map((role) => [role, `sandbox-${name}-${role}`])) as Record<Role, string>,
    seed: orgSeed,
    small,
    steady,
    people,
    repositories,
    readiness: createReadinessListing(orgSeed, repositories, dropBefore),
    conditions,
    totals(day: Day): Totals {
      const on = conditions(day);
      return totals.get(`${day}/${on.edition}`, () => totalsOn(people, on));
    },
    /** Number of these people, by default of all, who were active on at least one of the `length` days that end with `day`. */
    activeWithin(day: Day, length: number, isCounted: (person: Person) => boolean = () => true): number {
      const present = daysFrom(Math.max(firstDay, day - length + 1), day).map(presentOn);
      return people.filter((person, index) => isCounted(person) && present.some((on) => on[index] === 1))
        .length;
    },
  };
}
