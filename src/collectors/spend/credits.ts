import { addDays, type Day, daysFrom, monthSoFar } from '../../catalog/day.ts';
import type { View } from '../../catalog/view.ts';
import { preciseSum } from '../counts.ts';
import { tokensDataset } from '../tokens/dataset.ts';

/** A day's credits: 0 on an idle day, undefined where the day is not covered or its row lacks them. */
export function creditsOn(view: View, day: Day): number | undefined {
  return view.row(tokensDataset, day)?.credits;
}

/** A figure of each item; undefined where any of them has none, so that no sum is ever short. */
export function ofEach<Item, Figure>(
  items: readonly Item[],
  figureOf: (item: Item) => Figure | undefined,
): readonly Figure[] | undefined {
  const figures: Figure[] = [];
  for (const item of items) {
    const figure = figureOf(item);
    if (figure === undefined) return undefined;
    figures.push(figure);
  }
  return figures;
}

/** The credits from the first of the month to a day. */
export function monthToDate(view: View, day: Day): number | undefined {
  return totalOf(view, monthSoFar(day));
}

/** The credits of the `count` days that end with a day. */
export function trailing(view: View, day: Day, count: number): number | undefined {
  return totalOf(view, daysFrom(addDays(day, 1 - count), day));
}

function totalOf(view: View, days: readonly Day[]): number | undefined {
  const credits = ofEach(days, (day) => creditsOn(view, day));
  return credits && preciseSum(credits);
}
