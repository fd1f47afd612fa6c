import { hookMetrics } from '../../../src/hooks/intake/metrics.ts';
import { newest, promql } from '../expression.ts';
import type { Row } from '../layout.ts';
import { palette } from '../palette.ts';
import { lines } from '../panels/chart.ts';
import { tile } from '../panels/tile.ts';
import { line, now } from '../query.ts';

/** The prerequisite of every panel here. */
export const HOW =
  'Hook events come from the agents’ clients through POST /hooks/events. Without a hook token the exporter accepts none.';
export const NO_EVENT = 'No event yet';

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
  ],
};
