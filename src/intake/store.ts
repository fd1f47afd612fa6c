import { DAY_MS, type Instant } from '../catalog/day.ts';
import {
  type Database,
  NotStored,
  type Query,
  type Row,
  sendRows,
  type TransactionMode,
} from '../store/database.ts';
import type { Clock } from '../work/clock.ts';
import { createSerialQueue } from '../work/serial-queue.ts';
import { nextAgeing } from './ageing.ts';
import { type Additions, additionsOf, type Counts } from './counts.ts';
import type { HookEvent } from './event.ts';
import { addMoments, countWaits, hasDue, raiseWaits } from './waits.ts';

/**
 * How long an event's id is remembered, in milliseconds; older events are rejected. By default a day longer than the
 * hook command spools events.
 */
const REMEMBERED_MS = 8 * DAY_MS;

/** Maximum number of remembered ids: about 100 MB. */
const MAX_IDS = 1_000_000;
/** Number of ids removed per commit: more than a commit adds, and few enough to take no noticeable time. */
const FORGOTTEN_AT_ONCE = 4_000;
/** Maximum number of sessions; beyond it, those without an event for longest are removed. */
const MAX_SESSIONS = 50_000;
/** Sessions are counted once in this many commits, because counting reads all of them. */
const COMMITS_PER_COUNT = 16;
/** The interval of checks for events that other processes have stored, in milliseconds. */
const LOOK_MS = 1_000;
/** The interval of counting waits and removing old events, in milliseconds. */
const TEND_MS = 60_000;
/** How long after a start no wait is counted, in milliseconds: senders may still hold events from before the start. */
const CATCH_UP_MS = 600_000;

/** Events that have arrived by an instant, in order of arrival. */
interface Arrived {
  readonly events: readonly HookEvent[];
  readonly now: Instant;
}

/** The result of a commit. */
interface Committed {
  /** Whether each event was new. */
  readonly isNew: readonly boolean[];
  readonly counts: Counts;
}

interface HookStoreParts {
  readonly database: Database;
  /** Reads the epoch, within a transaction. If it has changed, the database may have lost commits, or is another one. */
  epochOf(query: Query): Promise<string>;
  /** Set for a database that processes share; a file belongs to one process. */
  readonly shared?:
    | {
        /** Resolves once the schema is migrated. */
        readonly opened: Promise<void>;
        /** Called when the database has lost commits that this process has seen. */
        readonly onWentBack?: ((what: Readonly<Record<string, unknown>>) => void) | undefined;
        /** The database's time as an expression, in milliseconds; by default that of its clock. */
        readonly time?: (() => string) | undefined;
      }
    | undefined;
  readonly clock: Pick<Clock, 'now' | 'elapsed' | 'wait'>;
  readonly maxIds?: number;
}

/** The database's time, in milliseconds, when a statement reads it. */
const DATABASE_TIME = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

interface State {
  /** Number of the last commit. */
  readonly version: number;
  readonly ageing: { readonly at: Instant; readonly doubtedSince: Instant | undefined } | undefined;
  /** The newest arrival that was forgotten; 0 if there is none. */
  readonly forgotten: Instant;
  /** The number of remembered ids. */
  readonly ids: number;
  /** The time of a shared database. */
  readonly now: Instant | undefined;
}

/** The counts as this process has last read or written them. */
interface Seen {
  readonly version: number;
  readonly epoch: string | undefined;
  /** The newest arrival that was forgotten; 0 if there is none. */
  readonly forgotten: Instant;
  readonly counts: Counts;
}

const UNSEEN: Seen = {
  version: -1,
  epoch: undefined,
  forgotten: 0,
  counts: { events: new Map(), ends: new Map(), waitingUntil: [], waits: [] },
};

/**
 * Stores the counts of hook events and the ids of counted events, in a database that its caller closes. Methods reject with a
 * `NotStored` while the database is unavailable.
 */
