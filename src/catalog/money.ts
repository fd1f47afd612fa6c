/** What the use of a day is measured in; also the member of a stored row that has it. */
export type Measure = 'credits' | 'cost';

/** What a platform may report of a day beside the cost: before the discount, and what it bills; also the member of a stored row. */
export type OtherCost = 'listCost' | 'billedCost';

/** What the money of a platform means, and what it counts. */
export interface PlatformMoney {
  /** What everything that reasons about a day's use is measured in: expected days, shares, months, causes. */
  readonly measure: Measure;
  /** The currency of the cost that the platform reports; missing where a cost comes from configured prices alone. */
  readonly currency?: string | undefined;
  readonly otherCosts?: readonly OtherCost[] | undefined;
  /** What the cost of a day is. */
  readonly costIs: 'value of use' | 'charge' | 'estimate';
  /** Whether only a part of the use has sessions, so that they explain no change of the whole. */
  readonly hasPartialSessions?: boolean | undefined;
  /** Below this, in the measure, no day is a spike. */
  readonly floor: number;
}

/** The names of those who are behind an organization's charges. */
export interface FocusNames {
  readonly service: string;
  readonly serviceProvider: string;
  readonly hostProvider: string;
  readonly invoiceIssuer: string;
}

/** The money of a platform that counts credits and reports no cost. */
export const CREDITS: PlatformMoney = { measure: 'credits', costIs: 'estimate', floor: 1_000_000 };
