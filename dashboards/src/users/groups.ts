import {
  dailyCreditsPerUser,
  dailyCreditsTopUsersRatio,
  dailyUsersByDelegationLevel,
  dailyUsersByLanguage,
  dailyUsersByPrimaryModel,
} from '../../../src/collectors/users/collector.ts';
import { modelLink } from '../credits/variables.ts';
import { daily, named, promql } from '../expression.ts';
import { meanOverOrgs } from '../figures.ts';
import type { Row } from '../layout.ts';
import { coloursOf, palette } from '../palette.ts';
import { bars, lines } from '../panels/chart.ts';
import { ranking } from '../panels/ranking.ts';
import { days } from '../query.ts';

const OFF = 'Off: needs the users collector';

/** How people work, without identifying them. */
export const groups: Row = {
  title: 'How people work',
  panels: [
    lines({
      title: 'Credits per person',
      text: 'Standard Credits per active person on each UTC day: median, 90th and 99th percentile and maximum, of the organization where each is highest. Shown with at least 5 active people, the last two with at least 10.',
      unit: 'short',
      queries: [
        days(promql`max by (stat) (${daily(dailyCreditsPerUser)})`, '{{stat}}', {
          colour: palette.quiet,
          colours: { p50: palette.main, p90: palette.second, p99: palette.fourth, max: palette.alarm },
        }),
      ],
      noValue: OFF,
      width: 9,
    }),
    lines({
      title: 'Credits of the top 10%',
      text: 'Share of the credits of each UTC day used by the top 10% of active users; the mean of the organizations. Shown with at least 50 active people.',
      unit: 'percentunit',
      max: 1,
      queries: [days(meanOverOrgs(daily(dailyCreditsTopUsersRatio)), 'top tenth')],
      noValue: 'None known: off, or fewer than 50 active people',
      width: 7,
    }),
    bars({
      title: 'People by autonomy mode',
      text: 'People active on each UTC day by the autonomy mode they used most.',
      unit: 'short',
      stack: 'values',
      queries: [
        days(
          daily(dailyUsersByDelegationLevel, { orgs: 'summed' }),
          '{{level}}',
          coloursOf(['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual']),
        ),
      ],
      noValue: OFF,
      width: 8,
    }),
    ranking({
      title: 'Models used most',
      text: 'People active on a UTC day by the model they used most and its tier: the mean of the days in the range.',
      unit: 'short',
      decimals: 1,
      labels: [
        { of: 'model', title: 'Model', to: modelLink },
        { of: 'tier', title: 'Tier', width: 90 },
      ],
      value: 'People per day',
      reduce: 'mean',
      queries: [days(daily(dailyUsersByPrimaryModel, { orgs: 'summed' }), '{{model}} ({{tier}})')],
      noValue: OFF,
      width: 12,
      height: 9,
    }),
    ranking({
      title: 'Languages used',
      text: 'People active on a UTC day by programming language: the mean of the days in the range. A person who uses several languages counts in each.',
      unit: 'short',
      decimals: 1,
      labels: [{ of: 'language', title: 'Language' }],
      value: 'People per day',
      reduce: 'mean',
      queries: [
        days(named(daily(dailyUsersByLanguage, { orgs: 'summed' }), 'language', 'not known'), '{{language}}'),
      ],
      noValue: OFF,
      width: 12,
      height: 9,
    }),
  ],
};