export class HookStore {
  readonly #parts: HookStoreParts;
  readonly #closing = new AbortController();
  readonly #queue = createSerialQueue();
  /** `waiting`: the schema of a shared database is not migrated yet, and must not be used. */
  #phase: 'waiting' | 'open';
  #seen = UNSEEN;
  #drift: number | undefined;
  #nextTending: number;
  #listener: ((counts: Counts) => void) | undefined;
  /** Resolves when the watching loop has ended. */
  readonly #watching: Promise<void>;

  constructor(parts: HookStoreParts) {
    this.#parts = parts;
    this.#phase = parts.shared === undefined ? 'open' : 'waiting';
    this.#nextTending = parts.clock.elapsed() + CATCH_UP_MS;
    this.#watching = this.#watch().catch(() => undefined);
  }

  /** Reads the counts; can be called again after a failure. */
  load(): Promise<Counts> {
    return this.#queue.run(() => this.#read());
  }

  /**
   * Stores the events that `take` returns, in one transaction. Resolves once they are durable, with whether each was new (an id
   * that occurs twice is new once). Calls `take` at most once, when the store can write, so that events that arrive while it
   * waits for other processes are stored, too.
   */
  commit(take: () => Arrived): Promise<Committed> {
    return this.#queue.run(() => this.#commit(take));
  }

  /** The time before which events are rejected: their ids may be forgotten, so that they could be counted twice. */
  forgottenBefore(now: Instant): Instant {
    return Math.max(now - REMEMBERED_MS, this.#seen.forgotten);
  }

  /**
   * How far the store's time is ahead of this process's, in milliseconds. Processes that share a database use its clock, so that a
   * wrong clock of one of them neither forgets sessions of others nor dates events into the future. But if the database's clock is
   * more than a day off, and farther from the last commit, the process uses its own.
   */
  drift(): number {
    return this.#drift ?? 0;
  }

  /** Calls back with the counts after other processes have changed them. */
  onNews(listener: (counts: Counts) => void): void {
    this.#listener = listener;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#queue.idle();
    // A database that was never opened does not delay the shutdown.
    if (this.#phase === 'open') await this.#watching;
  }

  /** Reads the counts of other processes, counts waits and removes old events, until `close`. */
  async #watch(): Promise<void> {
    const { shared, clock } = this.#parts;
    const { signal } = this.#closing;
    await shared?.opened;
    if (signal.aborted) return;
    this.#phase = 'open';
    while (!signal.aborted) {
      if (shared !== undefined) await this.#queue.run(() => this.#look()).catch(() => undefined); // Reported by the database.
      if (clock.elapsed() >= this.#nextTending) {
        this.#nextTending = clock.elapsed() + TEND_MS;
        await this.#queue.run(() => this.#tend()).catch(() => undefined);
      }
      await clock.wait(shared === undefined ? TEND_MS : LOOK_MS, signal);
    }
  }

  /** Reads the counts, and calls the listener if other processes have changed them. */
  async #look(): Promise<void> {
    const { version, epoch } = this.#seen;
    const counts = await this.#read();
    if (version !== this.#seen.version || epoch !== this.#seen.epoch) this.#listener?.(counts);
  }

  async #tend(): Promise<void> {
    const isShared = this.#parts.shared !== undefined;
    const now = this.#now();
    const isDue = await this.#use(
      async (query) => (await hasDue(query, now)) || (isShared && (await hasFuture(query, now))),
      'snapshot',
    );
    if (!isDue) return;
    const { counts } = await this.#commit(() => ({ events: [], now: this.#now() }), 'tending');
    this.#listener?.(counts);
  }

  async #read(): Promise<Counts> {
    const seen = await this.#use(async (query) => {
      const { version, forgotten } = await this.#stateFrom(query, readState);
      const epoch = await this.#parts.epochOf(query);
      return { version, forgotten, epoch, counts: await readCounts(query, this.#now()) };
    }, 'snapshot');
    this.#noteOlder(seen.version);
    this.#note(seen);
    return seen.counts;
  }

  async #commit(take: () => Arrived, isTending?: 'tending'): Promise<Committed> {
    const { isNew, seen, base } = await this.#use(async (query) => {
      // Locks first: the arrival of the events is determined when `take` is called.
      const state = await this.#stateFrom(query, lockState);
      const { shared, maxIds = MAX_IDS } = this.#parts;
      const epoch = await this.#parts.epochOf(query);
      const known = this.#seen;
      // The file was removed or replaced: the new file continues with the known counts.
      if (shared === undefined && known.epoch !== undefined && known.epoch !== epoch)
        await raiseTo(query, known.counts);
      // After lost commits, events are counted from the counts that the database still has.
      const isOlder = state.version <= known.version;
      const base = shared !== undefined && isOlder ? await readCounts(query, this.#now()) : undefined;
      const { events, now } = take();
      const added = new Set(await remember(query, events, now));
      const isNew = events.map(({ id }) => added.delete(id));
      const fresh = events.filter((_, index) => isNew[index]);
      const { version } = state;
      await add(query, additionsOf(fresh, now), { now, version });
      const forgotten = await age(query, state, { now, more: fresh.length, maxIds });
      if (isTending !== undefined) await countWaits(query, now, forgotten);
      if (isTending !== undefined && shared !== undefined) await endFuture(query, now);
      return { isNew, base, seen: { version, forgotten, epoch, counts: await readCounts(query, now) } };
    }, 'write');
    if (base !== undefined) this.#listener?.(base);
    this.#noteOlder(seen.version - 1);
    this.#note(seen);
    return { isNew, counts: seen.counts };
  }

  async #use<Result>(work: (query: Query) => Promise<Result>, mode: TransactionMode): Promise<Result> {
    if (this.#phase === 'waiting') throw new NotStored(WAITING.detail, WAITING);
    return this.#parts.database.transaction(work, mode);
  }

  /** Reads the state, together with the time of a shared database. */
  async #stateFrom(query: Query, get: (query: Query, columns: string) => Promise<State>): Promise<State> {
    const { shared, clock } = this.#parts;
    if (shared === undefined) return get(query, STATE);
    const state = await get(query, `${STATE}, ${shared.time?.() ?? DATABASE_TIME} AS now`);
    this.#drift = driftOf(state, clock.now(), this.#drift);
    return state;
  }

  #now(): Instant {
    return this.#parts.clock.now() + this.drift();
  }

  /** Reports that the database has lost commits: its version is lower than one seen earlier. */
  #noteOlder(version: number): void {
    const { version: seen } = this.#seen;
    if (version < seen) this.#parts.shared?.onWentBack?.({ what: 'hook events', version, seen });
  }

  #note(seen: Seen): void {
    this.#seen = { ...seen, forgotten: Math.max(this.#seen.forgotten, seen.forgotten) };
  }
}

