import type { Instant } from '../../../catalog/day.ts';
import { NotStored } from '../../../history/history.ts';
import type { Database, Query, Row } from '../../../history/postgres/database.ts';
import { isBeingCopied } from '../../../history/postgres/schema.ts';
import { msOf, storable } from '../../../history/postgres/values.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { createSerialQueue } from '../../../runtime/serial-queue.ts';
import { applied, type Changes, type SessionState, type Tally } from '../counts.ts';
import { type Ageing, nextAgeing } from '../sqlite/tables.ts';
import { type Commit, type HookStore, HookStoreError, REMEMBERED_MS } from '../store.ts';

/** Maximum number of remembered ids, in a table of about 150 MB. */
const MAX_IDS = 1_000_000;
/** An event may come from a clock that is a day ahead. */
const DAY_MS = 24 * 3_600_000;
/** Number of ids removed per commit: more than a commit adds, and few enough to take no noticeable time. */
const FORGOTTEN_AT_ONCE = 4_000;
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
}: {
  readonly database: Database;
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
  let forgotten: Instant = 0;
  let listener: ((changes: Changes) => void) | undefined;
  const watching = opened.then(watch).catch(() => undefined);

  async function watch(): Promise<void> {
    isOpen = true;
    for (;;) {
      await look().catch(() => undefined); // Reported by the database.
      await clock.wait(LOOK_MS, closing.signal);
    }
  }

  function look(): Promise<void> {
    return turns.run(async () => {
      await use((query) => catchUp(query, ''), 'snapshot');
    });
  }

  async function use<Result>(
    work: (query: Query) => Promise<Result>,
    mode: 'write' | 'snapshot',
  ): Promise<Result> {
    if (!isOpen) throw new HookStoreError(WAITING);
    try {
      return await database.transaction(work, mode, 'hooks');
    } catch (error) {
      throw error instanceof NotStored ? new HookStoreError(error.details) : error;
    }
  }

  /** Reads what is new, and holds other commits up if the state is locked. */
  async function catchUp(query: Query, lock: '' | 'FOR UPDATE'): Promise<Row> {
    const { schema } = database;
    const [state] = await query(
      `SELECT version::float8, ${msOf('ageing_at')}, ${msOf('doubted_since')}, ${msOf('forgotten_at')}
       FROM ${schema}.hook_state ${lock}`,
    );
    if (state === undefined) throw new Error('the table hook_state is empty');
    forgotten = Math.max(forgotten, Number(state['forgotten_at'] ?? 0));
    const now = Number(state['version']);
    if (now === version) return state;
    const events = await query(`SELECT name, count::float8, ${msOf('last_at')} FROM ${schema}.hook_event`);
    const ends = await query(`SELECT reason, count::float8 FROM ${schema}.hook_session_end`);
    const changed = await query(
      `SELECT id, ${msOf('at')}, waiting, ${msOf('until')} FROM ${schema}.hook_session WHERE version > $1 ORDER BY until`,
      [version],
    );
    const changes: Changes = {
      events: new Map(
        events.map((row) => [
          String(row['name']),
          { count: Number(row['count']), lastAt: Number(row['last_at']) },
        ]),
      ),
      ends: new Map(ends.map((row) => [String(row['reason']), Number(row['count'])])),
      sessions: new Map(changed.map((row) => [String(row['id']), sessionIn(row)])),
    };
    forgetSilent(sessions, clock.now());
    known = applied(sessions, changes);
    version = now;
    listener?.(changes);
    return state;
  }

  async function remember(query: Query, ids: readonly string[], now: Instant): Promise<readonly boolean[]> {
    const added = await query(
      `INSERT INTO ${database.schema}.hook_seen (id, at) SELECT DISTINCT id, to_timestamp($2::float8 / 1000)
       FROM unnest($1::text[]) AS new (id) ON CONFLICT DO NOTHING RETURNING id`,
      [ids.map(storable), now],
    );
    const isNew = new Set(added.map((row) => String(row['id'])));
    return ids.map((id) => isNew.delete(storable(id)));
  }

  async function write(query: Query, { events, ends, sessions }: Changes, next: number): Promise<void> {
    const { schema } = database;
    await query(
      `INSERT INTO ${schema}.hook_event SELECT name, count, to_timestamp(last_at / 1000)
       FROM unnest($1::text[], $2::bigint[], $3::float8[]) AS new (name, count, last_at)
       ON CONFLICT (name) DO UPDATE SET count = excluded.count, last_at = excluded.last_at`,
      [
        [...events.keys()],
        [...events.values()].map(({ count }) => count),
        [...events.values()].map(({ lastAt }) => lastAt),
      ],
    );
    await query(
      `INSERT INTO ${schema}.hook_session_end SELECT * FROM unnest($1::text[], $2::bigint[])
       ON CONFLICT (reason) DO UPDATE SET count = excluded.count`,
      [[...ends.keys()], [...ends.values()]],
    );
    const changed = [...sessions].flatMap(([id, state]) =>
      state === undefined ? [] : [[storable(id), state] as const],
    );
    const gone = [...sessions].flatMap(([id, state]) => (state === undefined ? [storable(id)] : []));
    await query(
      `INSERT INTO ${schema}.hook_session SELECT id, to_timestamp(at / 1000), waiting, to_timestamp(until / 1000), $5
       FROM unnest($1::text[], $2::float8[], $3::boolean[], $4::float8[]) AS new (id, at, waiting, until)
       ON CONFLICT (id) DO UPDATE SET at = excluded.at, waiting = excluded.waiting, until = excluded.until,
       version = excluded.version`,
      [
        changed.map(([id]) => id),
        ...(['at', 'waiting', 'until'] as const).map((member) => changed.map(([, state]) => state[member])),
        next,
      ],
    );
    if (gone.length > 0) await query(`DELETE FROM ${schema}.hook_session WHERE id = ANY($1)`, [gone]);
  }

  /** Forgets ids that are old, and the oldest beyond the maximum. */
  async function forget(query: Query, before: Instant): Promise<Instant> {
    const { schema } = database;
    const [size] = await query(
      `SELECT greatest(reltuples, 0)::float8 AS ids FROM pg_class WHERE oid = to_regclass($1)`,
      [`${schema}.hook_seen`],
    );
    const isFull = Number(size?.['ids'] ?? 0) > maxIds;
    const gone = await query(
      `WITH gone AS (DELETE FROM ${schema}.hook_seen WHERE id IN (
         SELECT id FROM ${schema}.hook_seen WHERE $1 OR at < to_timestamp($2::float8 / 1000) ORDER BY at LIMIT ${FORGOTTEN_AT_ONCE}
       ) RETURNING at) SELECT ${msOf('max(at)', 'at')} FROM gone`,
      [isFull, before],
    );
    return Number(gone[0]?.['at'] ?? 0);
  }

  async function commitNow({ ids, now, decide }: Commit): Promise<Changes> {
    const { changes, next, early } = await use(async (query) => {
      const state = await catchUp(query, 'FOR UPDATE');
      if (await isBeingCopied(query, database.schema)) throw new HookStoreError(COPYING);
      const isNew = await remember(query, ids, now);
      const changes = decide(isNew, known);
      const next = Number(state['version']) + 1;
      await write(query, changes, next);
      const ageing = nextAgeing(ageingIn(state), now);
      const early = await forget(query, ageing.at - REMEMBERED_MS - DAY_MS);
      await query(
        `UPDATE ${database.schema}.hook_state SET version = $1, ageing_at = to_timestamp($2::float8 / 1000),
         doubted_since = to_timestamp($3::float8 / 1000),
         forgotten_at = greatest(forgotten_at, to_timestamp(nullif($4::float8, 0) / 1000))`,
        [next, ageing.at, ageing.doubtedSince ?? null, early],
      );
      return { changes, next, early };
    }, 'write');
    version = next;
    forgotten = Math.max(forgotten, early);
    known = applied(sessions, changes);
    return changes;
  }

  return {
    load: () =>
      turns.run(async () => {
        await use((query) => catchUp(query, ''), 'snapshot');
        return known;
      }),
    commit: (commit) => turns.run(() => commitNow(commit)),
    forgottenBefore: (now) => Math.max(now - REMEMBERED_MS, forgotten),
    onNews(next) {
      listener = next;
    },
    async close() {
      closing.abort();
      await watching;
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

function sessionIn(row: Row): SessionState {
  return { at: Number(row['at']), waiting: row['waiting'] === true, until: Number(row['until']) };
}

/** Other processes may have removed these from the database. */
function forgetSilent(sessions: Map<string, SessionState>, now: Instant): void {
  for (const [id, { until }] of sessions) {
    if (until > now) return;
    sessions.delete(id);
  }
}

function ageingIn(state: Row): Ageing | undefined {
  const [at, since] = [state['ageing_at'], state['doubted_since']];
  if (typeof at !== 'number') return undefined;
  return { at, doubtedSince: typeof since === 'number' ? since : undefined };
}
