import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import { type Expression, increase, perMinute, rate } from '../expression.ts';
import type { Row } from '../layout.ts';
import { palette } from '../palette.ts';
import { bars, lines } from '../panels/chart.ts';
import { ranking } from '../panels/ranking.ts';
import { line, now } from '../query.ts';

const buckets = rate(ownMetrics.apiRequestDuration, { by: [], suffix: '_bucket' });

function quantile(of: number): Expression {
  return { text: `histogram_quantile(${of}, ${buckets.text})`, about: buckets.about };
}

/** Requests to the platform. */
export const requests: Row = {
  title: 'Requests to the platform',
  folded: true,
  panels: [
    bars({
      title: 'Requests per minute, by answer',
      text: 'Requests to the platform per minute, including retries, by HTTP status, or timeout or network. 429 means throttling; 401 and 403 mean that the key was rejected.',
      stack: 'values',
      queries: [
        line(perMinute(ownMetrics.apiRequests, { by: ['code'] }), '{{code}}', {
          colour: palette.quiet,
          colours: {
            200: palette.main,
            429: palette.second,
            500: palette.alarm,
            503: palette.fourth,
            401: palette.fifth,
            403: palette.third,
            timeout: palette.deep,
          },
        }),
      ],
      width: 9,
      height: 9,
    }),
    lines({
      title: 'Duration of requests',
      text: 'Time until the complete answer arrived: median, 90th and 99th percentile, estimated from a histogram. Blank if no requests were made.',
      unit: 's',
      queries: [
        line(quantile(0.5), 'median'),
        line(quantile(0.9), '90th percentile'),
        line(quantile(0.99), '99th percentile', { colour: palette.alarm }),
      ],
      noValue: 'No request in the range',
      width: 8,
      height: 9,
    }),
    ranking({
      title: 'Retries by endpoint',
      text: 'Requests in the range that were retried after a failed attempt.',
      unit: 'locale',
      decimals: 0,
      labels: [{ of: 'endpoint', title: 'Endpoint' }],
      value: 'Retries',
      reduce: 'lastNotNull',
      queries: [now(increase(ownMetrics.apiRetries, '$__range', { by: ['endpoint'] }), '{{endpoint}}')],
      width: 7,
      height: 9,
    }),
  ],
};