/** How far a shared database's time is ahead of this process's; `before`: the last known value. */
function driftOf({ now, ageing }: State, own: Instant, before: number | undefined): number | undefined {
  if (now === undefined) return before;
  const ahead = now - own;
  // Before the first commit, the last known drift stands in for its time.
  const last = ageing?.at ?? own + (before ?? ahead);
  // If the clocks are more than a day apart, the one that is farther from the last commit is wrong, even the database's.
  const isWrong = Math.abs(ahead) > DAY_MS && Math.abs(now - last) > Math.abs(own - last);
  return isWrong ? 0 : ahead;
}

const WAITING = {
  reason: 'waiting',
  detail: 'the database was not opened yet',
  hint: 'check that the server of storage.url is running and reachable from here',
};

const STATE = 'version, ageing_at, doubted_since, forgotten_at, ids';

/** Reads the state; before the first commit there is no row, and only the time is set. */
async function readState(query: Query, columns: string): Promise<State> {
  return stateIn((await query(`SELECT ${columns} FROM (SELECT 1) AS one LEFT JOIN S.hook_state ON true`))[0]);
}

/** Raises the version and reads the state. This locks the row, so that no other process commits before the transaction ends. */
async function lockState(query: Query, columns: string): Promise<State> {
  const text = `UPDATE S.hook_state SET version = version + 1 RETURNING ${columns}`;
  const [row] = await query(text);
  if (row !== undefined) return stateIn(row);
  // The table was emptied, or is new.
  await query(
    `INSERT INTO S.hook_state (single, ${STATE}) VALUES (1, 0, NULL, NULL, 0, 0) ON CONFLICT DO NOTHING`,
  );
  return stateIn((await query(text))[0]);
}

