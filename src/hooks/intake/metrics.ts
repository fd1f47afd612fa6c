import { type OwnMetric, ownMetric } from '../../exposition/own-metric.ts';

/** The metrics about hook events; they are on the page where a hook token is configured. */
export const hookMetrics = {
  events: ownMetric({
    name: 'agent_platform_hook_events_total',
    help: 'Hook events that were taken, each once however often it was sent, by event; other for events of other names.',
    type: 'counter',
    labels: ['event'],
    unit: 'events',
    source: 'hook_event_name',
  }),
  sessionEnds: ownMetric({
    name: 'agent_platform_hook_session_ends_total',
    help: 'Sessions that ended, by reason; other for other reasons and for none.',
    type: 'counter',
    labels: ['reason'],
    unit: 'sessions',
    source: 'reason of SessionEnd',
  }),
  sessionsWaiting: ownMetric({
    name: 'agent_platform_hook_sessions_waiting',
    help: 'Sessions that wait for a human: their newest event is a Notification, and not older than an hour.',
    type: 'gauge',
    labels: [],
    unit: 'sessions',
    source: 'hook_event_name by session_id',
  }),
  lastEvent: ownMetric({
    name: 'agent_platform_hook_last_event_timestamp_seconds',
    help: 'When the newest event of this name happened, in Unix time; absent while there was none.',
    type: 'gauge',
    labels: ['event'],
    unit: 'seconds',
    source: 'occurred_at',
  }),
  eventsRejected: ownMetric({
    name: 'agent_platform_hook_events_rejected_total',
    help: 'Hook events that were not taken, by reason; a request that was refused as a whole counts as one.',
    type: 'counter',
    labels: ['reason'],
    unit: 'events',
    source: 'POST /hooks/events',
  }),
} as const satisfies Record<string, OwnMetric>;
