/** A number that decides when an alert fires, and that an operator may want to be another one. */
export interface Threshold {
  /** Below a million, so that no tool on the way writes it with an exponent. */
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
    description: 'A larger share of the requests of the last two hours was answered 429.',
  },
  dataStaleHours: {
    default: 102,
    unit: 'hours',
    description:
      'The newest day of a dataset began longer ago than this; a weekend without any activity does not reach 102.',
  },
  rejectedRecords: {
    default: 10,
    unit: 'records per day',
    description: 'More rows, documents or fields of a dataset were unusable within a day.',
  },
  creditSpikeFloorMillions: {
    default: 1,
    unit: 'million credits',
    description: 'A day of fewer credits is never a spike, however unusual it is.',
  },
  newModelRatio: {
    default: 0.2,
    unit: 'ratio',
    description: 'A new model takes more than this share of an average day of the last week.',
  },
  newModelDays: {
    default: 3,
    unit: 'days',
    description: 'How many days a model counts as new.',
  },
  budgetForecastRatio: {
    default: 1,
    unit: 'ratio',
    description: 'The forecast of the month is more than this share of its budget.',
  },
  budgetBurnRate: {
    default: 1.5,
    unit: 'times the budgeted pace',
    description:
      'The credits of the last seven days flow faster than this; 1 spends just the budget in a month.',
  },
  budgetUsedRatio: {
    default: 1,
    unit: 'ratio',
    description: 'The month has taken more than this share of its budget.',
  },
  adoptionDropRatio: {
    default: 0.25,
    unit: 'ratio',
    description: 'The weekly active people are fewer than a week before by more than this share.',
  },
  adoptionLeastUsers: {
    default: 10,
    unit: 'people',
    description: 'Where fewer people were active in the week before, a drop says nothing.',
  },
  readinessDropPoints: {
    default: 5,
    unit: 'percentage points',
    description:
      'A repository scores lower than in its previous report by this or more; two runs on the same commit differ by up to one.',
  },
  readinessCriteriaRegressed: {
    default: 3,
    unit: 'criteria',
    description: 'So many criteria or more do worse than in the previous report.',
  },
  readinessFreshDays: {
    default: 7,
    unit: 'days',
    description: 'A report older than this no longer alerts of a drop or of criteria that do worse.',
  },
  readinessOldDays: {
    default: 30,
    unit: 'days',
    description: 'The newest report of a repository is older than this.',
  },
  valuesFolded: {
    default: 0,
    unit: 'label values',
    description: 'More label values of a metric than this are summed into other.',
  },
  familiesDropped: {
    default: 0,
    unit: 'metrics',
    description: 'More metrics of a collector than this are left out over the limit of series.',
  },
  sessionsWaiting: {
    default: 5,
    unit: 'sessions',
    description: 'So many sessions or more wait for a human all the time for half an hour.',
  },
} as const satisfies Readonly<Record<string, Threshold>>;

export type ThresholdName = keyof typeof thresholds;

/** What stands for a value that the chart fills in. */
export function marker(name: string): string {
  return `@${name}@`;
}
