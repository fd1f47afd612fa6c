import { randomUUID } from 'node:crypto';
import type { Database, Query, Row } from './database.ts';
import { UnusableSchema } from './errors.ts';
import type { LeaderRow } from './leader-row.ts';

/** One step of the schema; `S` stands for its name. A release may add steps but never changes one. */
interface Migration {
  readonly sql: string;
  /** The oldest version whose release still works on the schema after this step; its own for an incompatible step. */
  readonly usableFrom: number;
}

/**
 * The tables. `org` is the name of an organization, `former` is `#` and the identifier of a former organization of
 * that name that was set aside (empty for the current one). `data` is null for a day that was answered without a row; `form` is the dataset's
 * schema version at the time, `sum` the CRC-32 of the text: what does not match is not read. `version` is that of the
 * organization's last change of the row, so that other processes read only what is new.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS S.org_version (
    org text PRIMARY KEY, version bigint NOT NULL, reset_version bigint NOT NULL DEFAULT 0
  );
  CREATE TABLE IF NOT EXISTS S.org (
    org text NOT NULL, former text NOT NULL, org_id text, confirmed_key text, version bigint NOT NULL,
    PRIMARY KEY (org, former)
  );
  CREATE TABLE IF NOT EXISTS S.dataset (
    org text NOT NULL, former text NOT NULL, dataset text NOT NULL, answered_at timestamptz, succeeded_at timestamptz,
    revised_on date, version bigint NOT NULL, PRIMARY KEY (org, former, dataset)
  );
  CREATE TABLE IF NOT EXISTS S.day (
    org text NOT NULL, former text NOT NULL, dataset text NOT NULL, day date NOT NULL, form integer NOT NULL, data json,
    sum bigint, version bigint NOT NULL, PRIMARY KEY (org, former, dataset, day)
  );
  CREATE INDEX IF NOT EXISTS day_version ON S.day (org, version);
  CREATE TABLE IF NOT EXISTS S.document (
    org text NOT NULL, former text NOT NULL, dataset text NOT NULL, key text NOT NULL, id text NOT NULL,
    form integer NOT NULL, data json NOT NULL, sum bigint NOT NULL, version bigint NOT NULL,
    PRIMARY KEY (org, former, dataset, key)
  );
  CREATE INDEX IF NOT EXISTS document_version ON S.document (org, version);
  CREATE TABLE IF NOT EXISTS S.request_count (org text PRIMARY KEY, day date NOT NULL, requests bigint NOT NULL);
  CREATE TABLE IF NOT EXISTS S.sweep (single boolean PRIMARY KEY CHECK (single), day date, doubted_since timestamptz);
  INSERT INTO S.sweep VALUES (true, NULL, NULL) ON CONFLICT DO NOTHING;`;

/** Hook events: what they are counted in, and the ids of those counted. */
const HOOKS = `
  CREATE TABLE IF NOT EXISTS S.hook_state (
    single boolean PRIMARY KEY CHECK (single), version bigint NOT NULL, ageing_at timestamptz, doubted_since timestamptz,
    forgotten_at timestamptz
  );
  INSERT INTO S.hook_state VALUES (true, 0, NULL, NULL, NULL) ON CONFLICT DO NOTHING;
  CREATE TABLE IF NOT EXISTS S.hook_event (name text PRIMARY KEY, count bigint NOT NULL, last_at timestamptz NOT NULL);
  CREATE TABLE IF NOT EXISTS S.hook_session_end (reason text PRIMARY KEY, count bigint NOT NULL);
  CREATE TABLE IF NOT EXISTS S.hook_session (
    id text PRIMARY KEY, at timestamptz NOT NULL, waiting boolean NOT NULL, until timestamptz NOT NULL,
    version bigint NOT NULL
  );
  CREATE INDEX IF NOT EXISTS hook_session_version ON S.hook_session (version);
  CREATE TABLE IF NOT EXISTS S.hook_seen (id text PRIMARY KEY, at timestamptz NOT NULL);
  CREATE INDEX IF NOT EXISTS hook_seen_at ON S.hook_seen (at);`;

/**
 * Who polls: one row, whose `beat` grows while its holder lives. `epoch` is a random number of the leader that last
 * connected: another one says that commits may be missing. `settings` is a fingerprint of those that shape rows. A row of `refresh` asks the leader to fetch again.
 */
const LEADER = `
  CREATE TABLE IF NOT EXISTS S.leader (
    single boolean PRIMARY KEY CHECK (single), holder text, generation bigint NOT NULL, beat bigint NOT NULL,
    epoch text NOT NULL, settings text NOT NULL
  );
  INSERT INTO S.leader VALUES (true, NULL, 0, 0, gen_random_uuid()::text, '') ON CONFLICT DO NOTHING;
  CREATE TABLE IF NOT EXISTS S.refresh (single boolean PRIMARY KEY CHECK (single));`;

