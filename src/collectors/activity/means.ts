import { addDays, type Day } from '../../catalog/day.ts';
import type { View } from '../../catalog/view.ts';
import { preciseSum } from '../counts.ts';
import { weeklySum } from '../weeks.ts';
import { activityDataset } from './dataset.ts';

/** The number of weeks of the baseline, and how many of them must be known completely. */
const BASELINE_WEEKS = 4;
const MIN_BASELINE_WEEKS = 2;

/** The definitions of both figures, with a worked example each; `docs/METRICS.md` shows them. */
export const meanDefinitions = {
  week: `The mean of \`agent_platform_daily_active_users\` over the seven days that end with the data day. A day without
activity counts as 0. Absent if one of the seven days is unknown.

Example: five working days with 40 active people and a weekend with 5 and 2 give (5 · 40 + 5 + 2) / 7 = 29.571 people.`,

  baseline: `The mean of the four weeks before those of \`agent_platform_daily_active_users_mean_7d\`: the 28 days that end
seven days before the data day. A week counts only if each of its days is known. Absent with fewer than two such weeks.

Example: the weekly means before are 30, 28, 32 and, in a week with an unknown day, none: (30 + 28 + 32) / 3 = 30 people.`,

  perPerson: `The sum over the seven days that end with the data day, divided by the sum of \`agent_platform_daily_active_users\` over the
same days. Absent if one of the seven days is unknown, or if nobody was active on them.

Example: 600 sessions in a week of 200 daily active people, 40 on each of five days, are 3 sessions per person and day.`,
} as const;

/** Mean number of people active per day in the week that ends with a day; undefined if one of its days is unknown. */
export function weeklyMean(view: View, day: Day): number | undefined {
  return view.ofDay(meanOfWeek, day);
}

function meanOfWeek(view: View, day: Day): number | undefined {
  const people = weeklySum(view, day, activityDataset, ({ dailyUsers }) => dailyUsers);
  return people === undefined ? undefined : people / 7;
}

/** The mean of the weekly means of the four weeks before; undefined where fewer than two of them are known. */
export function weeklyMeanBaseline(view: View, day: Day): number | undefined {
  const means: number[] = [];
  for (let week = 1; week <= BASELINE_WEEKS; week++) {
    const mean = weeklyMean(view, addDays(day, -7 * week));
    if (mean !== undefined) means.push(mean);
  }
  return means.length < MIN_BASELINE_WEEKS ? undefined : preciseSum(means) / means.length;
}
