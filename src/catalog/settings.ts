import type { Day } from './day.ts';
import type { PeopleSettings } from './people.ts';

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
