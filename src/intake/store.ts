import { DAY_MS, type Instant } from '../catalog/day.ts';
import { type Database, NotStored, type Query, type Row, type TransactionMode } from '../store/database.ts';
import { sendRows } from '../store/send-rows.ts';
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
/** Sessions are counted now and then: counting reads all of them. */
const COMMITS_PER_COUNT = 16;
/** How often events that other processes took are looked for, in milliseconds. */
const LOOK_MS = 1_000;
/** How often waits are counted, and forgotten events removed, in milliseconds. */
const TEND_MS = 60_000;
/** Senders may still have what happened while no process ran: after a start no wait is counted for so long, in milliseconds. */
const CATCH_UP_MS = 600_000;

/** Events that have arrived by an instant, in order of arrival. */
interface Arrived {
  readonly events: readonly HookEvent[];
  readonly now: Instant;
}

/** Stores the counts, and the ids of counted events. Rejects with a `NotStored` while that is impossible. */
export interface HookStore {
  /** Reads the counts; can be called again after a failure. */
  load(): Promise<Counts>;
  /**
   * Stores the events that `take` gives, as one transaction, and resolves once they are durable, with whether each was new (an id
   * that occurs twice is new once). `take` is called at most once, when they can be stored: what arrives while the store waits for
   * other processes is stored with the rest.
   */
  commit(take: () => Arrived): Promise<{ readonly isNew: readonly boolean[]; readonly counts: Counts }>;
  /** Events from before this time may have been forgotten: they cannot be distinguished from counted ones. */
  forgottenBefore(now: Instant): Instant;
  /**
   * How far the store's time is ahead of this process's, in milliseconds: where processes share a database, its clock judges, so that
   * a wrong one of theirs neither forgets sessions of others nor dates events into the future; unless it has left the time of the
   * last commit by more than a day.
   */
  drift(): number;
  /** Calls back with the counts after other processes have changed them. */
  onNews(listener: (counts: Counts) => void): void;
  close(): Promise<void>;
}

