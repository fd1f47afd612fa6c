import type { Counter, Gauge, Registry } from 'prom-client';
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

type Shown = Pick<Counts, 'events' | 'ends' | 'waits'>;

/** The metrics about hook events in a registry. */
export class HookInstruments {
  readonly #registry: Registry;
  readonly #waiting: () => number;
  readonly #rejected: Counter<'reason'>;
  #counted: CountedInstruments | undefined;

  /** `waiting` is called at each scrape. */
  constructor(registry: Registry, waiting: () => number) {
    this.#registry = registry;
    this.#waiting = waiting;
    this.#rejected = makeCounter(registry, hookMetrics.eventsRejected);
    for (const reason of rejections) this.#rejected.inc({ reason }, 0);
  }

  rejected(reason: Rejection): void {
    this.#rejected.inc({ reason });
  }

  /** Publishes the stored counts; until then only rejections are published. */
  counted(counts: Shown): void {
    // Created only once the values are known: a counter that jumps from 0 would look like that many new events.
    this.#counted ??= new CountedInstruments(this.#registry, this.#waiting);
    this.#counted.show(counts);
  }
}

/** The metrics about counted events. */
class CountedInstruments {
  readonly #events: Counter<'event'>;
  readonly #ends: Counter<'reason'>;
  readonly #last: Gauge<'event'>;
  /** Waits by label and bucket. A type that only another release knows is counted as `unknown`. */
  readonly #waits = new Map<string, readonly [count: number, ms: number]>();
  /** The stored counts that were published last. An entry that the database has lost counts from 0 again. */
  #stored: ReadonlyMap<string, number> = new Map();

  constructor(registry: Registry, waiting: () => number) {
    this.#events = makeCounter(registry, hookMetrics.events);
    this.#ends = makeCounter(registry, hookMetrics.sessionEnds);
    this.#last = makeGauge(registry, hookMetrics.lastEvent);
    makeGauge(registry, hookMetrics.sessionsWaiting, (gauge) => gauge.set(waiting()));
    makeStoredHistogram(registry, hookMetrics.wait, () =>
      waitTypes.map((type) => ({
        labels: { notification_type: type },
        bucketsOf: (bound) => [this.#waits.get(`${type} ${bound}`) ?? [0, 0]],
      })),
    );
    for (const event of [...knownEvents, OTHER]) this.#events.inc({ event }, 0);
    for (const reason of knownReasons) this.#ends.inc({ reason }, 0);
  }

  show(counts: Shown): void {
    const before = this.#stored;
    const next = new Map<string, number>();
    for (const [event, { count, lastAt }] of counts.events) {
      this.#events.inc({ event }, added(`event ${event}`, count));
      this.#last.set({ event }, lastAt / 1000);
    }
    for (const [reason, count] of counts.ends) this.#ends.inc({ reason }, added(`end ${reason}`, count));
    for (const { type, bound, count, ms } of counts.waits) {
      const key = `wait ${type} ${bound}`;
      const shown = `${waitTypeLabel(type)} ${bound}`;
      const [known, knownMs] = this.#waits.get(shown) ?? [0, 0];
      this.#waits.set(shown, [known + added(key, count), knownMs + added(`${key} ms`, ms)]);
    }
    this.#stored = next;

    /** The increase since the last published count; 0 if the database was restored to an earlier state. */
    function added(key: string, count: number): number {
      next.set(key, count);
      return Math.max(0, count - (before.get(key) ?? 0));
    }
  }
}
