import { addDays, type Day } from '../../catalog/day.ts';
import type { View } from '../../catalog/view.ts';
import { preciseSum } from '../counts.ts';
import { weeklySum } from '../weeks.ts';
import { activityDataset } from './dataset.ts';

/** The number of weeks of the baseline, and how many of them must be known completely. */
const BASELINE_WEEKS = 4;
const MIN_BASELINE_WEEKS = 2;

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
