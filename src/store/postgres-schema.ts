import { randomUUID } from 'node:crypto';
import type { Query, Row } from './database.ts';
import type { LeaderRow } from './leader-row.ts';
import type { PostgresDatabase } from './postgres.ts';
import { UnusableSchema } from './postgres-errors.ts';
import { createTable, TABLES } from './tables.ts';

/** One step of the schema. A release may add steps but never changes one. */
interface Migration {
  readonly sql: string;
  /** The oldest version whose release still works on the schema after this step; its own for an incompatible step. */
  readonly usableFrom: number;
}

const CREATED = TABLES.flatMap(createTable).join(';\n');

/**
 * Who polls: one row, whose `beat` grows while its holder lives. `epoch` is a random number of the leader that last
 * connected: another one says that commits may be missing. `settings` is a fingerprint of those that shape rows, and
 * digests of the organizations, one a line. A row of `refresh` asks the leader to fetch again.
 */
const LEADER = `
  CREATE TABLE IF NOT EXISTS S.leader (
    single boolean PRIMARY KEY CHECK (single), holder text, generation bigint NOT NULL, beat bigint NOT NULL,
    epoch text NOT NULL, settings text NOT NULL
  );
  INSERT INTO S.leader VALUES (true, NULL, 0, 0, gen_random_uuid()::text, '') ON CONFLICT DO NOTHING;
  CREATE TABLE IF NOT EXISTS S.refresh (single boolean PRIMARY KEY CHECK (single));`;

/**
 * For people and their tools; documented in docs/postgresql.md. They contain no figure about individual people, and read
 * only what was stored of the current organization of a name.
 */
const VIEWS = `
  CREATE OR REPLACE VIEW S.credits_by_day AS
    SELECT org, day::date AS day, (data::json ->> 'credits')::numeric AS credits
    FROM S.day WHERE former = '' AND dataset = 'tokens' AND data::json ->> 'credits' IS NOT NULL;
  CREATE OR REPLACE VIEW S.credits_by_model AS
    SELECT org, day::date AS day, part ->> 'model' AS model, coalesce(part ->> 'tier', 'unknown') AS tier,
      (part ->> 'credits')::numeric AS credits, (part ->> 'input')::numeric AS input_tokens,
      (part ->> 'output')::numeric AS output_tokens
    FROM S.day, json_array_elements(data::json -> 'byModel') AS part
    WHERE former = '' AND dataset = 'tokens' AND json_typeof(data::json -> 'byModel') = 'array';
  CREATE OR REPLACE VIEW S.active_people_by_client AS
    SELECT org, day::date AS day, part ->> 'name' AS client, (part ->> 'count')::numeric AS people
    FROM S.day, json_array_elements(data::json -> 'byClient') AS part
    WHERE former = '' AND dataset = 'activity' AND json_typeof(data::json -> 'byClient') = 'array';
  CREATE OR REPLACE VIEW S.team_figures AS
    SELECT org, day::date AS day, part ->> 'team' AS team, (part ->> 'active')::numeric AS active_people,
      (part ->> 'credits')::numeric AS credits, (part ->> 'toolCalls')::numeric AS tool_calls,
      (part ->> 'commits')::numeric AS commits, (part ->> 'pullRequests')::numeric AS pull_requests
    FROM S.day, json_array_elements(data::json -> 'byTeam') AS part
    WHERE former = '' AND dataset = 'users' AND json_typeof(data::json -> 'byTeam') = 'array';
  CREATE OR REPLACE VIEW S.readiness_reports AS
    SELECT org, data::json ->> 'repo' AS repo, data::json ->> 'branch' AS branch, data::json ->> 'commit' AS commit,
      to_timestamp((data::json ->> 'createdAt')::float8 / 1000) AS created_at,
      (SELECT avg((criterion ->> 'passed')::numeric / (criterion ->> 'evaluated')::numeric)
       FROM json_array_elements(data::json -> 'criteria') AS criterion WHERE criterion ->> 'skipped' = 'false') AS ratio,
      row_number() OVER (
        PARTITION BY org, data::json ->> 'repo', data::json ->> 'branch' ORDER BY (data::json ->> 'createdAt')::float8 DESC
      ) = 1 AS is_newest_of_branch
    FROM S.document WHERE former = '' AND dataset = 'readiness' AND json_typeof(data::json -> 'criteria') = 'array';`;

