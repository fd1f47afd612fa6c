import type { Day } from './day.ts';

/** What the operator told about an organization. */
export interface OrgSettings {
  readonly name: string;
  readonly readiness: ReadinessSettings;
  readonly contract?: Contract | undefined;
  /** Where not given, nobody is told apart. */
  readonly people?: PeopleSettings | undefined;
}

/** What the operator told about the organization's contract with the platform. */
export interface Contract {
  /** Seats that are paid for. */
  readonly seats?: number | undefined;
  /** Credits that a calendar month may cost. */
  readonly creditsPerMonth?: number | undefined;
  /** What credits cost, oldest price first, each day at most once. */
  readonly prices: readonly CreditPrice[];
}

/** What credits cost from a day on, until the next price begins. */
export interface CreditPrice {
  readonly from: Day;
  /** A code of three letters, such as `USD`. */
  readonly currency: string;
  readonly perMillionCredits: number;
}

/** How the current readiness report of a repository is chosen and shown. */
export interface ReadinessSettings {
  /** Branches that count as the main line, best first; empty: main or master, else the most frequent. */
  readonly branches: readonly string[];
  /** Whether reports made with local changes or unpushed commits are left out. */
  readonly cleanOnly: boolean;
  readonly levelRule: 'none' | 'bands';
  /** Whether the per-criterion counts are published beside the per-criterion ratios. */
  readonly criterionCounts: boolean;
}

/** A person as the platform names one. */
export interface Person {
  readonly id: string;
  /** In lower case. */
  readonly email: string | undefined;
}

/** How people may be shown and which teams they belong to, as the operator says it at one moment. */
export interface PeopleSettings {
  /** Names the way in which people are told apart, the key of hashes included: what was made in another way is not shown. */
  readonly identity: string;
  /** Names the rules by which people belong to teams: what was summed by others is asked for again. */
  readonly teamRules: string;
  /** The value of the `user` label; undefined where people are not told apart. */
  labelOf(person: Person): string | undefined;
  teamOf(person: Person): string;
}

/** The team of everybody who belongs to none. */
export const NO_TEAM = 'none';

/** Nobody is told apart, nobody belongs to a team. */
export const ANONYMOUS: PeopleSettings = {
  identity: 'none',
  teamRules: 'none',
  labelOf: () => undefined,
  teamOf: () => NO_TEAM,
};
