import { missingIn } from '../catalog/api-contract.ts';
import type { DatasetName } from '../catalog/dataset.ts';
import { type Day, type Instant, parseDay } from '../catalog/day.ts';
import type { Logger } from '../log/logger.ts';
import type { Clock } from '../work/clock.ts';
import { runInSlices } from '../work/slices.ts';
import { NotStored, type Query, type Row, type StoreDatabases, type Value, type Work } from './database.ts';
import { mergeDays } from './merge.ts';
import { observe, readLags, withAnswer } from './observed.ts';
import { removeOld } from './retention.ts';
import {
  adopt,
  type Dataset,
  formOf,
  type Handling,
  IN_PLACE,
  noteAnswer,
  noteOrgId,
  placeOf,
  putDocuments,
  putOrg,
  putRows,
  readDays,
} from './statements.ts';
import type { AnsweredDays, AnsweredDocuments, RequestCount, Retention, RowsFrom, Store } from './store.ts';
import { type Damaged, OrgReader } from './stored-org.ts';

export interface StoreParts extends StoreDatabases {
  readonly datasets: readonly Dataset[];
  /** Runs a write transaction; always permitted by default, and only for the leader of a shared store. */
  readonly write?: (<Result>(work: Work<Result>) => Promise<Result>) | undefined;
  /** Whether this process may write now. */
  mayWrite?(): boolean;
  /** Awaited before each sweep. */
  beforeSweep?(): Promise<void>;
  readonly clock: Pick<Clock, 'slices'>;
  readonly log: Logger;
}

/** The number of rows amended per transaction. */
const AMENDED_AT_ONCE = 20;

