import type { Instant } from '../../../catalog/day.ts';
import { NotStored } from '../../../history/history.ts';
import type { Database, Query } from '../../../history/postgres/database.ts';
import { storable } from '../../../history/postgres/values.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { createSerialQueue } from '../../../runtime/serial-queue.ts';
import { applied, type Changes, type SessionState, type Tally } from '../counts.ts';
import { nextAgeing } from '../sqlite/tables.ts';
import { type Commit, type HookStore, HookStoreError, REMEMBERED_MS } from '../store.ts';
import { type HookState, readNews, readState, remember, write } from './rows.ts';

/** Maximum number of remembered ids, in a table of about 150 MB. */
const MAX_IDS = 1_000_000;
/** An event may come from a clock that is a day ahead. */
const DAY_MS = 24 * 3_600_000;
/** Number of ids removed for each one added, while there are too many. */
const EXCESS = 2;
/** How often events that other processes took are looked for, in milliseconds. */
const LOOK_MS = 1_000;

/**
 * Stores hook events in a database that several processes share. Their commits come one after the other; each adds to what
 * the others have counted.
 */
export function createPostgresHookStore({
  database,
  opened,
  clock,
  maxIds = MAX_IDS,
  onWentBack,
}: {
  readonly database: Database;
  /** Called when the database has lost commits that this process has seen. */
  readonly onWentBack?: ((what: Readonly<Record<string, unknown>>) => void) | undefined;
  /** Resolves once the schema is current. */
  readonly opened: Promise<void>;
  readonly clock: Clock;
  readonly maxIds?: number;
}): HookStore {
  const closing = new AbortController();
  const turns = createSerialQueue();
  let isOpen = false;
  const sessions = new Map<string, SessionState>();
  let known: Tally = { events: new Map(), ends: new Map(), sessions };
  let version = -1;
  /** In another one, commits may be missing. */
  let epoch = '';
  /** Monotonic instant of the last look or commit. */
  let caughtUpAt = Number.NEGATIVE_INFINITY;
  let forgotten: Instant = 0;
  let listener: ((changes: Changes) => void) | undefined;
  const watching = opened.then(watch).catch(() => undefined);

  async function watch(): Promise<void> {
    if (closing.signal.aborted) return;
    isOpen = true;
    for (;;) {
      await look().catch(() => undefined); // Reported by the database.
      await clock.wait(LOOK_MS, closing.signal);
    }
  }

  function look(): Promise<void> {
    return turns.run(async () => {
      // Each commit does it too.
      if (clock.elapsed() - caughtUpAt >= LOOK_MS) await catchUp();
    });
  }

  async function use<Result>(
    work: (query: Query) => Promise<Result>,
    mode: 'write' | 'snapshot',
  ): Promise<Result> {
    if (!isOpen) throw new HookStoreError(WAITING);
    try {
      return await database.transaction(work, mode);
    } catch (error) {
      throw error instanceof NotStored ? new HookStoreError(error.details) : error;
    }
  }

  /** Reads the state; if commits may be missing, everything is read again. */
  async function stateIn(query: Query, lock: '' | 'FOR UPDATE'): Promise<HookState> {
    const state = await readState(query, database.schema, lock);
    const isOlder = state.version < version;
    if (isOlder) onWentBack?.({ what: 'hook events', version: state.version, seen: version });
    if (isOlder || state.leader.epoch !== epoch) version = -1;
    epoch = state.leader.epoch;
    return state;
  }

  /**
   * Applies what other processes have counted. The counts are always whole: after commits were lost, another process may
   * have reached the same version with other ones.
   */
  function apply(changes: Changes, now: number): void {
    forgetSilent(sessions, clock.now());
    const gone = version < 0 ? [...sessions.keys()].filter((id) => !changes.sessions.has(id)) : [];
    const all = new Map([...gone.map((id) => [id, undefined] as const), ...changes.sessions]);
    const news = { ...changes, sessions: all };
    known = applied(sessions, news);
    version = now;
    listener?.(news);
  }

  /** Reads what other processes have counted. */
  async function catchUp(): Promise<void> {
    await use(async (query) => {
      const state = await stateIn(query, '');
      forgotten = Math.max(forgotten, state.forgotten);
      if (state.version !== version) apply(await readNews(query, database.schema, version), state.version);
    }, 'snapshot');
    caughtUpAt = clock.elapsed();
  }

  async function commitNow({ take, decide }: Commit): Promise<Changes> {
    const { changes, next, latest } = await use(async (query) => {
      const { schema } = database;
      const state = await stateIn(query, 'FOR UPDATE');
      const { ids, now } = take();
      const news = await remember(query, schema, version, { ids, now });
      if (news.isCopied) throw new HookStoreError(COPYING);
      apply(news.changes, state.version);
      const added = new Set(news.added);
      const changes = decide(
        ids.map((id) => added.delete(storable(id))),
        known,
      );
      const next = state.version + 1;
      const ageing = nextAgeing(state.ageing, now);
      const latest = await write(query, schema, {
        ...{ before: known, changes, version: next, ageing },
        forgetBefore: ageing.at - REMEMBERED_MS - DAY_MS,
        // The estimate lags behind: were more removed than added, all would be gone before it is corrected.
        excess: state.ids > maxIds ? EXCESS * news.added.length : 0,
      });
      return { changes, next, latest };
    }, 'write');
    version = next;
    forgotten = Math.max(forgotten, latest);
    known = applied(sessions, changes);
    caughtUpAt = clock.elapsed();
    return changes;
  }

  return {
    load: () =>
      turns.run(async () => {
        await catchUp();
        return known;
      }),
    commit: (commit) => turns.run(() => commitNow(commit)),
    forgottenBefore: (now) => Math.max(now - REMEMBERED_MS, forgotten),
    onNews(next) {
      listener = next;
    },
    async close() {
      closing.abort();
      // Until the schema is current, nothing was begun, and the wait for that ends only with the history.
      if (isOpen) await watching;
      await turns.idle();
    },
  };
}

const WAITING = {
  reason: 'waiting',
  detail: 'the database was not opened yet',
  hint: 'check that the server of storage.url is running and reachable from here',
};

const COPYING = {
  reason: 'copying',
  detail: 'the database is being copied',
  hint: 'nothing: senders keep their events until it is finished',
};

/** Other processes may have removed these from the database. */
function forgetSilent(sessions: Map<string, SessionState>, now: Instant): void {
  for (const [id, { until }] of sessions) {
    if (until > now) return;
    sessions.delete(id);
  }
}
