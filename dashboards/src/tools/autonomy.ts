import {
  dailyAutonomyLevelRatio,
  dailyAutonomyRatio,
  dailyToolCallsPerSession,
  dailyUserTurnsPerSession,
} from '../../../src/collectors/tools/collector.ts';
import { daily } from '../expression.ts';
import { meanOfWeek, meanOverOrgs } from '../figures.ts';
import type { Row } from '../layout.ts';
import { coloursOf, palette } from '../palette.ts';
import { bars, lines } from '../panels/chart.ts';
import { days } from '../query.ts';

/** The autonomy of the agent. */
export const autonomy: Row = {
  title: 'Autonomy',
  panels: [
    lines({
      title: 'Tool calls per turn',
      text: 'Tool calls per user message: average, median and 90th percentile of a day; the mean of the organizations and of the 7 days that end with each UTC day.',
      unit: 'short',
      decimals: 1,
      queries: [
        days(meanOfWeek(meanOverOrgs(daily(dailyAutonomyRatio), ['stat'])), '{{stat}}', {
          colour: palette.quiet,
          colours: { p90: palette.second, avg: palette.quiet, p50: palette.main },
        }),
      ],
      width: 8,
    }),
    bars({
      title: 'Autonomy levels',
      text: 'Share of each autonomy level on each UTC day; the mean of the organizations.',
      unit: 'percentunit',
      stack: 'shares',
      queries: [
        days(
          meanOverOrgs(daily(dailyAutonomyLevelRatio), ['level']),
          '{{level}}',
          coloursOf(['auto_high', 'auto_medium', 'auto_low', 'manual']),
        ),
      ],
      width: 8,
    }),
    lines({
      title: 'Per session',
      text: 'Average tool calls and user messages per session of a day; the mean of the organizations and of the 7 days that end with each UTC day.',
      unit: 'short',
      decimals: 1,
      queries: [
        days(meanOfWeek(meanOverOrgs(daily(dailyToolCallsPerSession))), 'tool calls'),
        days(meanOfWeek(meanOverOrgs(daily(dailyUserTurnsPerSession))), 'user messages'),
      ],
      width: 8,
    }),
  ],
};