interface HookStoreDeps {
  readonly database: Database;
  /** Within a transaction: in another epoch than before, the database may have lost commits, or is another one. */
  epochOf(query: Query): Promise<string>;
  /** What processes that share the database need; a file belongs to one. */
  readonly shared?:
    | {
        /** Resolves once the database can be used. */
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

/** Of the database, when the statement reads it. */
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

/** Creates the store over a database, which its caller closes. */
export function createHookStore(deps: HookStoreDeps): HookStore {
  const { database, shared, clock, maxIds = MAX_IDS } = deps;
  const closing = new AbortController();
  const queue = createSerialQueue();
  let isOpen = shared === undefined;
  let nextTending = clock.elapsed() + CATCH_UP_MS;
  let known: Counts = { events: new Map(), ends: new Map(), waitingUntil: [], waits: [] };
  let version = -1;
  let epoch: string | undefined;
  let forgotten: Instant = 0;
  let drift: number | undefined;
  let listener: ((counts: Counts) => void) | undefined;
  const watching = (shared?.opened ?? Promise.resolve()).then(watch).catch(() => undefined);

  /** The columns of the state, and the time of a shared database. */
  function stateColumns(): string {
    if (shared === undefined) return STATE;
    return `${STATE}, ${shared.time?.() ?? DATABASE_TIME} AS now`;
  }

  function noteTime({ now, ageing }: State): void {
    if (now === undefined) return;
    const own = clock.now();
    const ahead = now - own;
    // Before the first commit, what was seen earlier is as good.
    const last = ageing?.at ?? own + (drift ?? ahead);
    // Of clocks that are more than a day apart, the one that is farther from the last commit is wrong, be it the database's.
    const isWrong = Math.abs(ahead) > DAY_MS && Math.abs(now - last) > Math.abs(own - last);
    drift = isWrong ? 0 : ahead;
  }

  function storeNow(): Instant {
    return clock.now() + (drift ?? 0);
  }

  async function watch(): Promise<void> {
    isOpen = !closing.signal.aborted;
    while (!closing.signal.aborted) {
      if (shared !== undefined) await queue.run(look).catch(() => undefined); // Reported by the database.
      if (clock.elapsed() >= nextTending) {
        nextTending = clock.elapsed() + TEND_MS;
        await queue.run(tend).catch(() => undefined);
      }
      await clock.wait(shared === undefined ? TEND_MS : LOOK_MS, closing.signal);
    }
  }

  /** Reads the counts if others have changed them. */
  async function look(): Promise<void> {
    const [before, known] = [version, epoch];
    const counts = await read();
    if (version !== before || epoch !== known) listener?.(counts);
  }

  async function tend(): Promise<void> {
    const now = storeNow();
    const isDue = await use(
      async (query) => (await hasDue(query, now)) || (shared !== undefined && (await hasFuture(query, now))),
      'snapshot',
    );
    if (!isDue) return;
    const { counts } = await commitNow(() => ({ events: [], now: storeNow() }), true);
    listener?.(counts);
  }

  /** A schema that is not current yet is not touched. */
  async function use<Result>(
    work: (query: Query) => Promise<Result>,
    mode: TransactionMode,
  ): Promise<Result> {
    if (!isOpen) throw new NotStored(WAITING.detail, WAITING);
    return database.transaction(work, mode);
  }

  async function read(): Promise<Counts> {
    const seen = await use(async (query) => {
      const state = await readState(query, stateColumns());
      noteTime(state);
      return { state, epoch: await deps.epochOf(query), counts: await readCounts(query, storeNow()) };
    }, 'snapshot');
    noteOlder(seen.state.version);
    note(seen.state, seen.epoch, seen.counts);
    return seen.counts;
  }

  /** A version that is lower than one seen earlier says that the database has lost commits. */
  function noteOlder(now: number): void {
    if (now < version) shared?.onWentBack?.({ what: 'hook events', version: now, seen: version });
  }

  function note(state: Pick<State, 'version' | 'forgotten'>, seen: string, counts: Counts): void {
    ({ version } = state);
    forgotten = Math.max(forgotten, state.forgotten);
    epoch = seen;
    known = counts;
  }

  async function commitNow(take: () => Arrived, isTending = false) {
    const done = await use(async (query) => {
      const state = await lockState(query, stateColumns());
      // Before it is known when they arrived.
      noteTime(state);
      const seen = await deps.epochOf(query);
      // The file was removed or replaced: the new one continues with what was counted.
      if (shared === undefined && epoch !== undefined && seen !== epoch) await raiseTo(query, known);
      const { events, now } = take();
      const added = new Set(await remember(query, events, now));
      const isNew = events.map(({ id }) => added.delete(id));
      const fresh = events.filter((_, index) => isNew[index]);
      await add(query, additionsOf(fresh, now), { now, version: state.version });
      const ageing = nextAgeing(state.ageing, now);
      const ids = state.ids + fresh.length;
      const forgot = await forget(query, ageing.at - REMEMBERED_MS - DAY_MS, ids - maxIds);
      const next = {
        version: state.version,
        forgotten: Math.max(state.forgotten, forgot.newest),
      };
      if (isTending) await countWaits(query, now, next.forgotten);
      if (isTending && shared !== undefined) await endFuture(query, now);
      await query('UPDATE S.hook_state SET ageing_at = $1, doubted_since = $2, forgotten_at = $3, ids = $4', [
        ageing.at,
        ageing.doubtedSince ?? null,
        next.forgotten,
        ids - forgot.count,
      ]);
      return { isNew, next, seen, counts: await readCounts(query, now) };
    }, 'write');
    noteOlder(done.next.version - 1);
    note(done.next, done.seen, done.counts);
    return { isNew: done.isNew, counts: done.counts };
  }

  return {
    load: () => queue.run(read),
    commit: (take) => queue.run(() => commitNow(take)),
    drift: () => drift ?? 0,
    forgottenBefore: (now) => Math.max(now - REMEMBERED_MS, forgotten),
    onNews(next) {
      listener = next;
    },
    async close() {
      closing.abort();
      await queue.idle();
      // A database that was never opened does not hold up the end.
      if (isOpen) await watching;
    },
  };
}

const WAITING = {
  reason: 'waiting',
  detail: 'the database was not opened yet',
  hint: 'check that the server of storage.url is running and reachable from here',
};

const STATE = 'version, ageing_at, doubted_since, forgotten_at, ids';

/** There is no row before the first commit, but a time. */
async function readState(query: Query, columns: string): Promise<State> {
  return stateIn((await query(`SELECT ${columns} FROM (SELECT 1) AS one LEFT JOIN S.hook_state ON true`))[0]);
}

/** Counts the commit and reads the state, which no other process changes before the end of the transaction. */
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

/** Remembers the ids of events; resolves with those that were not known. */
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
/** A time in the future, of a clock that was ahead, gives way to the next event. */
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
    // A session whose newest event is dated in the future, since the clock was set back, is changed by what happens now.
    `INSERT INTO S.hook_session AS old (id, at, waiting, until, version) VALUES ROWS ON CONFLICT (id) DO UPDATE
     SET at = excluded.at, waiting = excluded.waiting, until = excluded.until, version = excluded.version
     WHERE excluded.at >= CASE WHEN old.at > $1 THEN $1 ELSE old.at END`,
    [...sessions].map(([id, { at, waiting, until }]) => [id, at, waiting ? 1 : 0, until, version]),
    [now],
  );
  await addMoments(query, moments, now);
  // In order, so that a server without statistics does not read the whole table.
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

/** Otherwise a name without further events would have such a time for good. */
async function endFuture(query: Query, now: Instant): Promise<void> {
  await query('UPDATE S.hook_event SET last_at = $1 WHERE last_at > $1', [now]);
}

/** Stores these counts where fewer are stored. */
async function raiseTo(query: Query, { events, ends, waits }: Counts): Promise<void> {
  const larger = 'count = CASE WHEN excluded.count > old.count THEN excluded.count ELSE old.count END';
  await sendRows(query, `${PUT_EVENTS} ${larger}, ${LATER}`, eventRows(events));
  await sendRows(query, `${PUT_ENDS} ${larger}`, [...ends]);
  await raiseWaits(query, waits);
}

function eventRows(events: Counts['events']): readonly (readonly [string, number, Instant])[] {
  return [...events].map(([name, { count, lastAt }]) => [name, count, lastAt]);
}

/**
 * Forgets a bounded number of ids: those that arrived before an instant, and the oldest of too many. Resolves with their number
 * and the newest arrival among them, or 0.
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
