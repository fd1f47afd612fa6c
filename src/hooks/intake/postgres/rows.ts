import type { Instant } from '../../../catalog/day.ts';
import type { Query, Row } from '../../../history/postgres/database.ts';
import { COPIER, type LeaderRow } from '../../../history/postgres/leader-row.ts';
import { readStanding, STANDING, standingIn } from '../../../history/postgres/schema.ts';
import { msOf, storable } from '../../../history/postgres/values.ts';
import type { Changes, SessionState, Tally } from '../counts.ts';
import type { Ageing } from '../sqlite/tables.ts';

// Whoever commits holds up the commits of all other processes, so that each answer that it waits for counts: there is one
// statement to lock, one to read and one to write, however many events there are.

/** Number of ids removed per commit: more than a commit adds, and few enough to take no noticeable time. */
const FORGOTTEN_AT_ONCE = 4_000;

/** What holds for the hook events as a whole. */
export interface HookState {
  /** Number of the last commit. */
  readonly version: number;
  readonly ageing: Ageing | undefined;
  /** The newest arrival that was forgotten; 0 if there is none. */
  readonly forgotten: Instant;
  /** The number of remembered ids, as the server estimates it. */
  readonly ids: number;
  /** Who polls. */
  readonly leader: LeaderRow;
}

/** What was counted since a version. */
export interface News {
  readonly changes: Changes;
  /** The given ids that were not known before. */
  readonly added: readonly string[];
  /** Whether the database is being copied. */
  readonly isCopied: boolean;
}

/** What a commit stores. */
export interface Writing {
  /** The counts before. */
  readonly before: Tally;
  readonly changes: Changes;
  readonly version: number;
  readonly ageing: Ageing;
  /** Ids from before this instant are forgotten. */
  readonly forgetBefore: Instant;
  /** The number of the oldest ids that are forgotten because there are too many; 0 if there are not. */
  readonly excess: number;
}

/** Reads the state, and locks it until the end of the transaction if other commits must wait. */
export async function readState(query: Query, schema: string, lock: '' | 'FOR UPDATE'): Promise<HookState> {
  const text = `SELECT state.version::float8, ${msOf('ageing_at')}, ${msOf('doubted_since')}, ${msOf('forgotten_at')},
     (SELECT reltuples::float8 FROM pg_class WHERE oid = to_regclass($1)) AS ids, ${STANDING.columns}
     FROM S.hook_state AS state, ${STANDING.tables} ${lock === '' ? '' : `${lock} OF state`}`;
  const [row] = await query(text.replaceAll('S.', `${schema}.`), [`${schema}.hook_seen`]);
  if (row === undefined) {
    // The table was emptied, or all of them.
    const leader = await readStanding(query, schema);
    if (lock === '') return { version: 0, ageing: undefined, forgotten: 0, ids: 0, leader };
    await query(`INSERT INTO ${schema}.hook_state VALUES (true, 0, NULL, NULL, NULL) ON CONFLICT DO NOTHING`);
    return readState(query, schema, lock);
  }
  const { version, ageing_at: at, doubted_since: since, forgotten_at: forgotten, ids } = row;
  return {
    version: Number(version),
    ageing:
      typeof at === 'number'
        ? { at, doubtedSince: typeof since === 'number' ? since : undefined }
        : undefined,
    forgotten: Number(forgotten ?? 0),
    ids: Number(ids ?? 0),
    leader: standingIn(row),
  };
}

const NEWS = `
  SELECT 'event' AS kind, name AS id, count::float8, ${msOf('last_at', 'at')}, NULL::boolean AS waiting, NULL::float8 AS until
  FROM S.hook_event
  UNION ALL SELECT 'end', reason, count::float8, NULL, NULL, NULL FROM S.hook_session_end
  UNION ALL SELECT 'session', id, NULL, ${msOf('at')}, waiting, ${msOf('until')} FROM S.hook_session WHERE version > $1`;

/** Reads all counts, and the sessions since a version. */
export async function readNews(query: Query, schema: string, since: number): Promise<Changes> {
  return changesIn(await query(`${NEWS.replaceAll('S.', `${schema}.`)} ORDER BY until`, [since]));
}

