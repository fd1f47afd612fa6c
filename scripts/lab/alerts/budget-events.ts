import { type Day, startOf } from '../../../src/catalog/day.ts';
import { DAYS, dayAt, HOUR, WARM_UP } from '../../../test/collectors/spend/backtest/world.ts';

/** Something that an alert must tell, or that explains one: from its beginning until its notification is too late. */
export interface PlantedEvent {
  readonly alert: string;
  readonly from: number;
  readonly until: number;
  /** Labels that the alert must have. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Whether it may be told but need not be. */
  readonly optional?: boolean;
  /** Whether it is a month that exceeds its budget by so little that nobody could foresee it. */
  readonly isBarelyOver?: boolean;
}

/** The credits of a month's days. */
export interface Month {
  readonly month: string;
  readonly days: readonly (readonly [Day, number])[];
  readonly total: number;
}

const DAY = 24 * HOUR;
/** A month that uses more of its budget than this could have exceeded it. */
const CLOSE = 0.9;
/** A month that exceeds its budget by less than this is nobody's to foresee. */
const CLEAR = 1.02;

/** The months of the year. */
export function monthsOf(days: readonly (readonly [Day, number])[]): readonly Month[] {
  const names = [...new Set(days.slice(WARM_UP).map(([day]) => day.slice(0, 7)))];
  return names.map((month) => {
    const own = days.filter(([day]) => day.startsWith(month));
    return { month, days: own, total: own.reduce((sum, [, credits]) => sum + credits, 0) };
  });
}

/** A budget that three months of the twelve exceed. */
export function budgetOf(months: readonly Month[]): number {
  return Math.round(1.01 * (months.map(({ total }) => total).toSorted((a, b) => b - a)[3] ?? 0));
}

/** The instant after the day with which a month exceeds a budget, and after which the month is over. */
export function exceededAt({ days, total }: Month, budget: number) {
  const start = startOf(days[0]?.[0] ?? dayAt(DAYS));
  const end = start + (days.length + 1) * DAY;
  if (total <= budget) return { start, end, exceeded: undefined };
  let sum = 0;
  const over = days.findIndex(([, credits]) => {
    sum += credits;
    return sum > budget;
  });
  return { start, end, exceeded: start + (over + 1) * DAY };
}

/** A forecast is right if it comes before the day that exceeds the budget, and not wrong if the month comes close. */
export function eventsOfForecast(
  alert: string,
  month: Month,
  budget: number,
  owner: Readonly<Record<string, string>> = {},
): readonly PlantedEvent[] {
  const labels = { ...owner, month: month.month };
  const { start, end, exceeded } = exceededAt(month, budget);
  if (exceeded === undefined) {
    const isClose = month.total > CLOSE * budget;
    return isClose ? [{ alert, from: start, until: end, labels, optional: true }] : [];
  }
  const isBarelyOver = month.total < CLEAR * budget;
  return [{ alert, from: start, until: exceeded + DAY, labels, optional: isBarelyOver, isBarelyOver }];
}