/** Layouts of before the first release had these versions and smaller ones; nothing is read from them. */
const BEFORE_RELEASE = 7;

const MIGRATIONS: readonly Migration[] = [
  { sql: `${CREATED};${LEADER}${VIEWS}`, usableFrom: BEFORE_RELEASE + 1 },
  // Each step adds the tables that are new.
  { sql: CREATED, usableFrom: BEFORE_RELEASE + 1 },
  { sql: CREATED, usableFrom: BEFORE_RELEASE + 1 },
  { sql: CREATED, usableFrom: BEFORE_RELEASE + 1 },
  { sql: CREATED, usableFrom: BEFORE_RELEASE + 1 },
];

/**
 * Migrates the schema, whichever process comes first: the others wait for the lock of its version, at most as long as
 * `lock_timeout`. Resolves with the identifier of the store. A schema that is current is only read, so that the privileges
 * to change it are not needed; one that was dropped or emptied is made again.
 */
export async function migrate(database: PostgresDatabase, migrations = MIGRATIONS): Promise<string> {
  // Within the transaction, what is thrown is the database's trouble.
  const usable = await database.transaction(async (query) => {
    await demandEncoding(query);
    const found = await stateOf(query);
    return found !== undefined && isUsable(found, migrations) ? found : undefined;
  }, 'snapshot');
  if (usable !== undefined) return usable.storeId;
  return database.transaction(async (query) => {
    await createVersion(query);
    await query('LOCK TABLE S.schema_version IN ACCESS EXCLUSIVE MODE');
    const locked = await stateOf(query);
    if (locked !== undefined && isUsable(locked, migrations)) return locked.storeId;
    const done = (locked?.version ?? BEFORE_RELEASE) - BEFORE_RELEASE;
    const storeId = locked?.storeId ?? randomUUID();
    for (const { sql, usableFrom } of migrations.slice(done)) {
      await query(sql);
      await query(
        `INSERT INTO S.schema_version AS old VALUES (true, $1, $2, $3)
         ON CONFLICT (single) DO UPDATE SET version = old.version + 1, usable_from = excluded.usable_from`,
        [BEFORE_RELEASE + 1, usableFrom, storeId],
      );
    }
    return storeId;
  }, 'migration');
}

/**
 * Throws an `UnusableSchema` if the database cannot store every text: rows with names in other scripts would fail each time.
 * SQL_ASCII stores the bytes of UTF-8 as they come.
 */
export async function demandEncoding(query: Query): Promise<void> {
  const [row] = await query("SELECT current_setting('server_encoding') AS encoding");
  const encoding = String(row?.['encoding']);
  if (encoding !== 'UTF8' && encoding !== 'SQL_ASCII')
    throw new UnusableSchema('encoding', `the encoding of the database is ${encoding}, not UTF8`);
}

/** The columns that `leaderIn` reads, and their tables. */
const STANDING = {
  columns: `leader.holder, leader.generation, leader.beat, leader.epoch, leader.settings,
    known.version AS schema_version, known.usable_from`,
  tables: 'S.leader AS leader, S.schema_version AS known',
};

const SELECT_STANDING = `SELECT ${STANDING.columns} FROM ${STANDING.tables}`;

/**
 * Reads who leads, as the first statement of a transaction. Throws an `UnusableSchema` if this release must not use the
 * schema, or if it was emptied.
 */
