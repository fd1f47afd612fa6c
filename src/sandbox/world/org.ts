import { type Day, firstDay } from '../calendar.ts';
import { createRecent } from '../lru-cache.ts';
import { mix, textSeed } from '../random.ts';
import { createRepositories, type Repository } from '../readiness/repositories.ts';
import type { Role, SandboxOrg } from '../types.ts';
import { type Conditions, conditionsOn, type Edition } from './conditions.ts';
import { createPeople, type Person } from './people.ts';
import { presence } from './person-day.ts';
import { type Totals, totalsOn } from './totals.ts';

/** One organization and all its days, which can be requested in any order. */
export interface Org extends SandboxOrg {
  readonly seed: number;
  readonly small: boolean;
  people(): readonly Person[];
  repositories(): readonly Repository[];
  conditions(day: Day): Conditions;
  totals(day: Day): Totals;
  /** Number of people who were active on at least one of the `length` days that end with `day`. */
  activeWithin(day: Day, length: number): number;
}

interface OrgSize {
  readonly users: number;
  readonly repos: number;
}

const names = ['acme', 'globex', 'initech', 'umbrella', 'hooli'];

/** Creates the organization of that index; `editionOf` returns the completeness of a day's figures. */
export function createOrg(
  index: number,
  seed: number,
  size: OrgSize,
  editionOf: (day: Day, org: string) => Edition,
  spikeOn?: Day,
): Org {
  const name = names[index] ?? `org-${index}`;
  const orgSeed = mix(seed, textSeed(name));
  const small = size.users < 200;
  const temper = { name, seed: orgSeed, small, spikeOn };
  // One entry, created on first use: twenty thousand people take a moment.
  const people = createRecent<readonly Person[]>(1);
  const repositories = createRecent<readonly Repository[]>(1);
  const conditionsOfDays = createRecent<Conditions>(512);
  const totals = createRecent<Totals>(512);
  const presences = createRecent<Uint8Array>(64);

  function conditions(day: Day): Conditions {
    const edition = editionOf(day, name);
    return conditionsOfDays.get(`${day}/${edition.missing}/${edition.revision}`, () =>
      conditionsOn(temper, day, edition),
    );
  }
  function allPeople(): readonly Person[] {
    return people.get('all', () => createPeople(name, orgSeed, size.users));
  }
  function presentOn(day: Day): Uint8Array {
    const on = conditions(day);
    return presences.get(`${day}/${on.edition.revision}`, () =>
      Uint8Array.from(allPeople(), (person) => Number(presence(person, on) === 'active')),
    );
  }

  return {
    name,
    orgId: `org_${orgSeed.toString(16).padStart(8, '0')}`,
    keys: { owner: key('owner'), manager: key('manager'), member: key('member'), guest: key('guest') },
    seed: orgSeed,
    small,
    people: allPeople,
    repositories: () => repositories.get('all', () => createRepositories(name, orgSeed, size.repos)),
    conditions,
    totals(day) {
      const on = conditions(day);
      const { missing, revision } = on.edition;
      return totals.get(`${day}/${missing}/${revision}`, () => totalsOn(allPeople(), on));
    },
    activeWithin(day, length) {
      const seen = new Uint8Array(size.users);
      for (let past = Math.max(firstDay, day - length + 1); past <= day; past += 1) {
        presentOn(past).forEach((present, person) => {
          if (present === 1) seen[person] = 1;
        });
      }
      return seen.reduce((count, present) => count + present, 0);
    },
  };

  function key(role: Role): string {
    return `sandbox-${name}-${role}`;
  }
}
