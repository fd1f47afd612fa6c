import { missingIn } from '../catalog/api-contract.ts';
import type { DatasetName } from '../catalog/dataset.ts';
import { type Day, type Instant, parseDay } from '../catalog/day.ts';
import type { DayLags } from '../catalog/day-lag.ts';
import type { Logger } from '../log/logger.ts';
import type { Clock } from '../work/clock.ts';
import { runInSlices } from '../work/slices.ts';
import { NotStored, type Query, type Row, type StoreDatabases, type Value } from './database.ts';
import { mergeDays } from './merge.ts';
import { observe, readLags, withAnswer } from './observed.ts';
import { planSweep } from './retention.ts';
import {
  adopt,
  type Dataset,
  newestDay,
  noteAnswer,
  noteOrgId,
  type Place,
  putDocuments,
  putMark,
  putOrg,
  putRows,
  readDays,
  readMark,
  removeOld,
} from './statements.ts';
import type {
  AnsweredDays,
  AnsweredDocuments,
  RequestCount,
  Retention,
  RowsFrom,
  Standing,
  Store,
  StoredAnswer,
  StoredDataset,
  StoredOrg,
} from './store.ts';
import { type Damaged, type Reading, readDataset, readOrg, readStanding } from './stored-org.ts';

export interface StoreParts extends StoreDatabases {
  readonly datasets: readonly Dataset[];
  /** Runs a transaction that may write, by default whenever it is asked to. */
  readonly write?: (<Result>(work: (query: Query) => Promise<Result>) => Promise<Result>) | undefined;
  /** Whether this process may write now. */
  mayWrite?(): boolean;
  /** Awaited before each sweep. */
  beforeSweep?(): Promise<void>;
  readonly clock: Pick<Clock, 'slices'>;
  readonly log: Logger;
}

/** Rows that are amended in one transaction. */
const AMENDED_AT_ONCE = 20;

