interface Absent {
  readonly family: RegExp;
  readonly why: string;
}

/** Families that are declared but not on the page of a typical organization, and why. */
export const ABSENT: readonly Absent[] = [
  { family: /_readiness_level$/, why: 'there is no level rule' },
  { family: /_readiness_criterion_(passed|evaluated)$/, why: 'the counts are off by default' },
  { family: /_day_off$/, why: 'there is no calendar' },
  { family: /_wiki_runs_by_status$/, why: 'the usual listing has no status' },
  { family: /_billing_period_start_timestamp_seconds$/, why: 'billing months are calendar months' },
  { family: /_cost_month_budget(_exceeded_probability)?$/, why: 'the budget is in credits' },
  {
    family:
      /_daily_cost_(expected(_upper)?|unusual)$|_cost_(share_by_model(_baseline)?|change_by_cause|month_to_date_baseline)$/,
    why: 'the platform counts credits',
  },
  {
    family:
      /_daily_((billed|list)_cost(_by_model)?|lines|suggestions|git_pull_requests_merged)$|_billed_cost_month_to_date$|_cost_by_(model|team)_sum_7d/,
    why: 'the platform does not report it',
  },
];

/** Families that are also absent if no contract is configured. */
export const ABSENT_WITHOUT_CONTRACT: readonly Absent[] = [
  ...ABSENT,
  {
    family: /_credits_month_budget(_exceeded_probability|_lasts)?$|_seats$/,
    why: 'there is neither a budget nor a number of seats',
  },
  { family: /_cost|_credit_price$/, why: 'there is no price' },
];
