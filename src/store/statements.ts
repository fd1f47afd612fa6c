import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  type DatasetName,
  type DayDataset,
  type DocumentDataset,
  hasActivity,
  isUnsettled,
} from '../catalog/dataset.ts';
import { type Day, dayOf, earlier, type Instant, later, parseDay } from '../catalog/day.ts';
import type { Slices } from '../work/slices.ts';
import type { Query, Row, Value } from './database.ts';
import { MAX_SWEPT, type SweepMark } from './retention.ts';
import { sendRows } from './send-rows.ts';
import { type AnsweredDocuments, ForeignAnswer, UNCONFIRMED } from './store.ts';
import { isSound } from './stored-org.ts';
import { DAY_TABLES } from './tables.ts';

// The statements of the store's writes; each runs within a transaction.

/** A dataset of either kind. */
export type Dataset = DayDataset<unknown> | DocumentDataset<unknown>;

/** A dataset of an organization, or of a former one of its name. */
export interface Place {
  readonly org: string;
  /** Empty, or the identifier of a former organization. */
  readonly former: string;
  readonly dataset: DatasetName;
}

/** Longer identities are stored as digests: an index takes no long texts. */
const MAX_ID = 200;

/** The identity of a document as it is stored. */
export function keyOf(id: string): string {
  const isPlain = id.length <= MAX_ID && id.isWellFormed() && !id.includes('\0');
  return isPlain ? id : createHash('sha256').update(id).digest('hex');
}

/** How rows are read and written: in slices, those of a dataset's schema version. */
interface Handling {
  readonly form: number;
  readonly slices: Pick<Slices, 'next'>;
}

const NO_DAY = '' as Day;

/** Reads which of some days are known, with their rows. */
export async function readDays(
  query: Query,
  { org, former, dataset }: Place,
  days: readonly Day[],
  { form, slices }: Handling,
): Promise<ReadonlyMap<Day, unknown>> {
  const first = days.reduce(earlier, days[0] ?? NO_DAY);
  const last = days.reduce(later, NO_DAY);
  const rows = await query(
    `SELECT day, data, sum FROM S.day WHERE org = $1 AND former = $2 AND dataset = $3 AND day >= $4 AND day <= $5
     AND form = $6`,
    [org, former, dataset, first, last, form],
  );
  const known = new Map<Day, unknown>();
  for (const row of rows) {
    await slices.next();
    const { day, data } = row;
    if (isSound(row)) known.set(day as Day, typeof data === 'string' ? JSON.parse(data) : undefined);
  }
  return known;
}

/** Stores days: with their rows, or undefined for one that was answered without a row. */
export async function putRows(
  query: Query,
  { org, former, dataset: name }: Place,
  changes: ReadonlyMap<Day, unknown>,
  { dataset, form, slices }: Handling & { readonly dataset: Dataset | undefined },
): Promise<void> {
  const rows: Value[][] = [];
  for (const [day, row] of changes) {
    await slices.next();
    const text = row === undefined ? null : JSON.stringify(row);
    const figures = [activeOf(dataset, row), Number(isUnsettled(row)), text, crc32(text ?? '')];
    rows.push([org, former, name, day, form, ...figures]);
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

function activeOf(dataset: Dataset | undefined, row: unknown): Value {
  if (row === undefined || dataset?.kind !== 'days') return null;
  const isActive = hasActivity(dataset, row);
  return isActive === undefined ? null : Number(isActive);
}

/** Stores a listing of documents; resolves with whether it changed any, and how many are no longer listed. */
export async function putDocuments(
  query: Query,
  { org, former, dataset }: Place,
  { documents, damaged, complete }: AnsweredDocuments,
  { form, slices }: Handling,
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
        return [...place, key, form, text, crc32(text)];
      }),
    );
    isChanged ||= changed.length > 0;
  }
  return { isChanged, gone: gone.length };
}

/** Documents whose texts are made at once. */
const DOCUMENTS_AT_ONCE = 50;

