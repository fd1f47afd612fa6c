import type { Day, Instant } from '../catalog/day.ts';

/** One day of a figure; the value is undefined if the day is unknown. */
export interface TrendDay {
  readonly day: Day;
  readonly value: number | undefined;
  /** Above this, the day is unusual for its weekday. */
  readonly upper?: number | undefined;
}

/** The figures at the top of the page, in their order. */
export type FigureName = 'credits' | 'people' | 'commits' | 'pullRequests' | 'month' | 'readiness';

/** A figure of an organization, as `/metrics` shows it. */
export interface Figure {
  readonly name: FigureName;
  /** The metric that it is read from. */
  readonly family: string;
  /** False if the configuration leaves the metric out. */
  readonly isPublished: boolean;
  /** The day that it describes; undefined if none is known. */
  readonly day: Day | undefined;
  readonly value: number | undefined;
  /** The value of the day a week before. */
  readonly weekBefore: number | undefined;
  /** The days up to the one described, oldest first. */
  readonly trend: readonly TrendDay[];
}

/** An amount of money. */
export interface Money {
  readonly currency: string;
  readonly amount: number;
}

/** A repository whose current report is worse than the previous one. */
interface WorseRepository {
  readonly repo: string;
  /** Number of criteria that got worse. */
  readonly criteria: number;
  readonly ratio: number | undefined;
  readonly previous: number | undefined;
}

/** The figures of one organization. */
export interface OrgFigures {
  readonly figures: readonly Figure[];
  /** Cost of the day and of the month, where prices are configured. */
  readonly dayCost: Money | undefined;
  readonly monthCost: Money | undefined;
  readonly monthBudget: number | undefined;
  readonly monthForecast: number | undefined;
  /** Number of repositories with a report, and the creation time of the newest one. */
  readonly repositories: number;
  readonly newestReportAt: Instant | undefined;
  /** The repositories that got worse most, and how many there are in total. */
  readonly worse: readonly WorseRepository[];
  readonly worseCount: number;
}

/** `full`: with the trend of every figure; `summary`: with that of the credits only, and bounds for its last day. */
export type FigureDetail = 'full' | 'summary';

/** Computes the figures of the named organizations; those without data are missing from the result. */
export type ReadFigures = (
  orgs: readonly string[],
  detail: FigureDetail,
) => Promise<ReadonlyMap<string, OrgFigures>>;
