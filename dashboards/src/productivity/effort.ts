import {
  dailyFiles,
  dailyGitCommits,
  dailyGitPullRequestsCreated,
} from '../../../src/collectors/productivity/collector.ts';
import { dailyCredits } from '../../../src/collectors/tokens/collector.ts';
import { type Expression, promql } from '../expression.ts';
import { dailyTotal, perActiveUser, ratioOfWeek } from '../figures.ts';
import type { Row } from '../layout.ts';
import { lines } from '../panels/chart.ts';
import { days, type Query } from '../query.ts';

function each(over: (figure: Expression) => Expression): readonly Query[] {
  return [
    days(over(dailyTotal(dailyFiles)), 'files'),
    days(over(dailyTotal(dailyGitCommits)), 'commits'),
    days(over(dailyTotal(dailyGitPullRequestsCreated)), 'pull requests'),
  ];
}

/** Output per person and per credit. */
export const effort: Row = {
  title: 'Output per person and per credit',
  panels: [
    lines({
      title: 'Per active person',
      text: 'Files touched, commits and pull requests per active person and day, over the 7 days that end with each UTC day.',
      unit: 'short',
      decimals: 1,
      queries: each(perActiveUser),
      width: 12,
    }),
    lines({
      title: 'Per million credits',
      text: 'Files touched, commits and pull requests per million Standard Credits, over the 7 days that end with each UTC day. A drop means that the same output costs more.',
      unit: 'short',
      decimals: 1,
      queries: each((figure) => ratioOfWeek(promql`1e6 * ${figure}`, dailyTotal(dailyCredits))),
      width: 12,
    }),
  ],
};
