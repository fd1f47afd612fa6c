import type { DatasetName } from '../../catalog/dataset.ts';
import { parseDay } from '../../catalog/day.ts';
import { backoffMs } from '../../runtime/backoff.ts';
import type { Clock } from '../../runtime/clock.ts';
import { messageOf } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { createSerialQueue, type SerialQueue } from '../../runtime/serial-queue.ts';
import { createSlices } from '../../runtime/slices.ts';
import type { History, RequestCount } from '../history.ts';
import { createHistoryState, type HistoryState, type Touched } from '../state.ts';
import type { Database, Query } from './database.ts';
import type { Leases } from './leases.ts';
import { readRows, type SchemaVersionOf, type StoredRows, withRows, writeTouched } from './rows.ts';
import { type Counted, runIn, type SharedRun, type SharedTotals, totalsIn, writeRun } from './runs.ts';
import { migrate, refuseCopied } from './schema.ts';
import { abandonedOrgs, firstKeptDay } from './sweep.ts';

/** Interval between checks for changes of other processes, in milliseconds. */
const LOOK_MS = 1_000;
/** The waits between attempts to use the database, in milliseconds. */
const RETRY = { baseMs: 1_000, capMs: 5_000 };

export interface PostgresHistoryDeps {
  readonly database: Database;
  /** The schema version of a dataset's rows: those stored with another version are fetched again. */
  readonly schemaVersionOf: SchemaVersionOf;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when another process has changed what is stored of an organization. */
  readonly onChange?: (org: string, datasets: readonly DatasetName[]) => void;
  /** Called with the last runs and totals of an organization that were read or written; `isAll` if no others are stored. */
  readonly onRuns?: (
    org: string,
    runs: readonly SharedRun[],
    totals: readonly SharedTotals[],
    isAll: boolean,
  ) => void;
  /** Which process may write; any by default. */
  readonly leases?: Pick<Leases, 'fence' | 'mayClean'>;
}

/** A history in a database that several processes share. */
export interface PostgresHistory extends History {
  /** Identifies the store, the same in all of its processes; undefined until it was opened. */
  storeId(): string | undefined;
  /**
   * Stores a run of a collector and what was counted. A `NotStored` may be of a lost answer: what was counted can be
   * stored again, and counts once.
   */
  putRun(org: string, run: SharedRun, counted: readonly Counted[]): Promise<void>;
  /** Resolves once the schema is current; the database is tried again until then. */
  readonly opened: Promise<void>;
}

/** What is stored of one organization's name. */
interface Known {
  readonly state: HistoryState;
  readonly version: number;
}

/**
 * Creates a history in a PostgreSQL database. Each process holds what it has read of the organizations that it was asked
 * about; a write applies what others have stored meanwhile, and is in memory only once it is committed.
 */