function stateIn(row: Row | undefined): State {
  const at = row?.['ageing_at'];
  return {
    version: Number(row?.['version'] ?? 0),
    ageing:
      typeof at === 'number' ? { at, doubtedSince: Number(row?.['doubted_since']) || undefined } : undefined,
    forgotten: Number(row?.['forgotten_at'] ?? 0),
    ids: Number(row?.['ids'] ?? 0),
    now: typeof row?.['now'] === 'number' ? row['now'] : undefined,
  };
}

async function readCounts(query: Query, now: Instant): Promise<Counts> {
  const rows = await query(
    `SELECT 'event' AS kind, name, count, last_at AS at, 0 AS ms FROM S.hook_event
     UNION ALL SELECT 'end', reason, count, NULL, NULL FROM S.hook_session_end
     UNION ALL SELECT 'waiting', NULL, NULL, until, NULL FROM S.hook_session WHERE waiting = 1 AND until > $1
     UNION ALL SELECT 'wait', type, count, bound, ms FROM S.hook_wait`,
    [now],
  );
  const byKind = Map.groupBy(rows, (row) => row['kind']);
  const of = (kind: string) => byKind.get(kind) ?? [];
  return {
    events: new Map(
      of('event').map((row) => [
        String(row['name']),
        { count: Number(row['count']), lastAt: Number(row['at']) },
      ]),
    ),
    ends: new Map(of('end').map((row) => [String(row['name']), Number(row['count'])])),
    waitingUntil: of('waiting').map((row) => Number(row['at'])),
    waits: of('wait').map((row) => ({
      type: String(row['name']),
      bound: Number(row['at']),
      count: Number(row['count']),
      ms: Number(row['ms']),
    })),
  };
}

/** Stores the ids of events; resolves with those that were new. */
async function remember(
  query: Query,
  events: readonly HookEvent[],
  now: Instant,
): Promise<readonly string[]> {
  const added = await sendRows(
    query,
    'INSERT INTO S.hook_seen (id, at) VALUES ROWS ON CONFLICT DO NOTHING RETURNING id',
    events.map(({ id }) => [id, now]),
  );
  return added.map((row) => String(row['id']));
}

const PUT_EVENTS =
  'INSERT INTO S.hook_event AS old (name, count, last_at) VALUES ROWS ON CONFLICT (name) DO UPDATE SET';
const LATER = 'last_at = CASE WHEN excluded.last_at > old.last_at THEN excluded.last_at ELSE old.last_at END';
/** Keeps the later time, but the next event replaces a time in the future, which a clock that was ahead has set. */
const LATEST =
  'last_at = CASE WHEN excluded.last_at > old.last_at OR old.last_at > $1 THEN excluded.last_at ELSE old.last_at END';
const PUT_ENDS =
  'INSERT INTO S.hook_session_end AS old (reason, count) VALUES ROWS ON CONFLICT (reason) DO UPDATE SET';

