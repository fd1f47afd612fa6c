import { type knownEvents, knownReasons, rejections } from '../../../src/hooks/intake/labels.ts';
import { hookMetrics } from '../../../src/hooks/intake/metrics.ts';
import { increase, newest, perMinute, promql } from '../expression.ts';
import type { Row } from '../layout.ts';
import { coloursOf } from '../palette.ts';
import { bars } from '../panels/chart.ts';
import { ranking } from '../panels/ranking.ts';
import { table } from '../panels/table.ts';
import { line, now, rows } from '../query.ts';
import { HOW, NO_EVENT } from './waiting.ts';

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

/** Events of the sessions. */
export const events: Row = {
  title: 'Events',
  panels: [
    bars({
      title: 'Events per minute',
      text: `Accepted hook events per minute, by event. Each event counts once, however often it is sent. ${HOW}`,
      unit: 'short',
      stack: 'values',
      queries: [line(perMinute(hookMetrics.events, { by: ['event'] }), '{{event}}', coloursOf(SHOWN))],
      noValue: NO_EVENT,
      width: 14,
      height: 9,
    }),
    table({
      title: 'Events by name',
      text: `Number of hook events of each name in the range, and the time since the newest. ${HOW}`,
      queries: [
        rows(increase(hookMetrics.events, '$__range', { by: ['event'] })),
        rows(promql`time() - ${newest(hookMetrics.lastEvent)}`),
      ],
      columns: [
        { of: 'event', title: 'Event' },
        {
          of: 0,
          title: 'In the range',
          unit: 'locale',
          total: true,
          properties: [{ id: 'decimals', value: 0 }],
        },
        { of: 1, title: 'Since newest', unit: 's', properties: [{ id: 'decimals', value: 0 }] },
      ],
      sort: { by: 'In the range', desc: true },
      noValue: NO_EVENT,
      width: 10,
      height: 9,
    }),
    bars({
      title: 'Sessions ended per minute, by reason',
      text: `Sessions ended per minute, by the reason that the client reported. ${HOW}`,
      unit: 'short',
      stack: 'values',
      queries: [
        line(perMinute(hookMetrics.sessionEnds, { by: ['reason'] }), '{{reason}}', coloursOf(knownReasons)),
      ],
      noValue: NO_EVENT,
      width: 14,
      height: 9,
    }),
    ranking({
      title: 'Rejected events',
      text: `Hook events rejected in the range, by reason (${rejections.join(', ')}); a request that was rejected as a whole counts as one. ${HOW}`,
      unit: 'locale',
      decimals: 0,
      labels: [{ of: 'reason', title: 'Reason' }],
      value: 'Events',
      reduce: 'lastNotNull',
      queries: [now(increase(hookMetrics.eventsRejected, '$__range', { by: ['reason'] }), '{{reason}}')],
      noValue: NO_EVENT,
      width: 10,
      height: 9,
    }),
  ],
};
