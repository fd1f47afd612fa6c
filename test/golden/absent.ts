/** Families that are declared and yet not on the page of a usual organization, and why. */
export const ABSENT: readonly { readonly family: RegExp; readonly why: string }[] = [
  { family: /_readiness_level$/, why: 'there is no level rule' },
  { family: /_wiki_runs_by_status$/, why: 'the usual listing has no status' },
  { family: /_credits_month_budget$|_seats$/, why: 'nothing is configured of a contract' },
  { family: /_cost|_credit_price$/, why: 'no price is configured' },
];
