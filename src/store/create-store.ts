import { crc32 } from 'node:zlib';
import { missingIn } from '../catalog/api-contract.ts';
import {
  type DatasetName,
  type DayDataset,
  type DocumentDataset,
  hasActivity,
  isUnsettled,
} from '../catalog/dataset.ts';
import { type Day, parseDay } from '../catalog/day.ts';
import type { Logger } from '../log/logger.ts';
import type { Clock } from '../work/clock.ts';
import { runInSlices } from '../work/slices.ts';
import { NotStored, type Query, type StoreDatabases, type Value } from './database.ts';
import { mergeDays } from './merge.ts';
import { observe, readLags, withAnswer } from './observed.ts';
import { planSweep } from './retention.ts';
import { sendRows } from './send-rows.ts';
import {
  adopt,
  keyOf,
  newestDay,
  noteAnswer,
  noteOrgId,
  type Place,
  putMark,
  putOrg,
  readDays,
  readMark,
  removeOld,
} from './statements.ts';
import type { AnsweredDocuments, Retention, Store, StoredAnswer } from './store.ts';
import { type Damaged, type Reading, readDataset, readOrg, readStanding } from './stored-org.ts';

export interface StoreParts extends StoreDatabases {
  readonly datasets: readonly (DayDataset<unknown> | DocumentDataset<unknown>)[];
  /** Runs a transaction that may write, by default whenever it is asked to. */
  readonly write?: (<Result>(work: (query: Query) => Promise<Result>) => Promise<Result>) | undefined;
  /** Whether this process may write now. */
  mayWrite?(): boolean;
  readonly clock: Pick<Clock, 'slices'>;
  readonly log: Logger;
}

/** Rows that are amended in one transaction. */
const AMENDED_AT_ONCE = 20;

