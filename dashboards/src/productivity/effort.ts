import {
  dailyFiles,
  dailyGitCommits,
  dailyGitPullRequestsCreated,
} from '../../../src/collectors/productivity/collector.ts';
import { dailyCredits } from '../../../src/collectors/tokens/collector.ts';
import { type Expression, promql, quotient } from '../expression.ts';
import { dailyTotal, perActiveUser } from '../figures.ts';
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
      text: 'Files touched, commits and pull requests of each UTC day per person active on it.',
      unit: 'short',
      decimals: 1,
      queries: each(perActiveUser),
      width: 12,
    }),
    lines({
      title: 'Per million credits',
      text: 'Files touched, commits and pull requests of each UTC day per million Standard Credits consumed on it. A drop means that the same output costs more. Days with little usage are not representative.',
      unit: 'short',
      decimals: 1,
      queries: each((figure) => quotient(promql`1e6 * ${figure}`, dailyTotal(dailyCredits))),
      width: 12,
    }),
  ],
};
