import { type knownEvents, knownReasons, rejections, waitTypes } from '../../src/intake/labels.ts';
import { hookMetrics } from '../../src/intake/metrics.ts';
import { increase, newest, perMinute, promql, quantile, rate } from './expression.ts';
import { since } from './figures.ts';
import type { Row } from './layout.ts';
import { coloursOf, palette } from './palette.ts';
import { bars, lines } from './panels/chart.ts';
import type { Placed } from './panels/panel.ts';
import { ranking } from './panels/ranking.ts';
import { table } from './panels/table.ts';
import { tile } from './panels/tile.ts';
import { line, now, type Query } from './query.ts';

/** How hooks are set up, for whoever has none. */
const NO_EVENT =
  'No hook event yet. Give the exporter a hook token, and each agent the settings that agent-platform-exporter hook-config prints: see docs/hook-intake.md';
const HOW =
  'Hook events come from the agents’ clients through POST /hooks/events. Without a hook token the exporter accepts none.';

/** The events with their own colour; there are more events than distinguishable colours. */
const SHOWN = [
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'Notification',
  'Stop',
  'SessionStart',
  'SessionEnd',
] as const satisfies readonly (typeof knownEvents)[number][];

const buckets = rate(hookMetrics.wait, { by: [], suffix: '_bucket' });

/** Hook events per minute, stacked by a label. */
function perMinuteBy(title: string, text: string, legend: string, query: Query): Placed {
  return bars({
    title,
    text: `${text} ${HOW}`,
    stack: 'values',
    queries: [{ ...query, legend }],
    noValue: NO_EVENT,
  });
}

/** Sessions as they happen. */
export const live: Row = {
  title: 'Live sessions, by hooks',
  folded: true,
  panels: [
    tile({
      title: 'Sessions waiting',
      text: `Sessions whose newest event is a Notification within the last hour that asks for an answer, and the time since the newest hook event. ${HOW}`,
      unit: 'none',
      queries: [
        now(newest(hookMetrics.sessionsWaiting), 'sessions'),
        now(promql`time() - max(${newest(hookMetrics.lastEvent)})`, 'since the newest event', {
          unit: 's',
          decimals: 0,
        }),
      ],
      noValue: 'Off or down',
      width: 6,
      height: 8,
    }),
    lines({
      title: 'Sessions waiting over time',
      text: `Number of sessions waiting for a human. ${HOW}`,
      unit: 'none',
      decimals: 0,
      queries: [line(newest(hookMetrics.sessionsWaiting), 'waiting', { colour: palette.second })],
      noValue: NO_EVENT,
      width: 9,
    }),
    lines({
      title: 'Wait for a human',
      text: `Time from a Notification that waits to the session’s next event, at most an hour; a wait is counted an hour after it began. ${HOW}`,
      unit: 's',
      queries: [
        line(quantile(0.5, buckets), 'median', { colour: palette.main }),
        line(quantile(0.9, buckets), '90th percentile', { colour: palette.second }),
      ],
      noValue: NO_EVENT,
      width: 9,
    }),
    perMinuteBy(
      'Waits per minute, by what is waited for',
      'Waits for a human per minute, by the type of their notification: unknown for agents that do not say.',
      '{{notification_type}}',
      line(
        perMinute(hookMetrics.wait, { by: ['notification_type'], suffix: '_count' }),
        '',
        coloursOf(waitTypes),
      ),
    ),
    perMinuteBy(
      'Events per minute',
      'Accepted hook events per minute, by event. Each event counts once, however often it is sent.',
      '{{event}}',
      line(perMinute(hookMetrics.events, { by: ['event'] }), '', coloursOf(SHOWN)),
    ),
    perMinuteBy(
      'Sessions ended per minute, by reason',
      'Sessions ended per minute, by the reason that the client reported.',
      '{{reason}}',
      line(perMinute(hookMetrics.sessionEnds, { by: ['reason'] }), '', coloursOf(knownReasons)),
    ),
    table({
      title: 'Events by name',
      text: `Number of hook events of each name in the range, and the time since the newest. ${HOW}`,
      columns: [
        { of: 'event', title: 'Event' },
        {
          of: increase(hookMetrics.events, '$__range', { by: ['event'] }),
          title: 'In the range',
          unit: 'locale',
          total: true,
          decimals: 0,
        },
        { of: since(newest(hookMetrics.lastEvent)), title: 'Since newest', unit: 's', decimals: 0 },
      ],
      sort: { by: 'In the range', desc: true },
      noValue: '–',
      width: 12,
    }),
    ranking({
      title: 'Rejected events',
      text: `Hook events rejected in the range, by reason (${rejections.join(', ')}); a request that was rejected as a whole counts as one. ${HOW}`,
      unit: 'locale',
      decimals: 0,
      labels: [{ of: 'reason', title: 'Reason' }],
      value: 'Events',
      figure: now(increase(hookMetrics.eventsRejected, '$__range', { by: ['reason'] })),
      noValue: NO_EVENT,
      width: 24,
      height: 6,
    }),
  ],
};