/** Notes an answer about a dataset; a change of what is stored, or of the day of the last pass, raises its revision. */
export async function noteAnswer(
  query: Query,
  { org, former, dataset }: Place,
  noted: {
    readonly isChanged: boolean;
    readonly answeredAt?: Instant;
    readonly succeededAt?: Instant;
    readonly revisedOn?: Day | undefined;
  },
): Promise<void> {
  await query(
    `INSERT INTO S.dataset AS old (org, former, dataset, revision, answered_at, succeeded_at, revised_on)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (org, former, dataset) DO UPDATE SET
     revision = old.revision + CASE WHEN $8 = 1 OR coalesce(excluded.revised_on, old.revised_on) IS DISTINCT FROM old.revised_on
     THEN 1 ELSE 0 END, answered_at = coalesce(excluded.answered_at, old.answered_at),
     succeeded_at = coalesce(excluded.succeeded_at, old.succeeded_at),
     revised_on = coalesce(excluded.revised_on, old.revised_on)`,
    [
      org,
      former,
      dataset,
      Number(noted.isChanged || noted.revisedOn !== undefined),
      noted.answeredAt ?? null,
      noted.succeededAt ?? null,
      noted.revisedOn ?? null,
      Number(noted.isChanged),
    ],
  );
}

/** Changes columns of the current organization of a name. */
export async function putOrg(
  query: Query,
  org: string,
  changes: { readonly orgId?: string; readonly confirmedKey?: string },
): Promise<void> {
  await query(
    `INSERT INTO S.org AS old (org, former, org_id, confirmed_key) VALUES ($1, '', $2, $3)
     ON CONFLICT (org, former) DO UPDATE SET org_id = coalesce(excluded.org_id, old.org_id),
     confirmed_key = coalesce(excluded.confirmed_key, old.confirmed_key)`,
    [org, changes.orgId ?? null, changes.confirmedKey ?? null],
  );
}

async function orgIdOf(query: Query, org: string): Promise<string | undefined> {
  const [row] = await query("SELECT org_id FROM S.org WHERE org = $1 AND former = ''", [org]);
  const id = row?.['org_id'];
  return typeof id === 'string' ? id : undefined;
}

/** Notes the identifier that an answer contains. Throws a `ForeignAnswer` if the history is another organization's. */
export async function noteOrgId(query: Query, org: string, orgId: string | undefined): Promise<void> {
  if (orgId === undefined) return;
  const known = await orgIdOf(query, org);
  if (known !== undefined && known !== orgId) throw new ForeignAnswer(known, orgId);
  if (known === undefined) await putOrg(query, org, { orgId });
}

/** The tables whose rows belong to an organization, or to a former one of its name. */
const OF_ORG = DAY_TABLES.filter(({ key }) => key[1] === 'former');

/**
 * Assigns a name to an organization; resolves with the identifier of the one that was set aside. What is stored without an
 * identifier stays, since it is newer than what was set aside earlier.
 */
export async function adopt(query: Query, org: string, orgId: string): Promise<string | undefined> {
  const before = await orgIdOf(query, org);
  if (before === orgId) return undefined;
  for (const { name: table, key } of OF_ORG) {
    if (before !== undefined)
      await query(`UPDATE S.${table} SET former = $2 WHERE org = $1 AND former = ''`, [org, before]);
    const isSame = key
      .slice(2)
      .map((column) => `AND now.${column} = old.${column}`)
      .join(' ');
    // Only where nothing was set aside just now can there be rows in the way.
    if (before === undefined)
      await query(
        `DELETE FROM S.${table} AS old WHERE org = $1 AND former = $2 AND EXISTS (
           SELECT 1 FROM S.${table} AS now WHERE now.org = $1 AND now.former = '' ${isSame}
         )`,
        [org, orgId],
      );
    await query(`UPDATE S.${table} SET former = '' WHERE org = $1 AND former = $2`, [org, orgId]);
  }
  await query(
    `UPDATE S.dataset SET revision = revision + 1 + (
       SELECT coalesce(max(revision), 0) FROM S.dataset AS every WHERE every.org = $1
     ) WHERE org = $1 AND former = ''`,
    [org],
  );
  await query(
    `INSERT INTO S.org (org, former, org_id, confirmed_key) VALUES ($1, '', $2, $3)
     ON CONFLICT (org, former) DO UPDATE SET org_id = excluded.org_id, confirmed_key = excluded.confirmed_key`,
    [org, orgId, before === undefined ? null : UNCONFIRMED],
  );
  return before;
}