/** An unfinished copy to this database: nobody uses its rows. `positions` has the number of written rows by table. */
const COPY = `
  CREATE TABLE IF NOT EXISTS S.copy (
    single boolean PRIMARY KEY CHECK (single), fingerprint text NOT NULL, positions json NOT NULL
  );`;

/**
 * For people and their tools; documented in docs/postgresql.md. They contain no figure about individual people, and read
 * only what was stored of the current organization of a name.
 */
const VIEWS = `
  CREATE OR REPLACE VIEW S.credits_by_day AS
    SELECT org, day, (data ->> 'credits')::numeric AS credits
    FROM S.day WHERE former = '' AND dataset = 'tokens' AND data ->> 'credits' IS NOT NULL;
  CREATE OR REPLACE VIEW S.credits_by_model AS
    SELECT org, day, part ->> 'model' AS model, coalesce(part ->> 'tier', 'unknown') AS tier,
      (part ->> 'credits')::numeric AS credits, (part ->> 'input')::numeric AS input_tokens,
      (part ->> 'output')::numeric AS output_tokens
    FROM S.day, json_array_elements(data -> 'byModel') AS part
    WHERE former = '' AND dataset = 'tokens' AND json_typeof(data -> 'byModel') = 'array';
  CREATE OR REPLACE VIEW S.active_people_by_client AS
    SELECT org, day, part ->> 'name' AS client, (part ->> 'count')::numeric AS people
    FROM S.day, json_array_elements(data -> 'byClient') AS part
    WHERE former = '' AND dataset = 'activity' AND json_typeof(data -> 'byClient') = 'array';
  CREATE OR REPLACE VIEW S.team_figures AS
    SELECT org, day, part ->> 'team' AS team, (part ->> 'active')::numeric AS active_people,
      (part ->> 'credits')::numeric AS credits, (part ->> 'toolCalls')::numeric AS tool_calls,
      (part ->> 'commits')::numeric AS commits, (part ->> 'pullRequests')::numeric AS pull_requests
    FROM S.day, json_array_elements(data -> 'byTeam') AS part
    WHERE former = '' AND dataset = 'users' AND json_typeof(data -> 'byTeam') = 'array';
  CREATE OR REPLACE VIEW S.readiness_reports AS
    SELECT org, data ->> 'repo' AS repo, data ->> 'branch' AS branch, data ->> 'commit' AS commit,
      to_timestamp((data ->> 'createdAt')::float8 / 1000) AS created_at,
      (SELECT avg((criterion ->> 'passed')::numeric / (criterion ->> 'evaluated')::numeric)
       FROM json_array_elements(data -> 'criteria') AS criterion WHERE criterion ->> 'skipped' = 'false') AS ratio,
      row_number() OVER (
        PARTITION BY org, data ->> 'repo', data ->> 'branch' ORDER BY (data ->> 'createdAt')::float8 DESC
      ) = 1 AS is_newest_of_branch
    FROM S.document WHERE former = '' AND dataset = 'readiness' AND json_typeof(data -> 'criteria') = 'array';`;

/** Layouts of before the first release had these versions and smaller ones; nothing is read from them. */
const BEFORE_RELEASE = 6;

const MIGRATIONS: readonly Migration[] = [
  { sql: TABLES + HOOKS + LEADER + COPY + VIEWS, usableFrom: BEFORE_RELEASE + 1 },
];

/**
 * Migrates the schema, whichever process comes first: the others wait for the lock of its version, at most as long as
 * `lock_timeout`. Resolves with the identifier of the store. A schema that is current is only read, so that the privileges
 * to change it are not needed; one that was dropped or emptied is made again.
 */
export async function migrate(database: Database, migrations = MIGRATIONS): Promise<string> {
  // Within the transaction, what is thrown is the database's trouble.
  const usable = await database.transaction(async (query) => {
    const found = await stateOf(query, database.schema);
    return found !== undefined && isUsable(found, migrations) ? found : undefined;
  }, 'snapshot');
  if (usable !== undefined) return usable.storeId;
  return database.transaction(async (query) => {
    const schema = database.schema;
    await createVersion(query, schema);
    await query(`LOCK TABLE ${schema}.schema_version IN ACCESS EXCLUSIVE MODE`);
    const locked = await stateOf(query, schema);
    if (locked !== undefined && isUsable(locked, migrations)) return locked.storeId;
    const done = (locked?.version ?? BEFORE_RELEASE) - BEFORE_RELEASE;
    const storeId = locked?.storeId ?? randomUUID();
    for (const { sql, usableFrom } of migrations.slice(done)) {
      await query(sql.replaceAll('S.', `${schema}.`));
      await query(
        `INSERT INTO ${schema}.schema_version VALUES (true, $1, $2, $3)
         ON CONFLICT (single) DO UPDATE SET version = ${schema}.schema_version.version + 1, usable_from = excluded.usable_from`,
        [BEFORE_RELEASE + 1, usableFrom, storeId],
      );
    }
    return storeId;
  }, 'migration');
}

