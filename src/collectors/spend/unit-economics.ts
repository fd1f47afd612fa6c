import { addDays, type Day, daysFrom } from '../../catalog/day.ts';
import type { Family } from '../../catalog/family.ts';
import type { Cost } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';
import { activityDataset } from '../activity/dataset.ts';
import { productivityDataset } from '../productivity/dataset.ts';
import { quotientOf, sumOfEach } from '../statistics.ts';
import { costOver } from './costs.ts';
import { inCredits, inMoney } from './families.ts';
import { trailing } from './measure.ts';

const DAYS = 28;
/** Minimum number of people, commits or pull requests: with fewer, a quotient describes chance or a single person. */
const FLOOR = 10;
const CREDITS = 'stored days of tokens: credits; of';

/** A divisor of credits and cost. */
interface Divisor {
  readonly name: string;
  /** One unit of the divisor, in words. */
  readonly unit: string;
  readonly field: string;
  /** What the quotient is not, for HELP. */
  readonly caution: string;
  /** The sum over the days; undefined if one of them is unknown. */
  sumOver(view: View, days: readonly Day[]): number | undefined;
}

const divisors: readonly Divisor[] = [
  {
    name: 'active_user',
    unit: 'person and day of activity (the sum of daily active users)',
    field: 'activity: dailyUsers',
    caution: 'Not the consumption of a person in 28 days: someone active on 20 of them counts 20 times.',
    sumOver: activityOver,
  },
  {
    name: 'commit',
    unit: 'Git commit made through the agent',
    field: 'productivity: commits',
    caution:
      'Not the price of a commit: the credits also pay for all other work, and commits made by hand do not count.',
    sumOver: (view, days) => producedOver(view, days, 'commits'),
  },
  {
    name: 'pull_request_created',
    unit: 'pull request created through the agent',
    field: 'productivity: pullRequests',
    caution:
      'Not the price of a merged one: merges are not divided by, and the credits also pay for all other work.',
    sumOver: (view, days) => producedOver(view, days, 'pullRequests'),
  },
];

/** Credits and cost per person, commit and pull request. */
export const unitFamilies: readonly Family[] = divisors.flatMap(familiesPer);

function familiesPer(divisor: Divisor): readonly Family[] {
  const { name, unit, field, caution } = divisor;
  const window = 'of the 28 days ending with the newest complete UTC day';

  function creditsPer(view: View, day: Day): number | undefined {
    return quotientOf(trailing(view, day, DAYS, 'credits'), divisorOn(view, day, divisor));
  }

  function costPer(view: View, day: Day): Cost | undefined {
    const by = divisorOn(view, day, divisor);
    const cost = by === undefined ? undefined : costOver(view, windowOf(day));
    return cost && by ? { ...cost, amount: cost.amount / by } : undefined;
  }

  return [
    inCredits(creditsPer, {
      name: `agent_platform_credits_per_${name}_28d`,
      help: `Standard Credits per ${unit}: the sums ${window}. ${caution}`,
      source: `${CREDITS} ${field}`,
      aggregation: 'ratio',
    }),
    inMoney(costPer, {
      name: `agent_platform_cost_per_${name}_28d`,
      help: `Cost per ${unit}: the sums ${window}. ${caution} Do not sum over currencies.`,
      source: `${CREDITS} ${field}; setting orgs[].prices`,
      aggregation: 'ratio',
    }),
  ];
}

function windowOf(day: Day): readonly Day[] {
  return daysFrom(addDays(day, 1 - DAYS), day);
}

function divisorOn(view: View, day: Day, { sumOver }: Divisor): number | undefined {
  const sum = sumOver(view, windowOf(day));
  return sum === undefined || sum < FLOOR ? undefined : sum;
}

/** The days of activity of all people; undefined, too, unless ten different people are certain to be among them. */
function activityOver(view: View, days: readonly Day[]): number | undefined {
  const rows = days.map((day) => view.row(activityDataset, day));
  // A week that begins before the first day can have people of earlier days only.
  const people = rows.flatMap((row, at) => [row?.dailyUsers ?? 0, at < 6 ? 0 : (row?.weeklyUsers ?? 0)]);
  if (Math.max(...people) < FLOOR) return undefined;
  return sumOfEach(days, (day) => view.row(activityDataset, day)?.dailyUsers);
}

function producedOver(view: View, days: readonly Day[], what: 'commits' | 'pullRequests') {
  return sumOfEach(days, (day) => view.row(productivityDataset, day)?.[what]);
}
