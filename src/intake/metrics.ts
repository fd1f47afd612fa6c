import type { Registry } from 'prom-client';
import {
  makeCounter,
  makeGauge,
  makeStoredHistogram,
  type OwnMetric,
  ownMetric,
} from '../exposition/own-metric.ts';
import type { Counts } from './counts.ts';
import {
  knownEvents,
  knownReasons,
  OTHER,
  type Rejection,
  rejections,
  waitTypeLabel,
  waitTypes,
} from './labels.ts';
import { WAIT_BOUNDS } from './waits.ts';

/** The metrics about hook events; they are published if a hook token is configured. */
export const hookMetrics = {
  events: ownMetric({
    name: 'agent_platform_hook_events_total',
    help: 'Hook events by event name, each counted once; other for unknown names.',
    type: 'counter',
    labels: ['event'],
    unit: 'events',
    source: 'hook_event_name',
    sharedBy: 'store',
  }),
  sessionEnds: ownMetric({
    name: 'agent_platform_hook_session_ends_total',
    help: 'Sessions ended by reason; other for unknown or missing reasons.',
    type: 'counter',
    labels: ['reason'],
    unit: 'sessions',
    source: 'reason of SessionEnd',
    sharedBy: 'store',
  }),
  sessionsWaiting: ownMetric({
    name: 'agent_platform_hook_sessions_waiting',
    help: 'Sessions waiting for a human: their newest event is a Notification of the last hour that asks for one.',
    type: 'gauge',
    labels: [],
    unit: 'sessions',
    source: 'hook_event_name and notification_type by session_id',
    sharedBy: 'store',
  }),
  wait: ownMetric({
    name: 'agent_platform_hook_wait_seconds',
    help: 'Time from a Notification that waits for a human to the next event of its session, at most an hour; counted an hour later.',
    type: 'histogram',
    labels: ['notification_type'],
    unit: 'seconds',
    source: 'occurred_at and notification_type by session_id',
    sharedBy: 'store',
    buckets: WAIT_BOUNDS,
  }),
  lastEvent: ownMetric({
    name: 'agent_platform_hook_last_event_timestamp_seconds',
    help: 'Unix time of the newest event of this name; absent before the first one.',
    type: 'gauge',
    labels: ['event'],
    unit: 'seconds',
    source: 'occurred_at',
  }),
  eventsRejected: ownMetric({
    name: 'agent_platform_hook_events_rejected_total',
    help: 'Rejected hook events by reason; a request that was rejected as a whole counts as one.',
    type: 'counter',
    labels: ['reason'],
    unit: 'events',
    source: 'POST /hooks/events',
  }),
} as const satisfies Record<string, OwnMetric>;

/** The metrics about hook events and the methods that update them. */
export interface HookInstruments {
  rejected(reason: Rejection, count?: number): void;
  /** Publishes the stored counts; until then only rejections are published. */
  counted(counts: Shown): void;
}

type Shown = Pick<Counts, 'events' | 'ends' | 'waits'>;

/** Adds the metrics to a registry; `waiting` is called at each scrape. */
export function createHookInstruments(registry: Registry, waiting: () => number): HookInstruments {
  const rejected = makeCounter(registry, hookMetrics.eventsRejected);
  for (const reason of rejections) rejected.inc({ reason }, 0);
  let show: ((changes: Shown) => void) | undefined;

  /** Created once their values are known: a counter that starts at 0 and jumps would look like that many events. */
  function makeCounted(): (changes: Shown) => void {
    const events = makeCounter(registry, hookMetrics.events);
    const ends = makeCounter(registry, hookMetrics.sessionEnds);
    const last = makeGauge(registry, hookMetrics.lastEvent);
    makeGauge(registry, hookMetrics.sessionsWaiting, (gauge) => gauge.set(waiting()));
    /** By label and bucket. Types that only another release knows have the label of unknown ones. */
    const waits = new Map<string, readonly [count: number, ms: number]>();
    makeStoredHistogram(registry, hookMetrics.wait, () =>
      waitTypes.map((type) => ({
        labels: { notification_type: type },
        bucketsOf: (bound) => [waits.get(`${type} ${bound}`) ?? [0, 0]],
      })),
    );
    for (const event of [...knownEvents, OTHER]) events.inc({ event }, 0);
    for (const reason of knownReasons) ends.inc({ reason }, 0);
    // What a database no longer has, it counts from the beginning.
    let stored: ReadonlyMap<string, number> = new Map();
    return (counts) => {
      const next = new Map<string, number>();
      /** What was counted since the last stored count; nothing if a database was restored to an earlier one. */
      function added(key: string, count: number): number {
        next.set(key, count);
        return Math.max(0, count - (stored.get(key) ?? 0));
      }
      for (const [event, { count, lastAt }] of counts.events) {
        events.inc({ event }, added(`event ${event}`, count));
        last.set({ event }, lastAt / 1000);
      }
      for (const [reason, count] of counts.ends) ends.inc({ reason }, added(`end ${reason}`, count));
      for (const { type, bound, count, ms } of counts.waits) {
        const key = `wait ${type} ${bound}`;
        const shown = `${waitTypeLabel(type)} ${bound}`;
        const [before, beforeMs] = waits.get(shown) ?? [0, 0];
        waits.set(shown, [before + added(key, count), beforeMs + added(`${key} ms`, ms)]);
      }
      stored = next;
    };
  }

  return {
    rejected: (reason, count = 1) => rejected.inc({ reason }, count),
    counted(counts) {
      show ??= makeCounted();
      show(counts);
    },
  };
}
