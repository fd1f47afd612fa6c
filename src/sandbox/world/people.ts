import { firstDay } from '../calendar.ts';
import { at, between, createRandom, hex, lognormal, mix, type Random } from '../random.ts';

export type DelegationLevel = 'auto-high' | 'auto-medium' | 'auto-low' | 'spec' | 'manual';

type Stack = readonly [string, ...string[]];

const givenNames = ['ada', 'ben', 'chloe', 'dmitri', 'elif'] as const;
/** The team of the people of each given name. */
const teams = ['platform', 'platform', 'payments', 'payments', 'mobile'] as const;
const stacks: readonly [Stack, ...Stack[]] = [
  ['TypeScript', 'CSS'],
  ['TypeScript', 'Python'],
  ['Python'],
  ['Python', 'SQL'],
  ['Go'],
  ['Go', 'Shell'],
  ['Java', 'Kotlin'],
  ['Rust'],
  ['TypeScript'],
  ['C#'],
  ['Ruby', 'TypeScript'],
  ['Terraform', 'Shell'],
];
const levels = [
  'auto-high',
  'auto-high',
  'auto-medium',
  'auto-medium',
  'auto-medium',
  'auto-low',
  'auto-low',
  'spec',
  'manual',
] as const;

/** The people of an organization, ordered by user id. */
export function createPeople(orgName: string, orgSeed: number, count: number): readonly Person[] {
  const people = Array.from({ length: count }, (_, index) => createPerson(orgName, orgSeed, index));
  return people.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** An autonomy level in use that day: mostly a person's own, sometimes another. */
export function delegationOn(person: Person, random: Random): DelegationLevel {
  return random() < 0.85 ? person.delegation : at(levels, random());
}

export type Person = Readonly<ReturnType<typeof createPerson>>;

function createPerson(orgName: string, orgSeed: number, index: number) {
  const seed = mix(orgSeed, index);
  const random = createRandom(seed);
  return {
    id: `user_${hex(seed)}${hex(mix(index, orgSeed))}`,
    email: index > 0 && random() < 0.04 ? null : emailOf(orgName, index),
    /** The address at work, also of somebody whose platform knows none. */
    address: emailOf(orgName, index),
    team: teams[index % teams.length] ?? teams[0],
    /** The order of creation, and the name that a platform without e-mail addresses knows the person by. */
    index,
    login: `${givenNameOf(index)}-${index}_${orgName}`,
    seed,
    /** The first to join, who is also at work on every revised day. */
    founder: index === 0,
    joined: index === 0 ? firstDay : firstDay + joinedAfter(random),
    /** The probability that this person is active on a plain weekday. */
    diligence: between(random, 0.06, 0.95),
    /** Work per day relative to others, median 1. */
    volume: lognormal(random, 0.7),
    /** Tool calls per message. */
    autonomy: between(random, 3, 13),
    delegation: at(levels, random()),
    languages: at(stacks, random()),
    web: random() < 0.35 ? between(random, 0.1, 0.8) : 0.02,
    headless: random() < 0.2 ? between(random, 0.2, 0.9) : 0,
    mcp: random() < 0.5 ? between(random, 0.02, 0.2) : 0,
    hooks: random() < 0.3 ? between(random, 0.2, 0.8) : 0,
    /** Takes part in the spikes. */
    runaway: index % 10 === 3,
  };
}

/** A third joined on the first day, the others within nine months, more of them early. */
function joinedAfter(random: Random): number {
  return random() < 0.34 ? 0 : Math.floor(270 * random() ** 1.4);
}

function emailOf(orgName: string, index: number): string {
  return `${givenNameOf(index)}.${index}@${orgName}.example`;
}

function givenNameOf(index: number): string {
  return givenNames[index % givenNames.length] ?? givenNames[0];
}