export function createPostgresHistory(deps: PostgresHistoryDeps): PostgresHistory {
  const { database, schemaVersionOf, clock, log } = deps;
  const known = new Map<string, Known>();
  const queues = new Map<string, SerialQueue>();
  const closing = new AbortController();
  let storeId: string | undefined;

  async function open(): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        const id = await migrate(database);
        await refuseCopied(database);
        storeId = id;
        return;
      } catch (error) {
        // Reported by the database.
        log.debug('Opening the database failed', { error: messageOf(error) });
        await clock.wait(backoffMs(tries, RETRY), closing.signal);
      }
    }
  }

  const opened = open();
  const watching = opened.then(watch).catch(() => undefined);

  async function watch(): Promise<void> {
    for (;;) {
      await clock.wait(LOOK_MS, closing.signal);
      await look().catch((error: unknown) =>
        log.debug('Check for changes in the database failed', { error: messageOf(error) }),
      );
    }
  }

  /** Reads what others have changed. */
  async function look(): Promise<void> {
    const orgs = [...known.keys()];
    const rows = await database.transaction(
      (query) =>
        query(`SELECT org, version::float8 FROM ${database.schema}.org_version WHERE org = ANY($1)`, [orgs]),
      'snapshot',
      'lease',
    );
    for (const row of rows) {
      const org = String(row['org']);
      if (Number(row['version']) > (known.get(org)?.version ?? 0)) await queueOf(org).run(() => refresh(org));
    }
  }

  function queueOf(org: string): SerialQueue {
    const queue = queues.get(org) ?? createSerialQueue();
    queues.set(org, queue);
    return queue;
  }

  /** Reads an organization, or what is new of it; reports the changes unless it was not known. */
  async function refresh(org: string): Promise<Known> {
    const before = known.get(org);
    const { now, rows } = await database.transaction(
      async (query) => {
        const [row] = await query(
          `SELECT version::float8, reset_version::float8 FROM ${database.schema}.org_version WHERE org = $1`,
          [org],
        );
        return caughtUp(query, org, Number(row?.['version'] ?? 0), Number(row?.['reset_version'] ?? 0));
      },
      'snapshot',
      'page',
    );
    known.set(org, now);
    showRuns(org, rows, before === undefined);
    if (before !== undefined) deps.onChange?.(org, datasetsIn(rows));
    return now;
  }

  /** What is stored of an organization at a version. */
  async function caughtUp(
    query: Query,
    org: string,
    version: number,
    resetVersion: number,
  ): Promise<{ readonly now: Known; readonly rows: StoredRows }> {
    const before = known.get(org);
    // After a deletion or a move, newer rows alone do not show what is stored.
    const base = before !== undefined && before.version >= resetVersion ? before : undefined;
    if (base !== undefined && base.version >= version) return { now: base, rows: NO_ROWS };
    const rows = await readRows(query, database.schema, org, base?.version ?? -1);
    const slices = createSlices(clock);
    const { slots, unreadable } = await withRows(
      base?.state.slots() ?? new Map(),
      org,
      rows,
      schemaVersionOf,
      slices,
    );
    if (unreadable > 0 && before === undefined)
      log.warn('Refetching stored rows with an outdated schema or a bad checksum', { org, unreadable });
    return { now: { state: createHistoryState(slots), version }, rows };
  }

  function showRuns(org: string, { runs, totals }: Pick<StoredRows, 'runs' | 'totals'>, isAll = false): void {
    if (isAll || runs.length + totals.length > 0)
      deps.onRuns?.(org, runs.map(runIn), totals.map(totalsIn), isAll);
  }

  async function knownOf(org: string): Promise<Known> {
    return known.get(org) ?? (await queueOf(org).run(async () => known.get(org) ?? (await refresh(org))));
  }

  /** Changes an organization: in the database as one transaction, then in memory. */
  function change<Result>(
    org: string,
    work: (state: HistoryState) => { readonly result: Result; readonly touched: readonly Touched[] },
    more?: (query: Query, version: number) => Promise<void>,
  ): Promise<Result> {
    // The lease under which the change begins: a run of an earlier one must not write under a later one.
    const fenced = async () => deps.leases?.fence(org);
    const check = fenced();
    check.catch(() => undefined);
    return queueOf(org).run(async () => {
      const isFirst = !known.has(org);
      const outcome = await database.transaction(async (query) => {
        // Locks the organization until the end of the transaction; its writers come one after the other.
        const [row] = await query(
          `INSERT INTO ${database.schema}.org_version AS old (org, version) VALUES ($1, 1)
           ON CONFLICT (org) DO UPDATE SET version = old.version + 1
           RETURNING version::float8, reset_version::float8`,
          [org],
        );
        await (await check)?.(query);
        const version = Number(row?.['version']);
        const { now, rows } = await caughtUp(query, org, version - 1, Number(row?.['reset_version']));
        const state = createHistoryState(now.state.slots());
        const { result, touched } = work(state);
        await more?.(query, version);
        const isReset = await writeTouched(
          query,
          database.schema,
          { state, touched, version },
          schemaVersionOf,
          createSlices(clock),
        );
        if (isReset)
          await query(`UPDATE ${database.schema}.org_version SET reset_version = $2 WHERE org = $1`, [
            org,
            version,
          ]);
        return { result, rows, next: { state, version } };
      });
      known.set(org, outcome.next);
      showRuns(org, outcome.rows, isFirst);
      const others = datasetsIn(outcome.rows);
      if (others.length > 0) deps.onChange?.(org, others);
      return outcome.result;
    });
  }

  /** Changes every known organization that this process may change. */
  async function changeAll(work: (state: HistoryState, org: string) => readonly Touched[]): Promise<void> {
    const slices = createSlices(clock);
    for (const org of [...known.keys()]) {
      await slices.next();
      if (deps.leases?.mayClean(org) === false) continue;
      const { state } = await knownOf(org);
      // Most sweeps change nothing and need no transaction.
      if (work(createHistoryState(state.slots()), org).length === 0) continue;
      await change(org, (current) => ({ result: undefined, touched: work(current, org) }));
    }
  }

  return {
    opened,
    storeId: () => storeId,
    read: async (org) => (await knownOf(org)).state.read(org),
    async adopt(org, orgId) {
      const before = (await knownOf(org)).state.identity(org)?.orgId;
      if (before === orgId) return;
      await change(org, (state) => ({ result: undefined, touched: state.adopt(org, orgId) }));
      if (before === undefined) return;
      log.warn('Organization of this name changed; history of the former one set aside', {
        ...{ org, orgId, before },
      });
    },
    async putConfirmedKey(org, key) {
      if ((await knownOf(org)).state.identity(org)?.confirmedKey === key) return;
      await change(org, (state) => ({ result: undefined, touched: state.putConfirmedKey(org, key) }));
    },
    putDays: (org, dataset, answer) =>
      change(org, (state) => {
        const { stored, days } = state.putDays(org, dataset, answer);
        return { result: stored, touched: [{ org, dataset, days, documents: [] }] };
      }),
    putDocuments: (org, dataset, answer) =>
      change(org, (state) => {
        const documents = state.putDocuments(org, dataset, answer);
        return { result: undefined, touched: [{ org, dataset, days: [], documents }] };
      }),
    revisedOn: async (org, dataset) => (await knownOf(org)).state.dataset(org, dataset)?.revisedOn,
    putRevisedOn: (org, dataset, day) =>
      change(org, (state) => {
        state.putRevisedOn(org, dataset, day);
        return { result: undefined, touched: [{ org, dataset, days: [], documents: [] }] };
      }),
    putSucceeded: (org, dataset, at) =>
      change(org, (state) => {
        state.putSucceeded(org, dataset, at);
        return { result: undefined, touched: [{ org, dataset, days: [], documents: [] }] };
      }),
    async requestsOf(org) {
      const [row] = await database.transaction(
        (query) =>
          query(`SELECT day::text, requests::float8 FROM ${database.schema}.request_count WHERE org = $1`, [
            org,
          ]),
        'snapshot',
      );
      const day = parseDay(String(row?.['day']));
      return day && { day, requests: Number(row?.['requests']) };
    },
    async putRequests(org, { day, requests }: RequestCount) {
      const check = deps.leases?.fence(org);
      await database.transaction(async (query) => {
        await check?.(query);
        await query(
          `INSERT INTO ${database.schema}.request_count (org, day, requests) VALUES ($1, $2, $3)
           ON CONFLICT (org) DO UPDATE SET day = excluded.day, requests = excluded.requests`,
          [org, day, requests],
        );
      });
    },
    async putRun(org, run, counted) {
      // Read in the same transaction: only the database knows the new totals, and a read that fails afterwards would
      // pass for a run that was not stored.
      let written: Pick<StoredRows, 'runs' | 'totals'> = NO_ROWS;
      await change(
        org,
        () => ({ result: undefined, touched: [] }),
        async (query, version) => {
          written = await writeRun(query, database.schema, { org, version }, run, counted);
        },
      );
      showRuns(org, written);
    },
    async amend(dataset, work) {
      await changeAll((state) => [...state.amend(dataset, work)].flat());
    },
    async sweep(retention) {
      if (retention === undefined || storeId === undefined) return;
      for (const org of await abandonedOrgs(database, retention.orgs)) await knownOf(org);
      const firstDay = await firstKeptDay(database, retention);
      if (firstDay !== undefined)
        await changeAll((state) => [...state.dropBefore(firstDay, retention.orgs)].flat());
    },
    async close() {
      closing.abort();
      await watching;
      await Promise.all([...queues.values()].map((queue) => queue.idle()));
      await database.close();
    },
  };
}

const NO_ROWS: StoredRows = { orgs: [], datasets: [], days: [], documents: [], runs: [], totals: [] };

/** The datasets of changed rows. */
function datasetsIn({ datasets, days, documents }: StoredRows): readonly DatasetName[] {
  const names = [...datasets, ...days, ...documents].map((row) => String(row['dataset']) as DatasetName);
  return [...new Set(names)];
}
