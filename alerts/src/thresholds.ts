/** A threshold of an alert that operators may change. */
export interface Threshold {
  /** Below a million, so that no tool formats it with an exponent. */
  readonly default: number;
  readonly unit: string;
  /** One sentence. */
  readonly description: string;
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
    default: 102,
    unit: 'hours',
    description:
      'The newest day of a dataset began more than this many hours ago. A weekend without any activity does not reach 102.',
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
    description: 'A new model uses more than this share of the credits of an average day of the last week.',
  },
  newModelDays: {
    default: 3,
    unit: 'days',
    description: 'Number of days for which a model counts as new.',
  },
  budgetForecastRatio: {
    default: 1,
    unit: 'ratio',
    description: 'The forecast of the month exceeds this share of its budget.',
  },
  budgetBurnRate: {
    default: 1.5,
    unit: 'times the budgeted pace',
    description:
      'The credits of the last seven days are used faster than this. At 1, a month uses exactly its budget.',
  },
  budgetUsedRatio: {
    default: 1,
    unit: 'ratio',
    description: 'The month has used more than this share of its budget.',
  },
  adoptionDropRatio: {
    default: 0.25,
    unit: 'ratio',
    description: 'The number of weekly active people fell by more than this share within a week.',
  },
  adoptionLeastUsers: {
    default: 10,
    unit: 'people',
    description: 'Drops are ignored if fewer people were active in the week before.',
  },
  readinessDropPoints: {
    default: 5,
    unit: 'percentage points',
    description:
      'A repository scores lower than in its previous report by at least this. Two runs on the same commit differ by up to one.',
  },
  readinessCriteriaRegressed: {
    default: 3,
    unit: 'criteria',
    description: 'At least this many criteria score lower than in the previous report.',
  },
  readinessFreshDays: {
    default: 7,
    unit: 'days',
    description: 'Reports older than this do not alert on drops or regressed criteria.',
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
