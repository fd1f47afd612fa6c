import { hookMetrics } from '../../../src/hooks/intake/metrics.ts';
import type { Row } from '../dashboard.ts';
import { newest, promql } from '../expression.ts';
import { palette } from '../palette.ts';
import { lines } from '../panels/chart.ts';
import { tile } from '../panels/tile.ts';
import { line, now } from '../query.ts';

/** What every panel here needs. */
export const HOW =
  'Hook events come from the agents’ clients by POST /hooks/events; without a hook token the exporter takes none.';
export const NO_EVENT = 'No event yet';

/** Who waits now. */
export const waiting: Row = {
  title: 'Who waits for a human?',
  panels: [
    tile({
      title: 'Sessions that wait',
      text: `Sessions whose newest event is a Notification of the last hour: somebody is asked for something. ${HOW}`,
      unit: 'none',
      queries: [now(newest(hookMetrics.sessionsWaiting), 'sessions')],
      noValue: 'Hooks are off',
      width: 5,
      height: 6,
    }),
    tile({
      title: 'Newest event',
      text: `How long ago the newest hook event happened. ${HOW}`,
      unit: 's',
      decimals: 0,
      queries: [now(promql`time() - max(${newest(hookMetrics.lastEvent)})`, 'ago')],
      noValue: NO_EVENT,
      width: 5,
      height: 6,
    }),
    lines({
      title: 'Sessions that wait, over time',
      text: `How many sessions waited for a human. ${HOW}`,
      unit: 'none',
      decimals: 0,
      queries: [line(newest(hookMetrics.sessionsWaiting), 'waiting', { colour: palette.second })],
      noValue: 'Hooks are off',
      width: 14,
      height: 6,
    }),
  ],
};