async function add(
  query: Query,
  { events, ends, sessions, moments }: Additions,
  { now, version }: { readonly now: Instant; readonly version: number },
): Promise<void> {
  await sendRows(query, `${PUT_EVENTS} count = old.count + excluded.count, ${LATEST}`, eventRows(events), [
    now,
  ]);
  await sendRows(query, `${PUT_ENDS} count = old.count + excluded.count`, [...ends]);
  await sendRows(
    query,
    // If the newest event of a session is in the future because the clock was set back, a present event still replaces it.
    `INSERT INTO S.hook_session AS old (id, at, waiting, until, version) VALUES ROWS ON CONFLICT (id) DO UPDATE
     SET at = excluded.at, waiting = excluded.waiting, until = excluded.until, version = excluded.version
     WHERE excluded.at >= CASE WHEN old.at > $1 THEN $1 ELSE old.at END`,
    [...sessions].map(([id, { at, waiting, until }]) => [id, at, waiting ? 1 : 0, until, version]),
    [now],
  );
  await addMoments(query, moments, now);
  // Ordered, so that a server without statistics does not read the whole table.
  await query(
    `DELETE FROM S.hook_session WHERE id IN (
       SELECT id FROM S.hook_session WHERE until <= $1 ORDER BY until LIMIT ${FORGOTTEN_AT_ONCE}
     )`,
    [now],
  );
  if (version % COMMITS_PER_COUNT !== 0) return;
  await query(
    `DELETE FROM S.hook_session WHERE id IN (
       SELECT id FROM S.hook_session ORDER BY until DESC, version DESC LIMIT ${MAX_SESSIONS} OFFSET ${MAX_SESSIONS}
     )`,
  );
}

/** Whether events are dated in the future, by a process whose clock was ahead. */
async function hasFuture(query: Query, now: Instant): Promise<boolean> {
  return (await query('SELECT 1 AS one FROM S.hook_event WHERE last_at > $1 LIMIT 1', [now])).length > 0;
}

/** Replaces times in the future by now. Otherwise an event without successors would keep such a time forever. */
async function endFuture(query: Query, now: Instant): Promise<void> {
  await query('UPDATE S.hook_event SET last_at = $1 WHERE last_at > $1', [now]);
}

/** Raises stored counts to these counts; higher stored counts stay. */
async function raiseTo(query: Query, { events, ends, waits }: Counts): Promise<void> {
  const larger = 'count = CASE WHEN excluded.count > old.count THEN excluded.count ELSE old.count END';
  await sendRows(query, `${PUT_EVENTS} ${larger}, ${LATER}`, eventRows(events));
  await sendRows(query, `${PUT_ENDS} ${larger}`, [...ends]);
  await raiseWaits(query, waits);
}

function eventRows(events: Counts['events']): readonly (readonly [string, number, Instant])[] {
  return [...events].map(([name, { count, lastAt }]) => [name, count, lastAt]);
}

/** Removes the oldest ids and stores the state after a commit; resolves with the newest arrival removed so far. */
async function age(
  query: Query,
  state: State,
  { now, more, maxIds }: { readonly now: Instant; readonly more: number; readonly maxIds: number },
): Promise<Instant> {
  const ageing = nextAgeing(state.ageing, now);
  const ids = state.ids + more;
  const forgot = await forget(query, ageing.at - REMEMBERED_MS - DAY_MS, ids - maxIds);
  const forgotten = Math.max(state.forgotten, forgot.newest);
  await query('UPDATE S.hook_state SET ageing_at = $1, doubted_since = $2, forgotten_at = $3, ids = $4', [
    ageing.at,
    ageing.doubtedSince ?? null,
    forgotten,
    ids - forgot.count,
  ]);
  return forgotten;
}

/**
 * Removes a bounded number of ids: those that arrived before an instant, and the oldest ones beyond the maximum. Resolves with the
 * number of removed ids, and the newest arrival among them, or 0.
 */
async function forget(
  query: Query,
  before: Instant,
  excess: number,
): Promise<{ readonly count: number; readonly newest: Instant }> {
  const [last] = await query(
    `SELECT max(at) AS at FROM (
       SELECT at FROM (SELECT at FROM S.hook_seen WHERE at < $1 ORDER BY at LIMIT ${FORGOTTEN_AT_ONCE}) AS old
       UNION ALL SELECT at FROM (SELECT at FROM S.hook_seen ORDER BY at LIMIT $2) AS many
     ) AS oldest`,
    [before, Math.min(Math.max(excess, 0), FORGOTTEN_AT_ONCE)],
  );
  const newest = Number(last?.['at'] ?? 0);
  if (newest === 0) return { count: 0, newest };
  const gone = await query('DELETE FROM S.hook_seen WHERE at <= $1 RETURNING 1 AS one', [newest]);
  return { count: gone.length, newest };
}