/** The columns that `standingIn` reads, and the tables that they are in. */
export const STANDING = {
  columns: `leader.holder, leader.generation::float8, leader.beat::float8, leader.epoch, leader.settings,
    known.version AS schema_version, known.usable_from, EXISTS (SELECT FROM S.copy) AS is_copied`,
  tables: 'S.leader AS leader, S.schema_version AS known',
};

const SELECT_STANDING = `SELECT ${STANDING.columns} FROM ${STANDING.tables}`;

/**
 * Reads who leads, as the first statement of a transaction. Throws an `UnusableSchema` if this release must not use the
 * schema, if it was emptied, and while rows are copied into it.
 */
export async function readStanding(query: Query, schema: string): Promise<LeaderRow> {
  const [row] = await query(SELECT_STANDING.replaceAll('S.', `${schema}.`));
  if (row === undefined) throw new UnusableSchema('gone', 'the tables are empty');
  return standingIn(row);
}

/**
 * As `readStanding`, with a lock: no other process takes over before the end of the transaction. Undefined if the row is of
 * another generation.
 */
export async function lockStanding(
  query: Query,
  schema: string,
  generation: number,
  use: StandingUse = {},
): Promise<LeaderRow | undefined> {
  const text = `${SELECT_STANDING} WHERE leader.generation = $1 FOR SHARE OF leader`;
  const [row] = await query(text.replaceAll('S.', `${schema}.`), [generation]);
  return row && standingIn(row, use);
}

/** As `readStanding`, for a beat or a look, which adds the row where it is missing and needs a server that can write. */
export async function lookAtStanding(
  query: Query,
  schema: string,
  use: StandingUse = {},
): Promise<LeaderRow> {
  const text = `${SELECT_STANDING} FOR KEY SHARE OF leader`.replaceAll('S.', `${schema}.`);
  const [row] = await query(text);
  if (row !== undefined) return standingIn(row, use);
  const known = await query(`SELECT FROM ${schema}.schema_version`);
  if (known.length === 0) throw new UnusableSchema('gone', 'the tables are empty');
  await query(`INSERT INTO ${schema}.leader VALUES (true, NULL, 0, 0, $1, '') ON CONFLICT DO NOTHING`, [
    randomUUID(),
  ]);
  const [added] = await query(text);
  if (added === undefined) throw new UnusableSchema('gone', 'the tables are empty');
  return standingIn(added, use);
}

interface StandingUse {
  /** Whether the process is the one that copies rows into the database. */
  readonly isCopier?: boolean | undefined;
}

/** The leader's row; throws an `UnusableSchema` as `readStanding` does. */
export function standingIn(row: Row, { isCopier = false }: StandingUse = {}): LeaderRow {
  isUsable({ version: Number(row['schema_version']), usableFrom: Number(row['usable_from']) }, MIGRATIONS);
  if (row['is_copied'] === true && !isCopier)
    throw new UnusableSchema('copying', 'the database is being copied');
  return {
    holder: typeof row['holder'] === 'string' ? row['holder'] : undefined,
    generation: Number(row['generation']),
    beat: Number(row['beat']),
    epoch: String(row['epoch']),
    settings: String(row['settings']),
  };
}

/** Rejects with a `NotStored` while rows are copied into the database. */
export async function refuseCopied(database: Database): Promise<void> {
  await database.transaction(async (query) => {
    const rows = await query(`SELECT FROM ${database.schema}.copy`);
    if (rows.length > 0) throw new UnusableSchema('copying', 'the database is being copied');
  }, 'snapshot');
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
async function stateOf(query: Query, schema: string): Promise<SchemaState | undefined> {
  const [exists] = await query('SELECT to_regclass($1) IS NOT NULL AS found', [`${schema}.schema_version`]);
  if (exists?.['found'] !== true) return undefined;
  const [row] = await query(`SELECT version, usable_from, store_id::text FROM ${schema}.schema_version`);
  if (row === undefined) return undefined;
  return {
    version: Number(row['version']),
    usableFrom: Number(row['usable_from']),
    storeId: String(row['store_id']),
  };
}

/** Two processes may create the table at the same time; then one of them fails and tries again. */
async function createVersion(query: Query, schema: string): Promise<void> {
  const [exists] = await query('SELECT to_regnamespace($1) IS NOT NULL AS found', [schema]);
  // The privilege to create schemas is not needed if it exists.
  if (exists?.['found'] !== true) await query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  await query(`CREATE TABLE IF NOT EXISTS ${schema}.schema_version (
    single boolean PRIMARY KEY CHECK (single), version integer NOT NULL, usable_from integer NOT NULL, store_id uuid NOT NULL
  )`);
}