export async function readLeader(query: Query): Promise<LeaderRow> {
  const [row] = await query(SELECT_STANDING);
  if (row === undefined) throw new UnusableSchema('gone', 'the tables are empty');
  return leaderIn(row);
}

/**
 * As `readLeader`, with a lock: no other process takes over before the end of the transaction. Undefined if the row is of
 * another generation.
 */
export async function lockLeader(query: Query, generation: number): Promise<LeaderRow | undefined> {
  const [row] = await query(`${SELECT_STANDING} WHERE leader.generation = $1 FOR SHARE OF leader`, [
    generation,
  ]);
  return row && leaderIn(row);
}

/** As `readLeader`, for a beat or a look, which adds the row where it is missing and needs a server that can write. */
export async function lookAtLeader(query: Query): Promise<LeaderRow> {
  const text = `${SELECT_STANDING} FOR KEY SHARE OF leader`;
  const [row] = await query(text);
  if (row !== undefined) return leaderIn(row);
  const known = await query('SELECT FROM S.schema_version');
  if (known.length === 0) throw new UnusableSchema('gone', 'the tables are empty');
  await query("INSERT INTO S.leader VALUES (true, NULL, 0, 0, $1, '') ON CONFLICT DO NOTHING", [
    randomUUID(),
  ]);
  const [added] = await query(text);
  if (added === undefined) throw new UnusableSchema('gone', 'the tables are empty');
  return leaderIn(added);
}

/** The leader's row; throws an `UnusableSchema` as `readLeader` does. */
function leaderIn(row: Row): LeaderRow {
  isUsable({ version: Number(row['schema_version']), usableFrom: Number(row['usable_from']) }, MIGRATIONS);
  return {
    holder: typeof row['holder'] === 'string' ? row['holder'] : undefined,
    generation: Number(row['generation']),
    beat: Number(row['beat']),
    epoch: String(row['epoch']),
    settings: String(row['settings']),
  };
}

interface SchemaState {
  readonly version: number;
  readonly usableFrom: number;
  readonly storeId: string;
}

/** Throws an `UnusableSchema` if this release must not use the schema. */
function isUsable(
  { version, usableFrom }: Omit<SchemaState, 'storeId'>,
  migrations: readonly Migration[],
): boolean {
  const supported = BEFORE_RELEASE + migrations.length;
  const found = `the schema is version ${version}, this release supports ${supported}`;
  if (usableFrom > supported) throw new UnusableSchema('newer', found);
  if (version <= BEFORE_RELEASE)
    throw new UnusableSchema('older', `${found}; it is of before the first release`);
  return version >= supported;
}

/** Undefined if the schema is empty. */
async function stateOf(query: Query): Promise<SchemaState | undefined> {
  const [exists] = await query("SELECT count(to_regclass('S.schema_version')) AS found");
  if (exists?.['found'] !== 1) return undefined;
  const [row] = await query('SELECT version, usable_from, store_id::text FROM S.schema_version');
  if (row === undefined) return undefined;
  return {
    version: Number(row['version']),
    usableFrom: Number(row['usable_from']),
    storeId: String(row['store_id']),
  };
}

/** Processes that start on an empty database at the same time take turns, because `IF NOT EXISTS` does not wait. */
async function createVersion(query: Query): Promise<void> {
  await query("SELECT FROM pg_advisory_xact_lock(hashtext('agent-platform-exporter S.'))");
  // The privilege to create schemas is not needed if it exists.
  const [exists] = await query("SELECT count(to_regnamespace(rtrim('S.', '.'))) AS found");
  if (exists?.['found'] !== 1)
    await query("DO $$ BEGIN EXECUTE 'CREATE SCHEMA IF NOT EXISTS ' || rtrim('S.', '.'); END $$");
  await query(`CREATE TABLE IF NOT EXISTS S.schema_version (
    single boolean PRIMARY KEY CHECK (single), version integer NOT NULL, usable_from integer NOT NULL, store_id uuid NOT NULL
  )`);
}
