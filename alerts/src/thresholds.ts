import { LATE_DAYS } from '../../src/catalog/day-rules.ts';

/** A threshold of an alert that operators may change. */
export interface Threshold {
  /** Below a million, so that no tool formats it with an exponent. */
  readonly default: number;
  readonly unit: string;
  /** One sentence. */
  readonly description: string;
}

/** How late the rows of a day are in the worst case that is normal. */
const LATE_ROW_HOURS = 6;
/**
 * The oldest that the newest day is while nobody works: a day without rows is published once no row of it can be late,
 * and until then the day before it is the newest one.
 */
const quietHours = (lateDays: number) => 24 * (lateDays + 2);
const QUIET_HOURS = quietHours(LATE_DAYS);

/** The age in hours from which the newest day of a dataset is stale. */
export function staleHours(lateDays: number): number {
  return quietHours(lateDays) + LATE_ROW_HOURS;
}

/** Every threshold of the alerts; the names are also the keys of the chart's `prometheusRule.thresholds`. */
export const thresholds = {
  collectionFailingHours: {
    default: 4,
    unit: 'hours',
    description: 'A collector has not succeeded for longer than this.',
  },
  throttledRatio: {
    default: 0.25,
    unit: 'ratio',
    description: 'More than this share of the requests of the last two hours was answered with 429.',
  },
  dataStaleHours: {
    default: staleHours(LATE_DAYS),
    unit: 'hours',
    description: `The newest day of a dataset began more than this many hours ago. Days without activity reach ${QUIET_HOURS}, however many they are.`,
  },
  rejectedRecords: {
    default: 10,
    unit: 'records per day',
    description: 'More than this many rows, documents or fields of a dataset were rejected within a day.',
  },
  creditSpikeFloorMillions: {
    default: 1,
    unit: 'million credits',
    description: 'A day with fewer credits is never a spike.',
  },
  newModelRatio: {
    default: 0.2,
    unit: 'ratio',
    description: 'A new model uses more than this share of the credits of two days.',
  },
  newModelGrowth: {
    default: 1.5,
    unit: 'times the share of the 14 days before',
    description: 'The share of a new model is more than this.',
  },
  newModelPeople: {
    default: 1.2,
    unit: 'people',
    description:
      'The share of a new model is at least that of this many people on an average day of the week: in a small team, one person is a large share.',
  },
  budgetSureProbability: {
    default: 0.9,
    unit: 'probability',
    description: 'On two days in a row, the budget of the month is exceeded with more than this probability.',
  },
  budgetLikelyProbability: {
    default: 0.6,
    unit: 'probability',
    description: 'Late in the month, this probability on two days in a row is enough.',
  },
  budgetLikelyFromDay: {
    default: 20,
    unit: 'day of the month',
    description: 'From this day of the month on, it is late.',
  },
  budgetUnlikelyProbability: {
    default: 0.3,
    unit: 'probability',
    description: 'The probability must fall to this to resolve.',
  },
  budgetForecastRatio: {
    default: 1,
    unit: 'ratio',
    description: 'Where no probability is known, the forecast of the month exceeds this share of its budget.',
  },
  budgetHysteresis: {
    default: 0.1,
    unit: 'ratio',
    description:
      'Where no probability is known, the forecast must fall by this share of the budget below its threshold to resolve.',
  },
  budgetUsedRatio: {
    default: 1,
    unit: 'ratio',
    description: 'The month has used more than this share of its budget.',
  },
  silentLeastUsers: {
    default: 10,
    unit: 'people',
    description:
      'A platform is silent only where at least this many people were active on an average day of the four weeks before.',
  },
  adoptionDropRatio: {
    default: 0.25,
    unit: 'ratio',
    description:
      'The number of people active on an average day of the week fell by more than this share below that of the four weeks before.',
  },
  adoptionHysteresis: {
    default: 0.1,
    unit: 'ratio',
    description: 'The drop must become smaller by this to resolve.',
  },
  adoptionQuietRatio: {
    default: 0.2,
    unit: 'ratio',
    description:
      'A weekday with no more than this share of the people of an average day of the four weeks before is a holiday, not a drop.',
  },
  adoptionLeastUsers: {
    default: 7,
    unit: 'people',
    description: 'Drops are ignored if fewer people were active on an average day of the four weeks before.',
  },
  readinessDropPoints: {
    default: 5,
    unit: 'percentage points',
    description:
      'A repository scores lower than in its previous report by at least this, and by more than the noise of its earlier reports.',
  },
  readinessFreshDays: {
    default: 7,
    unit: 'days',
    description: 'Reports older than this do not alert on drops.',
  },
  readinessOldDays: {
    default: 30,
    unit: 'days',
    description: 'The newest report of a repository is older than this.',
  },
  valuesFolded: {
    default: 0,
    unit: 'label values',
    description: 'More than this many label values of a metric are folded into other.',
  },
  familiesDropped: {
    default: 0,
    unit: 'metrics',
    description: 'More than this many metrics of a collector are dropped over the series limit.',
  },
  sessionsWaiting: {
    default: 5,
    unit: 'sessions',
    description: 'At least this many sessions have been waiting for a human for half an hour.',
  },
} as const satisfies Readonly<Record<string, Threshold>>;

export type ThresholdName = keyof typeof thresholds;

/** The marker of a value that the chart inserts. */
export function marker(name: string): string {
  return `@${name}@`;
}