/** The store over its databases. */
export class SqlStore implements Store {
  readonly #parts: StoreParts;
  readonly #datasets: ReadonlyMap<DatasetName, Dataset>;
  /** Whether a write has succeeded since the database last failed one. */
  #isProven = false;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.#datasets = new Map(parts.datasets.map((dataset) => [dataset.name, dataset]));
  }

  standing(org: string): Promise<Standing> {
    return this.#snapshot((query, epoch) => readStanding(query, org, epoch));
  }

  async demandWritable(): Promise<void> {
    const { days } = this.#parts;
    if (this.#isProven && days.isUp()) return;
    const work = (query: Query) =>
      query('INSERT INTO S.sweep (single) VALUES (1) ON CONFLICT (single) DO UPDATE SET single = 1');
    await (days.probe?.(work) ?? this.#write(work));
  }

  revisions(): Promise<ReadonlyMap<string, string>> {
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

  read(org: string, from?: RowsFrom): Promise<StoredOrg> {
    return this.#read(org, (query, reading) => readOrg(query, org, { from, ...reading }));
  }

  readDataset(org: string, name: DatasetName, from?: Day): Promise<StoredDataset> {
    return this.#read(org, (query, reading) => readDataset(query, org, { name, from, ...reading }));
  }

  async adopt(org: string, orgId: string): Promise<void> {
    const before = await this.#write((query) => adopt(query, org, orgId));
    if (before === undefined) return;
    this.#parts.log.warn('Organization of this name changed; history of the former one set aside', {
      org,
      orgId,
      before,
    });
  }

  putConfirmedKey(org: string, key: string): Promise<void> {
    return this.#write((query) => putOrg(query, org, { confirmedKey: key }));
  }

  putDays(org: string, dataset: DatasetName, answer: AnsweredDays): Promise<StoredAnswer> {
    return this.#write(async (query) => {
      const { clock } = this.#parts;
      await noteOrgId(query, org, answer.orgId);
      const place = { org, former: '', dataset };
      const reading = { form: this.#formOf(dataset), slices: clock.slices };
      const known = await readDays(query, place, answer.days, reading);
      const { changes, stored } = await runInSlices(mergeDays(known, answer), clock, 1);
      await this.#putRows(query, place, changes);
      const isChanged = changes.size > 0;
      await noteAnswer(query, place, { isChanged, answeredAt: answer.at, ...answer.completes });
      const { lags: notes } = answer;
      const revisions = stored.revisions.filter(({ before }) => answer.isCurrent?.(before) !== false);
      if (notes === undefined) return { ...stored, revisions };
      const revised = new Set(revisions.map(({ day }) => day));
      const now = await observe(query, place, (before) => withAnswer(before, answer, notes, revised));
      return { ...stored, revisions, lags: now.lags, missingFields: missingIn(now.fields ?? {}) };
    });
  }

  putDocuments(org: string, dataset: DatasetName, answer: AnsweredDocuments): Promise<number> {
    return this.#write(async (query) => {
      await noteOrgId(query, org, answer.orgId);
      const place = { org, former: '', dataset };
      const writing = { form: this.#formOf(dataset), slices: this.#parts.clock.slices };
      const { isChanged, gone } = await putDocuments(query, place, answer, writing);
      await noteAnswer(query, place, { isChanged, answeredAt: answer.at, ...answer.completes });
      return gone;
    });
  }

  putRevisedOn(org: string, dataset: DatasetName, day: Day): Promise<void> {
    return this.#write((query) =>
      noteAnswer(query, { org, former: '', dataset }, { isChanged: false, revisedOn: day }),
    );
  }

  putSucceeded(org: string, dataset: DatasetName, at: Instant): Promise<void> {
    return this.#write((query) =>
      noteAnswer(query, { org, former: '', dataset }, { isChanged: false, succeededAt: at }),
    );
  }

  dayLags(org: string): Promise<ReadonlyMap<DatasetName, DayLags>> {
    return this.#parts.days.transaction((query) => readLags(query, org), 'snapshot');
  }

  requestsOf(org: string): Promise<RequestCount | undefined> {
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
      const place = { org, former, dataset };
      await this.#write(async (query) => {
        // Another answer may have come meanwhile: it was made under the present settings.
        const [now] = await query(
          'SELECT data FROM S.day WHERE org = $1 AND former = $2 AND dataset = $3 AND day = $4',
          [org, former, dataset, day],
        );
        if (now?.['data'] !== row['data']) return;
        await this.#putRows(query, place, new Map([[day, changed]]));
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
    if (retention !== undefined && this.#mayWrite()) await this.#removeOld(retention);
  }

  async close(): Promise<void> {
    const { days, counts } = this.#parts;
    await days.close();
    if (counts !== days) await counts.close();
  }

  #mayWrite(): boolean {
    return this.#parts.mayWrite?.() !== false;
  }

  #formOf(name: DatasetName): number {
    return this.#datasets.get(name)?.schemaVersion ?? 1;
  }

  async #write<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
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

  #putRows(query: Query, place: Place, changes: ReadonlyMap<Day, unknown>): Promise<void> {
    const dataset = this.#datasets.get(place.dataset);
    const writing = { dataset, form: this.#formOf(place.dataset), slices: this.#parts.clock.slices };
    return putRows(query, place, changes, writing);
  }

  /** Reads in one transaction, with the epoch of what it reads. */
  #snapshot<Result>(work: (query: Query, epoch: string) => Promise<Result>): Promise<Result> {
    const { days } = this.#parts;
    return days.transaction(async (query) => work(query, await days.epochOf(query)), 'snapshot');
  }

  /** Reads in one transaction; what it finds damaged is fetched again. */
  async #read<Stored>(
    org: string,
    work: (query: Query, reading: Reading) => Promise<Stored>,
  ): Promise<Stored> {
    const damaged: Damaged[] = [];
    const { slices } = this.#parts.clock;
    const stored = await this.#snapshot((query, epoch) =>
      work(query, {
        epoch,
        formOf: (name) => this.#formOf(name),
        slices,
        onDamaged: (one) => void damaged.push(one),
      }),
    );
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
        await noteAnswer(query, { org, former: '', dataset }, { isChanged: true });
      }
    });
  }

  /** The days of a dataset that have a row, over all organizations: some at once, the next ones when those were used. */
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
            [dataset, this.#formOf(dataset), ...after],
          ),
        'snapshot',
      );
      yield* rows;
      const end = rows.length < AMENDED_AT_ONCE ? undefined : rows.at(-1);
      last = end && [end['org'], end['former'], end['day']].map(String);
    }
  }

  async #removeOld({ days: kept, now, orgs }: Retention): Promise<void> {
    await this.#write(async (query) => {
      const newest = await newestDay(query);
      if (newest === undefined) return;
      const plan = planSweep(newest, { days: kept, now }, await readMark(query));
      await putMark(query, plan.mark);
      if (plan.firstDay === undefined) return;
      await removeOld(query, plan.firstDay, new Set(orgs), this.#parts.clock.slices);
    });
  }
}
