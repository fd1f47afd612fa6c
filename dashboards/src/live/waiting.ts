import { waitTypes } from '../../../src/hooks/intake/labels.ts';
import { hookMetrics } from '../../../src/hooks/intake/metrics.ts';
import { type Expression, newest, perMinute, promql, rate } from '../expression.ts';
import type { Row } from '../layout.ts';
import { coloursOf, palette } from '../palette.ts';
import { bars, lines } from '../panels/chart.ts';
import { tile } from '../panels/tile.ts';
import { line, now } from '../query.ts';

/** The prerequisite of every panel here. */
export const HOW =
  'Hook events come from the agents’ clients through POST /hooks/events. Without a hook token the exporter accepts none.';
export const NO_EVENT = 'No event yet';

const buckets = rate(hookMetrics.wait, { by: [], suffix: '_bucket' });

function quantile(of: number): Expression {
  return { text: `histogram_quantile(${of}, ${buckets.text})`, about: buckets.about };
}

/** Waiting sessions. */
export const waiting: Row = {
  title: 'Waiting sessions',
  panels: [
    tile({
      title: 'Sessions waiting',
      text: `Sessions whose newest event is a Notification within the last hour that asks for an answer. ${HOW}`,
      unit: 'none',
      queries: [now(newest(hookMetrics.sessionsWaiting), 'sessions')],
      noValue: 'Off or down',
      width: 5,
      height: 6,
    }),
    tile({
      title: 'Newest event',
      text: `Time since the newest hook event. ${HOW}`,
      unit: 's',
      decimals: 0,
      queries: [now(promql`time() - max(${newest(hookMetrics.lastEvent)})`, 'ago')],
      noValue: NO_EVENT,
      width: 5,
      height: 6,
    }),
    lines({
      title: 'Sessions waiting over time',
      text: `Number of sessions waiting for a human. ${HOW}`,
      unit: 'none',
      decimals: 0,
      queries: [line(newest(hookMetrics.sessionsWaiting), 'waiting', { colour: palette.second })],
      noValue: 'Off or down',
      width: 14,
      height: 6,
    }),
    lines({
      title: 'Wait for a human',
      text: `Time from a Notification that waits to the session’s next event, at most an hour; a wait is counted an hour after it began. ${HOW}`,
      unit: 's',
      queries: [
        line(quantile(0.5), 'median', { colour: palette.main }),
        line(quantile(0.9), '90th percentile', { colour: palette.second }),
      ],
      noValue: NO_EVENT,
      width: 10,
      height: 8,
    }),
    bars({
      title: 'Waits per minute, by what is waited for',
      text: `Waits for a human per minute, by the type of their notification: unknown for agents that do not say. ${HOW}`,
      unit: 'short',
      stack: 'values',
      queries: [
        line(
          perMinute(hookMetrics.wait, { by: ['notification_type'], suffix: '_count' }),
          '{{notification_type}}',
          coloursOf(waitTypes),
        ),
      ],
      noValue: NO_EVENT,
      width: 14,
      height: 8,
    }),
  ],
};
