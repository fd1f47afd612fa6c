import { dailyCredits, dailyTokens, dailyTokensByModel } from '../../../src/collectors/tokens/collector.ts';
import { daily, type Expression, quotient } from '../expression.ts';
import { dailyTotal } from '../figures.ts';
import type { Row } from '../layout.ts';
import { bars, lines } from '../panels/chart.ts';
import { ranking } from '../panels/ranking.ts';
import { days } from '../query.ts';
import { MODEL, modelLink } from './variables.ts';

function ofKind(kind: string): Expression {
  return daily(dailyTokens, { by: [], orgs: 'summed', only: { kind } });
}

/** The raw tokens behind the credits. */
export const tokens: Row = {
  title: 'Tokens',
  panels: [
    lines({
      title: 'Tokens by kind',
      text: 'Raw tokens of each UTC day. They are not stacked, because input tokens can include cached tokens.',
      unit: 'short',
      queries: [
        days(ofKind('input'), 'input'),
        days(ofKind('cache_read'), 'cache read'),
        days(ofKind('cache_write'), 'cache write'),
        days(ofKind('output'), 'output'),
      ],
      width: 8,
    }),
    lines({
      title: 'Cache share',
      text: 'Tokens read from the prompt cache per input token, of each UTC day. Cached tokens are cheaper: when the share falls, the same work costs more. It can exceed 100 % if the platform does not count cached tokens as input.',
      unit: 'percentunit',
      queries: [days(quotient(ofKind('cache_read'), ofKind('input')), 'cache share')],
      width: 8,
    }),
    bars({
      title: 'Credits per million tokens',
      text: 'Standard Credits for each million of input and output tokens on each UTC day. It rises with more expensive models and with less caching.',
      unit: 'short',
      queries: [
        days(
          quotient(
            { text: `1e6 * ${dailyTotal(dailyCredits).text}`, about: [dailyCredits] },
            daily(dailyTokensByModel, { by: [], orgs: 'summed' }),
          ),
          'credits per million tokens',
        ),
      ],
      width: 8,
    }),
    ranking({
      title: 'Models by input tokens',
      text: 'Raw input tokens of each model over the days in the range.',
      unit: 'short',
      labels: [{ of: 'model', title: 'Model', to: modelLink }],
      value: 'Input tokens',
      queries: [
        days(
          daily(dailyTokensByModel, { by: ['model'], orgs: 'summed', only: { ...MODEL, kind: 'input' } }),
          '{{model}}',
        ),
      ],
      width: 12,
      height: 9,
    }),
    ranking({
      title: 'Models by output tokens',
      text: 'Raw output tokens of each model over the days in the range.',
      unit: 'short',
      labels: [{ of: 'model', title: 'Model', to: modelLink }],
      value: 'Output tokens',
      queries: [
        days(
          daily(dailyTokensByModel, { by: ['model'], orgs: 'summed', only: { ...MODEL, kind: 'output' } }),
          '{{model}}',
        ),
      ],
      width: 12,
      height: 9,
    }),
  ],
};
