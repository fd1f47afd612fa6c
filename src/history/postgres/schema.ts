import type { Database, Query } from './database.ts';
import { BeingCopied, NewerSchema } from './errors.ts';

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
  CREATE TABLE S.org_version (
    org text PRIMARY KEY, version bigint NOT NULL, reset_version bigint NOT NULL DEFAULT 0,
    polled_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE S.org (
    org text NOT NULL, former text NOT NULL, org_id text, confirmed_key text, version bigint NOT NULL,
    PRIMARY KEY (org, former)
  );
  CREATE TABLE S.dataset (
    org text NOT NULL, former text NOT NULL, dataset text NOT NULL, answered_at timestamptz, succeeded_at timestamptz,
    revised_on date, version bigint NOT NULL, PRIMARY KEY (org, former, dataset)
  );
  CREATE TABLE S.day (
    org text NOT NULL, former text NOT NULL, dataset text NOT NULL, day date NOT NULL, form integer NOT NULL, data json,
    sum bigint, version bigint NOT NULL, PRIMARY KEY (org, former, dataset, day)
  );
  CREATE INDEX day_version ON S.day (org, version);
  CREATE TABLE S.document (
    org text NOT NULL, former text NOT NULL, dataset text NOT NULL, key text NOT NULL, id text NOT NULL,
    form integer NOT NULL, data json NOT NULL, sum bigint NOT NULL, version bigint NOT NULL,
    PRIMARY KEY (org, former, dataset, key)
  );
  CREATE INDEX document_version ON S.document (org, version);
  CREATE TABLE S.request_count (org text PRIMARY KEY, day date NOT NULL, requests bigint NOT NULL);
  CREATE TABLE S.sweep (single boolean PRIMARY KEY CHECK (single), day date, doubted_since timestamptz);
  INSERT INTO S.sweep VALUES (true, NULL, NULL);`;

/** Hook events: what they are counted in, and the ids of those counted. */
const HOOKS = `
  CREATE TABLE S.hook_state (
    single boolean PRIMARY KEY CHECK (single), version bigint NOT NULL, ageing_at timestamptz, doubted_since timestamptz,
    forgotten_at timestamptz
  );
  INSERT INTO S.hook_state VALUES (true, 0, NULL, NULL, NULL);
  CREATE TABLE S.hook_event (name text PRIMARY KEY, count bigint NOT NULL, last_at timestamptz NOT NULL);
  CREATE TABLE S.hook_session_end (reason text PRIMARY KEY, count bigint NOT NULL);
  CREATE TABLE S.hook_session (
    id text PRIMARY KEY, at timestamptz NOT NULL, waiting boolean NOT NULL, until timestamptz NOT NULL,
    version bigint NOT NULL
  );
  CREATE INDEX hook_session_version ON S.hook_session (version);
  CREATE TABLE S.hook_seen (id text PRIMARY KEY, at timestamptz NOT NULL);
  CREATE INDEX hook_seen_at ON S.hook_seen (at);`;

/**
 * Who polls what. `settings` numbers the settings that shape what is stored, in the order of their first use; `tick` is the
 * newest tick of a collector that was claimed, under which generation of the organization's lease.
 */
const LEASES = `
  CREATE TABLE S.settings (fingerprint text PRIMARY KEY, generation bigint GENERATED ALWAYS AS IDENTITY);
  CREATE TABLE S.replica (
    id text PRIMARY KEY, pool text NOT NULL, settings bigint NOT NULL, seen_at timestamptz NOT NULL
  );
  CREATE TABLE S.lease (
    org text PRIMARY KEY, holder text, generation bigint NOT NULL DEFAULT 0, expires_at timestamptz NOT NULL,
    refresh text[] NOT NULL DEFAULT '{}'
  );
  CREATE TABLE S.tick (
    org text NOT NULL, collector text NOT NULL, at timestamptz NOT NULL, generation bigint NOT NULL,
    is_finished boolean NOT NULL, PRIMARY KEY (org, collector)
  );`;

/** The last run of each collector, and the totals that counters are shown from. */
const RUNS = `
  CREATE TABLE S.collector_run (
    org text NOT NULL, collector text NOT NULL, last_run_at timestamptz NOT NULL, last_success_at timestamptz,
    seconds double precision NOT NULL, failing_since timestamptz, reason text, message text, hint text,
    version bigint NOT NULL, PRIMARY KEY (org, collector)
  );
  CREATE TABLE S.dataset_total (
    org text NOT NULL, dataset text NOT NULL, revisions bigint NOT NULL, rejected bigint NOT NULL,
    version bigint NOT NULL, PRIMARY KEY (org, dataset)
  );`;

/**
 * A copy that is in progress or unfinished. `run` is the process that may write; `positions` has the number of written
 * rows by table. Rows that are only read are protected until `expires_at`.
 */
const COPY = `
  CREATE TABLE S.copy (
    single boolean PRIMARY KEY CHECK (single), run text NOT NULL, is_target boolean NOT NULL,
    fingerprint text NOT NULL, positions json NOT NULL, expires_at timestamptz NOT NULL
  );`;

/** The pauses that the platform has requested. */
const PAUSES = `
  CREATE TABLE S.pause (
    org text NOT NULL, address text NOT NULL, scope text NOT NULL, until timestamptz NOT NULL, reason text NOT NULL,
    status integer, message text NOT NULL, PRIMARY KEY (org, address, scope)
  );`;

/** The runs whose counts are in the totals: one that is stored again must not add them again. */
const COUNTED = `
  CREATE TABLE S.counted_run (org text NOT NULL, id uuid NOT NULL, at timestamptz NOT NULL, PRIMARY KEY (org, id));`;

/**
 * For people and their tools; documented in docs/postgresql.md. They contain no figure about individual people, and read
 * only what was stored of the current organization of a name.
 */
const VIEWS = `
  CREATE VIEW S.credits_by_day AS
    SELECT org, day, (data ->> 'credits')::numeric AS credits
    FROM S.day WHERE former = '' AND dataset = 'tokens' AND data ->> 'credits' IS NOT NULL;
  CREATE VIEW S.credits_by_model AS
    SELECT org, day, part ->> 'model' AS model, coalesce(part ->> 'tier', 'unknown') AS tier,
      (part ->> 'credits')::numeric AS credits, (part ->> 'input')::numeric AS input_tokens,
      (part ->> 'output')::numeric AS output_tokens
    FROM S.day, json_array_elements(data -> 'byModel') AS part
    WHERE former = '' AND dataset = 'tokens' AND json_typeof(data -> 'byModel') = 'array';
  CREATE VIEW S.active_people_by_client AS
    SELECT org, day, part ->> 'name' AS client, (part ->> 'count')::numeric AS people
    FROM S.day, json_array_elements(data -> 'byClient') AS part
    WHERE former = '' AND dataset = 'activity' AND json_typeof(data -> 'byClient') = 'array';
  CREATE VIEW S.team_figures AS
    SELECT org, day, part ->> 'team' AS team, (part ->> 'active')::numeric AS active_people,
      (part ->> 'credits')::numeric AS credits, (part ->> 'toolCalls')::numeric AS tool_calls,
      (part ->> 'commits')::numeric AS commits, (part ->> 'pullRequests')::numeric AS pull_requests
    FROM S.day, json_array_elements(data -> 'byTeam') AS part
    WHERE former = '' AND dataset = 'users' AND json_typeof(data -> 'byTeam') = 'array';
  CREATE VIEW S.readiness_reports AS
    SELECT org, data ->> 'repo' AS repo, data ->> 'branch' AS branch, data ->> 'commit' AS commit,
      to_timestamp((data ->> 'createdAt')::float8 / 1000) AS created_at,
      (SELECT avg((criterion ->> 'passed')::numeric / (criterion ->> 'evaluated')::numeric)
       FROM json_array_elements(data -> 'criteria') AS criterion WHERE criterion ->> 'skipped' = 'false') AS ratio,
      row_number() OVER (
        PARTITION BY org, data ->> 'repo', data ->> 'branch' ORDER BY (data ->> 'createdAt')::float8 DESC
      ) = 1 AS is_newest_of_branch
    FROM S.document WHERE former = '' AND dataset = 'readiness' AND json_typeof(data -> 'criteria') = 'array';`;

const MIGRATIONS: readonly Migration[] = [
  { sql: TABLES + HOOKS, usableFrom: 1 },
  { sql: LEASES + RUNS, usableFrom: 2 },
  { sql: VIEWS, usableFrom: 2 },
  { sql: COPY, usableFrom: 2 },
  { sql: PAUSES, usableFrom: 2 },
  { sql: COUNTED, usableFrom: 2 },
];

/**
 * Migrates the schema, whichever process comes first: the others wait for the lock of its version, at most as long as
 * `lock_timeout`. Resolves with the identifier of the store. A schema that is current is only read, so that the privileges
 * to change it are not needed.
 */
export async function migrate(database: Database, migrations = MIGRATIONS): Promise<string> {
  const found = await database.transaction((query) => stateOf(query, database.schema), 'snapshot');
  if (found !== undefined && isUsable(found, migrations)) return found.storeId;
  return database.transaction(async (query) => {
    const schema = database.schema;
    await createVersion(query, schema);
    await query(`LOCK TABLE ${schema}.schema_version IN ACCESS EXCLUSIVE MODE`);
    const locked = await stateOf(query, schema);
    const done = locked?.version ?? 0;
    if (locked === undefined)
      await query(`INSERT INTO ${schema}.schema_version VALUES (true, 0, 0, gen_random_uuid())`);
    else if (isUsable(locked, migrations)) return locked.storeId;
    for (const { sql, usableFrom } of migrations.slice(done)) {
      await query(sql.replaceAll('S.', `${schema}.`));
      await query(`UPDATE ${schema}.schema_version SET version = version + 1, usable_from = $1`, [
        usableFrom,
      ]);
    }
    return (await stateOf(query, schema))?.storeId ?? '';
  }, 'migration');
}

/** Whether `history copy` reads or writes the database, or has not finished. */
export async function isBeingCopied(query: Query, schema: string): Promise<boolean> {
  return (await query(beingCopied(schema))).length > 0;
}

/** The query that has a row while the database is being copied. */
export function beingCopied(schema: string): string {
  return `SELECT 1 AS one FROM ${schema}.copy WHERE is_target OR expires_at > clock_timestamp()`;
}

/** Rejects with a `NotStored` while the database is being copied. */
export async function refuseCopied(database: Database): Promise<void> {
  await database.transaction(async (query) => {
    if (await isBeingCopied(query, database.schema)) throw new BeingCopied();
  }, 'snapshot');
}

interface SchemaState {
  readonly version: number;
  readonly usableFrom: number;
  readonly storeId: string;
}

/** Throws a `NewerSchema` if this release must not use the schema. */
function isUsable({ version, usableFrom }: SchemaState, migrations: readonly Migration[]): boolean {
  if (usableFrom > migrations.length) throw new NewerSchema(version, migrations.length);
  return version >= migrations.length;
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
