import type { Day, Instant } from '../catalog/day.ts';
import type { Cost } from '../catalog/settings.ts';
import type { Spend } from '../collectors/spend/costs.ts';

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
  /** Of an amount of money: the day and the month of a platform that counts no credits. */
  readonly currency?: string | undefined;
  /** The value of the day a week before. */
  readonly weekBefore: number | undefined;
  /** The days up to the one described, oldest first. */
  readonly trend: readonly TrendDay[];
}

/** A repository whose current report is worse than the previous one. */
interface WorseRepository {
  readonly repo: string;
  /** Number of criteria that got worse. */
  readonly criteria: number;
  readonly ratio: number | undefined;
  readonly previous: number | undefined;
}

export type BreakdownName = 'models' | 'clients' | 'tools' | 'servers' | 'teams' | 'repositories';

/** The main parts of a figure, in the order in which they are shown. */
export interface Breakdown {
  readonly name: BreakdownName;
  /** The metric that it is read from. */
  readonly family: string;
  /** Of amounts of money. */
  readonly currency?: string | undefined;
  readonly day: Day;
  /** Sums of the 7 days that end with `day`, of people the mean; of repositories the current report. `before`: a week earlier, or the previous report. */
  readonly rows: readonly {
    readonly label: string;
    readonly value: number;
    readonly before: number | undefined;
  }[];
  /** The number of parts that are not listed. */
  readonly rest: number;
}

/** An amount of money, or of credits, which have no currency. */
export interface Amount {
  readonly amount: number;
  readonly currency: string | undefined;
}

/** The month of a published team: what is published of it. */
export interface TeamMonth {
  readonly team: string;
  /** To date. */
  readonly credits?: Amount;
  readonly cost?: Amount;
  /** Of the whole month. */
  readonly forecast?: Amount;
  readonly costForecast?: Amount;
  readonly budget?: Amount;
  /** How likely the month exceeds the budget, as a ratio. */
  readonly probability?: Amount;
}

/** The months of an organization's teams. */
export interface TeamMonths {
  readonly day: Day;
  readonly teams: readonly TeamMonth[];
  /** The number of teams that are not listed. */
  readonly rest: number;
}

interface LargestPart {
  readonly name: string;
  readonly share: number;
}

/** What the credits of a day are compared with, and why they differ. */
export interface Reason {
  /** The mean of the same weekday in so many of the four weeks before; never zero. */
  readonly usual: number;
  readonly weeks: number;
  /** What changed, in words; undefined if no single cause stands out. */
  readonly cause: string | undefined;
  /** The model behind it. */
  readonly model?: string | undefined;
  /** The model and the published team with the largest part of the change, and its share, if that is more than half of it. */
  readonly largest?: LargestPart | undefined;
  readonly team?: LargestPart | undefined;
}

/** The figures of one organization. */
export interface OrgFigures {
  readonly figures: readonly Figure[];
  /** Cost of the day and of the month, where prices are configured. */
  readonly dayCost: Cost | undefined;
  /** In each currency in which days of the month are priced. */
  readonly monthCosts: readonly Cost[];
  /** In credits, of a budget in money those that it pays for where the month has one price; else in the currency of the month. */
  readonly monthBudget: number | undefined;
  /** The day of a calendar month on which a billing month starts; the first by default. */
  readonly monthStarts?: number | undefined;
  /** The budget as configured, if it is in money. */
  readonly costBudget?: Cost | undefined;
  readonly monthForecast: number | undefined;
  /** In the currency of that budget; the range is that of `monthRange`. */
  readonly costForecast?: (Cost & { readonly range: OrgFigures['monthRange'] }) | undefined;
  /** Below and above the forecast: one of ten months ends below, and one above. */
  readonly monthRange?: { readonly lower: number; readonly upper: number } | undefined;
  /** The month in money, for sums over organizations, and the same days of the month before; empty if it is unknown. */
  readonly spends?: readonly (Spend & { readonly before?: number | undefined })[] | undefined;
  /** Number of repositories with a report, and the creation time of the newest one. */
  readonly repositories: number;
  readonly newestReportAt: Instant | undefined;
  /** The repositories that got worse most, and how many there are in total. */
  readonly worse: readonly WorseRepository[];
  readonly worseCount: number;
  /** Only with `full` detail. */
  readonly breakdowns?: readonly Breakdown[];
  readonly teamMonths?: TeamMonths | undefined;
  /** Why the credits of the newest day differ from those of its weekday; undefined where that is not known. */
  readonly reason?: Reason | undefined;
  /** Paid seats, where they are configured. */
  readonly seats?: number | undefined;
}

/** `full`: with the trend of every figure; `summary`: with that of the credits only, and bounds for its last day. */
export type FigureDetail = 'full' | 'summary';

/** Computes the figures of the named organizations; those without data are missing from the result. */
export type ReadFigures = (
  orgs: readonly string[],
  detail: FigureDetail,
) => Promise<ReadonlyMap<string, OrgFigures>>;