/** Remembers ids and reads what `readNews` does. */
export async function remember(
  query: Query,
  schema: string,
  since: number,
  { ids, now }: { readonly ids: readonly string[]; readonly now: Instant },
): Promise<News> {
  const text = `WITH added AS (
      INSERT INTO S.hook_seen (id, at) SELECT DISTINCT id, to_timestamp($3::float8 / 1000)
      FROM unnest($2::text[]) AS new (id) ON CONFLICT DO NOTHING RETURNING id
    ) ${NEWS}
    UNION ALL SELECT 'added', id, NULL, NULL, NULL, NULL FROM added
    UNION ALL SELECT 'copy', holder, NULL, NULL, NULL, NULL FROM S.leader WHERE holder LIKE '${COPIER}%'
    ORDER BY until`;
  const rows = await query(text.replaceAll('S.', `${schema}.`), [since, ids.map(storable), now]);
  return {
    changes: changesIn(rows),
    added: of(rows, 'added').map(({ id }) => String(id)),
    isCopied: of(rows, 'copy').length > 0,
  };
}

/** Stores what has changed; resolves with the newest arrival that was ever forgotten. */
export async function write(query: Query, schema: string, writing: Writing): Promise<Instant> {
  const { before, changes, version, ageing, forgetBefore, excess } = writing;
  const events = [...changes.events].filter(([name, { count, lastAt }]) => {
    const known = before.events.get(name);
    return known?.count !== count || known.lastAt !== lastAt;
  });
  const ends = [...changes.ends].filter(([reason, count]) => before.ends.get(reason) !== count);
  const sessions = [...changes.sessions].map(([id, state]) => [storable(id), state] as const);
  const changed = sessions.flatMap(([id, state]) => (state === undefined ? [] : [{ id, ...state }]));
  const gone = sessions.flatMap(([id, state]) => (state === undefined ? [id] : []));
  const [row] = await query(WRITE.replaceAll('S.', `${schema}.`), [
    ...[
      events.map(([name]) => name),
      events.map(([, { count }]) => count),
      events.map(([, { lastAt }]) => lastAt),
    ],
    ...[ends.map(([reason]) => reason), ends.map(([, count]) => count)],
    ...(['id', 'at', 'waiting', 'until'] as const).map((member) => changed.map((state) => state[member])),
    ...[gone, version, ageing.at, ageing.doubtedSince ?? null],
    ...[forgetBefore, excess],
  ]);
  return Number(row?.['forgotten_at'] ?? 0);
}

// Ids are removed by their places in the table: by the ids, the server would read all of it if many are removed.
const WRITE = `
  WITH event AS (
    INSERT INTO S.hook_event SELECT name, count, to_timestamp(last_at / 1000)
    FROM unnest($1::text[], $2::bigint[], $3::float8[]) AS new (name, count, last_at)
    ON CONFLICT (name) DO UPDATE SET count = excluded.count, last_at = excluded.last_at
  ), session_end AS (
    INSERT INTO S.hook_session_end SELECT * FROM unnest($4::text[], $5::bigint[])
    ON CONFLICT (reason) DO UPDATE SET count = excluded.count
  ), changed AS (
    INSERT INTO S.hook_session SELECT id, to_timestamp(at / 1000), waiting, to_timestamp(until / 1000), $11::bigint
    FROM unnest($6::text[], $7::float8[], $8::boolean[], $9::float8[]) AS new (id, at, waiting, until)
    ON CONFLICT (id) DO UPDATE SET at = excluded.at, waiting = excluded.waiting, until = excluded.until,
    version = excluded.version
  ), removed AS (
    DELETE FROM S.hook_session WHERE id = ANY($10)
  ), forgotten AS (
    DELETE FROM S.hook_seen WHERE ctid = ANY (ARRAY(
      (SELECT ctid FROM S.hook_seen WHERE at < to_timestamp($14::float8 / 1000) ORDER BY at LIMIT ${FORGOTTEN_AT_ONCE})
      UNION ALL (SELECT ctid FROM S.hook_seen ORDER BY at LIMIT $15)
    )) RETURNING at
  )
  UPDATE S.hook_state SET version = $11::bigint, ageing_at = to_timestamp($12::float8 / 1000),
  doubted_since = to_timestamp($13::float8 / 1000),
  forgotten_at = greatest(forgotten_at, (SELECT max(at) FROM forgotten))
  RETURNING ${msOf('forgotten_at')}`;

function changesIn(rows: readonly Row[]): Changes {
  return {
    events: new Map(
      of(rows, 'event').map((row) => [
        String(row['id']),
        { count: Number(row['count']), lastAt: Number(row['at']) },
      ]),
    ),
    ends: new Map(of(rows, 'end').map((row) => [String(row['id']), Number(row['count'])])),
    sessions: new Map(of(rows, 'session').map((row) => [String(row['id']), sessionIn(row)])),
  };
}

function of(rows: readonly Row[], kind: string): readonly Row[] {
  return rows.filter((row) => row['kind'] === kind);
}

function sessionIn(row: Row): SessionState {
  return { at: Number(row['at']), waiting: row['waiting'] === true, until: Number(row['until']) };
}
