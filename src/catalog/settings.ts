import type { Day } from './day.ts';
import type { DayRules } from './day-rules.ts';
import type { PlatformMoney } from './money.ts';

/** Settings of an organization. */
export interface OrgSettings {
  readonly name: string;
  /** The name of its platform; that of the default one if absent. */
  readonly platform?: string | undefined;
  /** How its identifiers begin, where its platform says so. */
  readonly identityAlone?: string | undefined;
  /** The names of the datasets that its platform has; all by default. */
  readonly fills?: ReadonlySet<string> | undefined;
  /** When the days of its datasets are there, by name. */
  readonly days?: Readonly<Record<string, DayRules>> | undefined;
  /** The rows of days without activity, by dataset, where they are not those of the default platform. */
  readonly idleRows?: Readonly<Record<string, object>> | undefined;
  readonly readiness: ReadinessSettings;
  /** What the platform's money means; that of one that counts credits by default. */
  readonly money?: PlatformMoney | undefined;
  readonly contract?: Contract | undefined;
  /** Days on which the organization does not work, besides its weekends; none by default. */
  readonly daysOff?: ReadonlySet<Day> | undefined;
  /** Without them, people are not identified. */
  readonly people?: PeopleSettings | undefined;
}

/** The organization's contract with the platform, as configured. */
export interface Contract {
  /** Paid seats. */
  readonly seats?: number | undefined;
  /** Monthly budget in credits. */
  readonly creditsPerMonth?: number | undefined;
  /** Monthly budget in money, instead of one in credits. */
  readonly costPerMonth?: Cost | undefined;
  /** Prices, oldest first, at most one per start day. */
  readonly prices: readonly CreditPrice[];
  /** The day of a calendar month on which a billing month starts, from 1 to 31; the first by default. */
  readonly periodStarts?: number | undefined;
}

/** An amount of money. */
export interface Cost {
  /** A code of three letters, such as `USD`. */
  readonly currency: string;
  readonly amount: number;
}

/** The budget of a month: a number of credits, or money. */
export type Budget = number | Cost;

/** Price of credits from a day until the next price starts. */
export interface CreditPrice {
  readonly from: Day;
  /** A code of three letters, such as `USD`. */
  readonly currency: string;
  readonly perMillionCredits: number;
}

/** How the current readiness report of a repository is selected and published. */
export interface ReadinessSettings {
  /** Main branches in order of preference; if empty, main or master, else the most frequent branch. */
  readonly branches: readonly string[];
  /** Ignores reports made with local changes or unpushed commits. */
  readonly cleanOnly: boolean;
  readonly levelRule: 'none' | 'bands';
  /** Publishes per-criterion counts in addition to ratios. */
  readonly criterionCounts: boolean;
}

/** A person as identified by the platform. */
export interface Person {
  readonly id: string;
  /** In lower case. */
  readonly email: string | undefined;
}

/** How people are identified and which teams they belong to, under one configuration. */
export interface PeopleSettings {
  /** Fingerprint of the identity mode, including the hash key. Rows made under another one are not published. */
  readonly identity: string;
  /** Fingerprint of the team rules and of the names of the teams with a budget. Days summed under others are fetched again. */
  readonly teamRules: string;
  /** The value of the `user` label; undefined where people are not identified. */
  labelOf(person: Person): string | undefined;
  /** The team of a person of an organization on that platform. */
  teamOf(person: Person, platform: string): string;
  /** Monthly budgets by team. The figures of these teams are known, however few people are active. */
  readonly teamBudgets: ReadonlyMap<string, Budget>;
}

/** The name of the platform of an organization that names none. */
export const DEFAULT_PLATFORM = 'agent-platform';

/** What a person reads of it. */
export const DEFAULT_TITLE = 'Agent Platform';

/** The team label of people without a team. */
export const NO_TEAM = 'none';

/** The team label of teams that are too small to be shown by themselves. */
export const OTHER_TEAMS = 'other';

/** The team label of the credits that no shown team has, such as those of too few people and of none at all. */
export const UNASSIGNED = 'unassigned';

/** People are not identified and have no teams. */
export const ANONYMOUS: PeopleSettings = {
  identity: 'none',
  teamRules: 'none',
  labelOf: () => undefined,
  teamOf: () => NO_TEAM,
  teamBudgets: new Map(),
};