/** Reads the reference day of the last sweep. */
export async function readMark(query: Query): Promise<SweepMark | undefined> {
  const [row] = await query('SELECT day, doubted_since FROM S.sweep');
  const day = parseDay(String(row?.['day']));
  const since = row?.['doubted_since'];
  return day && { day, doubtedSince: typeof since === 'number' ? since : undefined };
}

/** Stores the reference day of a sweep. */
export async function putMark(query: Query, { day, doubtedSince }: SweepMark): Promise<void> {
  await query(
    `INSERT INTO S.sweep AS old (single, day, doubted_since) VALUES (1, $1, $2)
     ON CONFLICT (single) DO UPDATE SET day = excluded.day, doubted_since = excluded.doubted_since
     WHERE old.day IS DISTINCT FROM excluded.day OR old.doubted_since IS DISTINCT FROM excluded.doubted_since`,
    [day, doubtedSince ?? null],
  );
}

/** The newest day with a row, over all organizations. */
export async function newestDay(query: Query): Promise<Day | undefined> {
  const [row] = await query('SELECT day FROM S.day WHERE data IS NOT NULL ORDER BY day DESC LIMIT 1');
  return parseDay(String(row?.['day']));
}

/**
 * Removes a bounded number of days before one, oldest first. The newest row of each dataset of a polled organization stays; of
 * others, what was not answered since goes, too.
 */
export async function removeOld(
  query: Query,
  firstDay: Day,
  polled: ReadonlySet<string>,
  slices: Pick<Slices, 'next'>,
): Promise<void> {
  const old = await query(
    `SELECT org, former, dataset, day FROM S.day AS old WHERE day < $1 AND day <> coalesce((
       SELECT max(day) FROM S.day AS now WHERE now.org = old.org AND now.former = old.former
       AND now.dataset = old.dataset AND now.data IS NOT NULL
     ), '') ORDER BY day LIMIT ${MAX_SWEPT}`,
    [firstDay],
  );
  await removeDays(query, old, slices);
  const places = await query('SELECT org, former, dataset, answered_at FROM S.dataset');
  for (const place of places) {
    if (place['former'] === '' && polled.has(String(place['org']))) continue;
    if (dayOf(Number(place['answered_at'])) >= firstDay) continue;
    await slices.next();
    await removeForgotten(query, [place['org'], place['former'], place['dataset']].map(String), firstDay);
  }
  await query(
    `DELETE FROM S.org AS gone WHERE former <> '' AND NOT EXISTS (
       SELECT 1 FROM S.dataset AS kept WHERE kept.org = gone.org AND kept.former = gone.former
     )`,
  );
}

async function removeDays(query: Query, days: readonly Row[], slices: Pick<Slices, 'next'>): Promise<void> {
  const touched = new Map<string, readonly Value[]>();
  for (const { org = '', former = '', dataset = '', day = '' } of days) {
    await slices.next();
    const place = [org, former, dataset];
    touched.set(JSON.stringify(place), place);
    await query('DELETE FROM S.day WHERE org = $1 AND former = $2 AND dataset = $3 AND day = $4', [
      ...place,
      day,
    ]);
  }
  for (const place of touched.values())
    await query(
      'UPDATE S.dataset SET revision = revision + 1 WHERE org = $1 AND former = $2 AND dataset = $3',
      place,
    );
}

/** Removes a dataset of which all days are old, and that nobody polls: the documents have no age other than that of their listing. */
async function removeForgotten(query: Query, place: readonly string[], firstDay: Day): Promise<void> {
  const where = 'WHERE org = $1 AND former = $2 AND dataset = $3';
  const [kept] = await query(`SELECT 1 AS one FROM S.day ${where} AND day >= $4 LIMIT 1`, [
    ...place,
    firstDay,
  ]);
  if (kept !== undefined) return;
  for (const table of ['day', 'document', 'observed', 'dataset'])
    await query(`DELETE FROM S.${table} ${where}`, place);
}
