import { dailyCreditsExpected, dailyCreditsExpectedUpper } from '../../../src/collectors/spend/collector.ts';
import { dailyCredits } from '../../../src/collectors/tokens/collector.ts';
import { spikes } from '../annotations.ts';
import { daily, promql } from '../expression.ts';
import { dailyTotal, wholeDailyTotal } from '../figures.ts';
import type { Row } from '../layout.ts';
import { palette } from '../palette.ts';
import { bars } from '../panels/chart.ts';
import { tile } from '../panels/tile.ts';
import { days } from '../query.ts';
import { unattributed } from './unattributed.ts';

const upper = daily(dailyCreditsExpectedUpper);
/** Unusual days. */
export const byDay: Row = {
  title: 'Expected and unusual days',
  panels: [
    bars({
      title: 'Credits by day',
      text: 'Standard Credits of each UTC day. The expected value is the median of the same weekday in the eight weeks before; above the dashed line a day is unusual. Credits of organizations above their own upper bound and above their mean day of four weeks are highlighted.',
      unit: 'short',
      queries: [
        days(dailyTotal(dailyCredits), 'credits'),
        days(promql`sum(${spikes})`, 'unusual', { colour: palette.alarm }),
        days(wholeDailyTotal(dailyCreditsExpected, dailyCredits), 'expected', {
          draw: 'line',
          colour: palette.quiet,
        }),
        days(wholeDailyTotal(dailyCreditsExpectedUpper, dailyCredits), 'unusual above', {
          draw: 'dashes',
          colour: palette.second,
        }),
      ],
      width: 18,
      height: 10,
    }),
    {
      width: 6,
      column: [
        tile({
          title: 'Credits in the range',
          text: 'The sum of the days shown.',
          unit: 'short',
          queries: [days(dailyTotal(dailyCredits), 'credits')],
          reduce: 'sum',
          height: 3,
        }),
        tile({
          title: 'Unusual days',
          text: 'Number of organizations’ days in the range above the upper bound of their weekday and above the mean day of four weeks.',
          unit: 'none',
          queries: [days(promql`count(${spikes}) or 0 * count(${upper})`, 'days')],
          reduce: 'sum',
          noValue: 'Too early',
          height: 3,
        }),
        tile({
          title: 'Unattributed',
          text: 'Credits in the range that are not attributed to a model, and not attributed to a user: the total minus the sum of the breakdown. They can be negative.',
          unit: 'short',
          queries: unattributed(),
          reduce: 'sum',
          height: 4,
        }),
      ],
    },
  ],
};