/** Creates the store over its databases. */
export function createStore(parts: StoreParts): Store {
  const { days, counts, datasets, clock, log } = parts;
  const { slices } = clock;
  const transact = parts.write ?? ((work) => days.transaction(work, 'write'));
  let isProven = false;
  const byName = new Map(datasets.map((dataset) => [dataset.name, dataset]));
  const formOf = (name: DatasetName) => byName.get(name)?.schemaVersion ?? 1;

  async function write<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    try {
      const result = await transact(work);
      isProven = true;
      return result;
    } catch (error) {
      isProven &&= !(error instanceof NotStored);
      throw error;
    }
  }

  function activeOf(name: DatasetName, row: unknown): Value {
    const dataset = byName.get(name);
    if (row === undefined || dataset?.kind !== 'days') return null;
    const isActive = hasActivity(dataset, row);
    return isActive === undefined ? null : Number(isActive);
  }

  async function putRows(
    query: Query,
    { org, former, dataset }: Place,
    changes: ReadonlyMap<Day, unknown>,
  ): Promise<void> {
    const rows: Value[][] = [];
    for (const [day, row] of changes) {
      await slices.next();
      const text = row === undefined ? null : JSON.stringify(row);
      const figures = [activeOf(dataset, row), Number(isUnsettled(row)), text, crc32(text ?? '')];
      rows.push([org, former, dataset, day, formOf(dataset), ...figures]);
    }
    await sendRows(
      query,
      `INSERT INTO S.day (org, former, dataset, day, form, active, unsettled, data, sum) VALUES ROWS
       ON CONFLICT (org, former, dataset, day)
       DO UPDATE SET form = excluded.form, active = excluded.active, unsettled = excluded.unsettled, data = excluded.data,
       sum = excluded.sum`,
      rows,
    );
  }

  async function putDocuments(
    query: Query,
    { org, former, dataset }: Place,
    { documents, damaged, complete }: AnsweredDocuments,
  ): Promise<{ readonly isChanged: boolean; readonly gone: number }> {
    const place = [org, former, dataset];
    const ids = new Map([...documents.keys()].map((id) => [keyOf(id), id]));
    const rows = await query(
      'SELECT id FROM S.document WHERE org = $1 AND former = $2 AND dataset = $3',
      place,
    );
    const known = new Set(rows.map(({ id }) => String(id)));
    const gone = complete ? [...known].filter((id) => !ids.has(id)) : [];
    for (const id of gone)
      await query('DELETE FROM S.document WHERE org = $1 AND former = $2 AND dataset = $3 AND id = $4', [
        ...place,
        id,
      ]);
    const usable = [...ids].filter(([key, id]) => !(damaged?.has(id) && known.has(key)));
    let isChanged = gone.length > 0;
    for (let start = 0; start < usable.length; start += DOCUMENTS_AT_ONCE) {
      await slices.next();
      const changed = await sendRows(
        query,
        `INSERT INTO S.document AS old (org, former, dataset, id, form, data, sum) VALUES ROWS
         ON CONFLICT (org, former, dataset, id) DO UPDATE SET form = excluded.form, data = excluded.data, sum = excluded.sum
         WHERE old.data IS DISTINCT FROM excluded.data OR old.form IS DISTINCT FROM excluded.form OR old.sum <> excluded.sum
         RETURNING 1 AS one`,
        usable.slice(start, start + DOCUMENTS_AT_ONCE).map(([key, id]) => {
          const text = JSON.stringify(documents.get(id));
          return [...place, key, formOf(dataset), text, crc32(text)];
        }),
      );
      isChanged ||= changed.length > 0;
    }
    return { isChanged, gone: gone.length };
  }

  /** Reads in one transaction; what it finds damaged is fetched again. */
  async function read<Stored>(
    org: string,
    work: (query: Query, reading: Reading) => Promise<Stored>,
  ): Promise<Stored> {
    const damaged: Damaged[] = [];
    const reading = { formOf, slices, onDamaged: (one: Damaged) => void damaged.push(one) };
    const stored = await days.transaction(
      async (query) => work(query, { epoch: await days.epochOf(query), ...reading }),
      'snapshot',
    );
    if (damaged.length > 0) await forget(org, damaged);
    return stored;
  }

  /** Removes damaged rows, so that they are fetched again. */
  async function forget(org: string, damaged: readonly Damaged[]): Promise<void> {
    if (parts.mayWrite?.() === false) return;
    log.warn('Stored rows are damaged; they are fetched again', { org, rows: damaged.length });
    await write(async (query) => {
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

  async function demandWritable(): Promise<void> {
    if (isProven && days.isUp()) return;
    const work = (query: Query) =>
      query('INSERT INTO S.sweep (single) VALUES (1) ON CONFLICT (single) DO UPDATE SET single = 1');
    await (days.probe?.(work) ?? write(work));
  }

  async function sweepNow({ days: kept, now, orgs }: Retention): Promise<void> {
    await write(async (query) => {
      const newest = await newestDay(query);
      if (newest === undefined) return;
      const plan = planSweep(newest, { days: kept, now }, await readMark(query));
      await putMark(query, plan.mark);
      if (plan.firstDay !== undefined) await removeOld(query, plan.firstDay, new Set(orgs), slices);
    });
  }

  return {
    standing: (org) =>
      days.transaction(async (query) => readStanding(query, org, await days.epochOf(query)), 'snapshot'),
    demandWritable,
    revisions: () =>
      days.transaction(async (query) => {
        const epoch = await days.epochOf(query);
        // Each change of what is stored raises one of the revisions.
        const rows = await query(
          `SELECT dataset.org, sum(revision) AS revision, max(org.org_id) AS org_id FROM S.dataset AS dataset
           LEFT JOIN S.org AS org ON org.org = dataset.org AND org.former = ''
           WHERE dataset.former = '' GROUP BY dataset.org`,
        );
        return new Map(
          rows.map((row) => [String(row['org']), `${epoch} ${row['org_id']} ${Number(row['revision'])}`]),
        );
      }, 'snapshot'),
    read: (org, from) => read(org, (query, reading) => readOrg(query, org, { from, ...reading })),
    readDataset: (org, name, from) =>
      read(org, (query, reading) => readDataset(query, org, { name, from, ...reading })),
    async adopt(org, orgId) {
      const before = await write((query) => adopt(query, org, orgId));
      if (before === undefined) return;
      log.warn('Organization of this name changed; history of the former one set aside', {
        org,
        orgId,
        before,
      });
    },
    putConfirmedKey: (org, key) => write((query) => putOrg(query, org, { confirmedKey: key })),
    putDays: (org, dataset, answer) =>
      write(async (query): Promise<StoredAnswer> => {
        await noteOrgId(query, org, answer.orgId);
        const place = { org, former: '', dataset };
        const known = await readDays(query, place, answer.days, { form: formOf(dataset), slices });
        const { changes, stored } = await runInSlices(mergeDays(known, answer), clock, 1);
        await putRows(query, place, changes);
        const isChanged = changes.size > 0;
        await noteAnswer(query, place, { isChanged, answeredAt: answer.at, ...answer.completes });
        const { lags: notes } = answer;
        const revisions = stored.revisions.filter(({ before }) => answer.isCurrent?.(before) !== false);
        if (notes === undefined) return { ...stored, revisions };
        const revised = new Set(revisions.map(({ day }) => day));
        const now = await observe(query, place, (before) => withAnswer(before, answer, notes, revised));
        return { ...stored, revisions, lags: now.lags, missingFields: missingIn(now.fields ?? {}) };
      }),
    putDocuments: (org, dataset, answer) =>
      write(async (query) => {
        await noteOrgId(query, org, answer.orgId);
        const place = { org, former: '', dataset };
        const { isChanged, gone } = await putDocuments(query, place, answer);
        await noteAnswer(query, place, { isChanged, answeredAt: answer.at, ...answer.completes });
        return gone;
      }),
    putRevisedOn: (org, dataset, day) =>
      write((query) => noteAnswer(query, { org, former: '', dataset }, { isChanged: false, revisedOn: day })),
    putSucceeded: (org, dataset, at) =>
      write((query) =>
        noteAnswer(query, { org, former: '', dataset }, { isChanged: false, succeededAt: at }),
      ),
    dayLags: (org) => days.transaction((query) => readLags(query, org), 'snapshot'),
    requestsOf: (org) =>
      counts.transaction(async (query) => {
        const [row] = await query('SELECT day, requests FROM S.request_count WHERE org = $1', [org]);
        const day = parseDay(String(row?.['day']));
        return day && { day, requests: Number(row?.['requests']) };
      }, 'snapshot'),
    async putRequests(org, { day, requests }) {
      const put = async (query: Query) => {
        await query(
          `INSERT INTO S.request_count (org, day, requests) VALUES ($1, $2, $3)
           ON CONFLICT (org) DO UPDATE SET day = excluded.day, requests = excluded.requests`,
          [org, day, requests],
        );
      };
      await (counts === days ? write(put) : counts.transaction(put, 'write'));
    },
    async amend(dataset, change) {
      if (parts.mayWrite?.() === false) return;
      let last: readonly Value[] | undefined = ['', '', ''];
      let isAmended = false;
      while (last !== undefined) {
        await slices.next();
        const after: readonly Value[] = last;
        const rows = await days.transaction(
          (query) =>
            query(
              `SELECT org, former, day, data FROM S.day WHERE dataset = $1 AND form = $2 AND data IS NOT NULL
               AND (org, former, day) > ($3, $4, $5) ORDER BY org, former, day LIMIT ${AMENDED_AT_ONCE}`,
              [dataset, formOf(dataset), ...after],
            ),
          'snapshot',
        );
        const end = rows.at(-1);
        last =
          rows.length < AMENDED_AT_ONCE || end === undefined
            ? undefined
            : [end['org'], end['former'], end['day']].map(String);
        for (const row of rows) {
          const [org, former, day] = [String(row['org']), String(row['former']), row['day'] as Day];
          const before: unknown = JSON.parse(String(row['data']));
          const changed = change(before, day, org);
          if (changed === before) continue;
          isAmended = true;
          const place = { org, former, dataset };
          await write(async (query) => {
            // Another answer may have come meanwhile: it was made under the present settings.
            const [now] = await query(
              'SELECT data FROM S.day WHERE org = $1 AND former = $2 AND dataset = $3 AND day = $4',
              [org, former, dataset, day],
            );
            if (now?.['data'] !== row['data']) return;
            await putRows(query, place, new Map([[day, changed]]));
            await noteAnswer(query, place, { isChanged: true });
          });
        }
      }
      if (isAmended) await days.scrub?.();
    },
    async sweep(retention) {
      await days.tend?.();
      await counts.tend?.();
      if (!days.isUp() && parts.mayWrite?.() !== false) await demandWritable();
      if (retention !== undefined && parts.mayWrite?.() !== false) await sweepNow(retention);
    },
    async close() {
      await days.close();
      if (counts !== days) await counts.close();
    },
  };
}

/** Documents whose texts are made at once. */
const DOCUMENTS_AT_ONCE = 50;