/** The store on SQLite or PostgreSQL: both have the same statements. */
export class SqlStore implements Store {
  readonly #parts: StoreParts;
  readonly #datasets: ReadonlyMap<DatasetName, Dataset>;
  /** Whether a write has succeeded since the database last failed one. */
  #isProven = false;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.#datasets = new Map(parts.datasets.map((dataset) => [dataset.name, dataset]));
  }

  standing(org: string) {
    return this.#read(org, (reader) => reader.standing());
  }

  async demandWritable(): Promise<void> {
    const { days } = this.#parts;
    if (this.#isProven && days.isUp()) return;
    const work = (query: Query) =>
      query('INSERT INTO S.sweep (single) VALUES (1) ON CONFLICT (single) DO UPDATE SET single = 1');
    await (days.probe?.(work) ?? this.#write(work));
  }

  revisions() {
    return this.#snapshot(async (query, epoch) => {
      // Each change of what is stored raises one of the revisions.
      const rows = await query(
        `SELECT dataset.org, sum(revision) AS revision, max(org.org_id) AS org_id FROM S.dataset AS dataset
         LEFT JOIN S.org AS org ON org.org = dataset.org AND org.former = ''
         WHERE dataset.former = '' GROUP BY dataset.org`,
      );
      return new Map(
        rows.map((row) => [String(row['org']), `${epoch} ${row['org_id']} ${Number(row['revision'])}`]),
      );
    });
  }

  read(org: string, from?: RowsFrom) {
    return this.#read(org, (reader) => reader.whole(from));
  }

  readDataset(org: string, name: DatasetName, from?: Day) {
    return this.#read(org, (reader) => reader.dataset(name, from));
  }

  async adopt(org: string, orgId: string | undefined, unnamed: 'ours' | 'foreign' = 'ours'): Promise<void> {
    const before = await this.#write((query) => adopt(query, org, orgId, unnamed));
    if (before === undefined) return;
    const fields = { org, orgId, before };
    this.#parts.log.warn('Organization of this name changed; history of the former one set aside', fields);
  }

  putConfirmedKey(org: string, key: string) {
    return this.#write((query) => putOrg(query, org, { confirmedKey: key }));
  }

  putDays(org: string, dataset: DatasetName, answer: AnsweredDays) {
    return this.#write(async (query) => {
      await noteOrgId(query, org, answer.orgId);
      const place = placeOf(org, dataset);
      const handling = this.#handlingOf(dataset);
      const known = await readDays(query, place, answer.days, handling);
      const { changes, stored } = await runInSlices(mergeDays(known, answer), this.#parts.clock, 1);
      await putRows(query, place, changes, handling);
      const { at: answeredAt, lags, seen, completes } = answer;
      await noteAnswer(query, place, { isChanged: changes.size > 0, answeredAt, ...completes });
      const revisions = stored.revisions.filter(({ before }) => answer.isCurrent?.(before) !== false);
      if (lags === undefined && seen === undefined) return { ...stored, revisions };
      const revised = new Set(revisions.map(({ day }) => day));
      const now = await observe(query, place, (before) => withAnswer(before, answer, lags, revised));
      return { ...stored, revisions, lags: now.lags, missingFields: missingIn(now.fields ?? {}) };
    });
  }

  putDocuments(org: string, dataset: DatasetName, answer: AnsweredDocuments) {
    return this.#write(async (query) => {
      await noteOrgId(query, org, answer.orgId);
      const place = placeOf(org, dataset);
      const { isChanged, gone } = await putDocuments(query, place, answer, this.#handlingOf(dataset));
      await noteAnswer(query, place, { isChanged, answeredAt: answer.at, ...answer.completes });
      return gone;
    });
  }

  putRevisedOn(org: string, dataset: DatasetName, day: Day) {
    return this.#write((query) => noteAnswer(query, placeOf(org, dataset), { revisedOn: day }));
  }

  putSucceeded(org: string, dataset: DatasetName, at: Instant) {
    return this.#write((query) => noteAnswer(query, placeOf(org, dataset), { succeededAt: at }));
  }

  dayLags(org: string) {
    return this.#parts.days.transaction((query) => readLags(query, org), 'snapshot');
  }

  requestsOf(org: string) {
    return this.#parts.counts.transaction(async (query) => {
      const [row] = await query('SELECT day, requests FROM S.request_count WHERE org = $1', [org]);
      const day = parseDay(String(row?.['day']));
      return day && { day, requests: Number(row?.['requests']) };
    }, 'snapshot');
  }

  async putRequests(org: string, { day, requests }: RequestCount): Promise<void> {
    const { days, counts } = this.#parts;
    const put = async (query: Query) => {
      await query(
        `INSERT INTO S.request_count (org, day, requests) VALUES ($1, $2, $3)
         ON CONFLICT (org) DO UPDATE SET day = excluded.day, requests = excluded.requests`,
        [org, day, requests],
      );
    };
    await (counts === days ? this.#write(put) : counts.transaction(put, 'write'));
  }

  async amend(dataset: DatasetName, change: (row: unknown, day: Day, org: string) => unknown): Promise<void> {
    if (!this.#mayWrite()) return;
    let isAmended = false;
    for await (const row of this.#filledRows(dataset)) {
      const [org, former, day] = [String(row['org']), String(row['former']), row['day'] as Day];
      const before: unknown = JSON.parse(String(row['data']));
      const changed = change(before, day, org);
      if (changed === before) continue;
      isAmended = true;
      const place = [org, former, dataset] as const;
      await this.#write(async (query) => {
        // If another answer was stored meanwhile, it already follows the present settings.
        const [now] = await query(`SELECT data FROM S.day ${IN_PLACE} AND day = $4`, [...place, day]);
        if (now?.['data'] !== row['data']) return;
        await putRows(query, place, new Map([[day, changed]]), this.#handlingOf(dataset));
        await noteAnswer(query, place, { isChanged: true });
      });
    }
    if (isAmended) await this.#parts.days.scrub?.();
  }

  async sweep(retention?: Retention): Promise<void> {
    const { days, counts } = this.#parts;
    await this.#parts.beforeSweep?.();
    await days.tend?.();
    await counts.tend?.();
    if (!days.isUp() && this.#mayWrite()) await this.demandWritable();
    if (retention === undefined || !this.#mayWrite()) return;
    await this.#write((query) => removeOld(query, retention, this.#parts.clock.slices));
  }

  async close(): Promise<void> {
    const { days, counts } = this.#parts;
    await days.close();
    if (counts !== days) await counts.close();
  }

  #mayWrite(): boolean {
    return this.#parts.mayWrite?.() !== false;
  }

  #handlingOf(name: DatasetName): Handling {
    return { dataset: this.#datasets.get(name), slices: this.#parts.clock.slices };
  }

  async #write<Result>(work: Work<Result>): Promise<Result> {
    const { write, days } = this.#parts;
    try {
      const result = await (write === undefined ? days.transaction(work, 'write') : write(work));
      this.#isProven = true;
      return result;
    } catch (error) {
      this.#isProven &&= !(error instanceof NotStored);
      throw error;
    }
  }

  /** Reads in one transaction, together with the epoch. */
  #snapshot<Result>(work: (query: Query, epoch: string) => Promise<Result>): Promise<Result> {
    const { days } = this.#parts;
    return days.transaction(async (query) => work(query, await days.epochOf(query)), 'snapshot');
  }

  /** Reads in one transaction, and removes damaged rows, so that they are fetched again. */
  async #read<Stored>(org: string, work: (reader: OrgReader) => Promise<Stored>): Promise<Stored> {
    const { slices } = this.#parts.clock;
    const formOfName = (name: DatasetName) => formOf(this.#datasets.get(name));
    const { stored, damaged } = await this.#snapshot(async (query, epoch) => {
      const reader = new OrgReader(query, org, { epoch, formOf: formOfName, slices });
      return { stored: await work(reader), damaged: reader.damaged };
    });
    if (damaged.length > 0) await this.#forget(org, damaged);
    return stored;
  }

  /** Removes damaged rows, so that they are fetched again. */
  async #forget(org: string, damaged: readonly Damaged[]): Promise<void> {
    if (!this.#mayWrite()) return;
    this.#parts.log.warn('Stored rows are damaged; they are fetched again', { org, rows: damaged.length });
    await this.#write(async (query) => {
      for (const [dataset, column, key] of damaged) {
        const table = column === 'day' ? 'day' : 'document';
        await query(
          `DELETE FROM S.${table} WHERE org = $1 AND former = '' AND dataset = $2 AND ${column} = $3`,
          [org, dataset, key],
        );
        await noteAnswer(query, placeOf(org, dataset), { isChanged: true });
      }
    });
  }

  /** Lists the days of a dataset that have a row, over all organizations, in batches. */
  async *#filledRows(dataset: DatasetName): AsyncGenerator<Row> {
    const { days, clock } = this.#parts;
    let last: readonly Value[] | undefined = ['', '', ''];
    while (last !== undefined) {
      await clock.slices.next();
      const after: readonly Value[] = last;
      const rows = await days.transaction(
        (query) =>
          query(
            `SELECT org, former, day, data FROM S.day WHERE dataset = $1 AND form = $2 AND data IS NOT NULL
             AND (org, former, day) > ($3, $4, $5) ORDER BY org, former, day LIMIT ${AMENDED_AT_ONCE}`,
            [dataset, formOf(this.#datasets.get(dataset)), ...after],
          ),
        'snapshot',
      );
      yield* rows;
      const end = rows.length < AMENDED_AT_ONCE ? undefined : rows.at(-1);
      last = end && [end['org'], end['former'], end['day']].map(String);
    }
  }
}
