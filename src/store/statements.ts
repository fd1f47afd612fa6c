import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  type DatasetName,
  type DayDataset,
  type DocumentDataset,
  hasActivity,
  isUnsettled,
} from '../catalog/dataset.ts';
import { type Day, earlier, type Instant, later } from '../catalog/day.ts';
import type { Slices } from '../work/slices.ts';
import type { Query, Value } from './database.ts';
import { sendRows } from './database.ts';
import { type AnsweredDocuments, ForeignAnswer, UNCONFIRMED } from './store.ts';
import { isSound } from './stored-org.ts';
import { DAY_TABLES } from './tables.ts';

// The statements of the store's writes; each runs within a transaction.

/** A dataset of either kind. */
export type Dataset = DayDataset<unknown> | DocumentDataset<unknown>;

/** A dataset of an organization, or of a former one of its name: `former` is empty, or the identifier of the former one. */
export type Place = readonly [org: string, former: string, dataset: DatasetName];

/** A dataset of the current organization of a name. */
export function placeOf(org: string, dataset: DatasetName): Place {
  return [org, '', dataset];
}

export const IN_PLACE = 'WHERE org = $1 AND former = $2 AND dataset = $3';

/** A longer document id is stored as its digest: an index takes no long texts. */
const MAX_ID = 200;

/** The stored form of a document's id. */
export function keyOf(id: string): string {
  const isPlain = id.length <= MAX_ID && id.isWellFormed() && !id.includes('\0');
  return isPlain ? id : createHash('sha256').update(id).digest('hex');
}

/** How rows are read and written: in slices, as their dataset declares. */
export interface Handling {
  readonly dataset: Dataset | undefined;
  readonly slices: Pick<Slices, 'next'>;
}

/** The schema version of a dataset's rows. */
export function formOf(dataset: Dataset | undefined): number {
  return dataset?.schemaVersion ?? 1;
}

const NO_DAY = '' as Day;

/** Reads those of some days that are stored, with their rows. */
export async function readDays(
  query: Query,
  place: Place,
  days: readonly Day[],
  { dataset, slices }: Handling,
): Promise<ReadonlyMap<Day, unknown>> {
  const first = days.reduce(earlier, days[0] ?? NO_DAY);
  const last = days.reduce(later, NO_DAY);
  const rows = await query(
    `SELECT day, data, sum FROM S.day ${IN_PLACE} AND day >= $4 AND day <= $5 AND form = $6`,
    [...place, first, last, formOf(dataset)],
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
  place: Place,
  changes: ReadonlyMap<Day, unknown>,
  { dataset, slices }: Handling,
): Promise<void> {
  const rows: Value[][] = [];
  for (const [day, row] of changes) {
    await slices.next();
    const text = row === undefined ? null : JSON.stringify(row);
    const figures = [activeOf(dataset, row), Number(isUnsettled(row)), text, crc32(text ?? '')];
    rows.push([...place, day, formOf(dataset), ...figures]);
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
  place: Place,
  { documents, damaged, complete }: AnsweredDocuments,
  { dataset, slices }: Handling,
): Promise<{ readonly isChanged: boolean; readonly gone: number }> {
  const ids = new Map([...documents.keys()].map((id) => [keyOf(id), id]));
  const rows = await query(`SELECT id FROM S.document ${IN_PLACE}`, place);
  const known = new Set(rows.map(({ id }) => String(id)));
  const gone = complete ? [...known].filter((id) => !ids.has(id)) : [];
  for (const id of gone) await query(`DELETE FROM S.document ${IN_PLACE} AND id = $4`, [...place, id]);
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

/** The number of documents that are serialized per slice. */
const DOCUMENTS_AT_ONCE = 50;

/** Records an answer about a dataset. A change of rows or documents, or of the day of the last pass, raises its revision. */
export async function noteAnswer(
  query: Query,
  place: Place,
  noted: {
    readonly isChanged?: boolean;
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
      ...place,
      Number(noted.isChanged === true || noted.revisedOn !== undefined),
      noted.answeredAt ?? null,
      noted.succeededAt ?? null,
      noted.revisedOn ?? null,
      Number(noted.isChanged === true),
    ],
  );
}

/** Updates columns of the current organization of a name. */
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

/** Records the identifier that an answer contains. Throws a `ForeignAnswer` if the stored data is another organization's. */
export async function noteOrgId(query: Query, org: string, orgId: string | undefined): Promise<void> {
  if (orgId === undefined) return;
  const known = await orgIdOf(query, org);
  if (known !== undefined && known !== orgId) throw new ForeignAnswer(known, orgId);
  if (known === undefined) await putOrg(query, org, { orgId });
}

/** The tables whose rows belong to an organization, or to a former one of its name. */
const OF_ORG = DAY_TABLES.filter(({ key }) => key[1] === 'former');

/** The identifier under which data without an identifier is set aside. */
const UNNAMED = '?';

/**
 * Assigns a name to the organization with this identifier; without `orgId`, to one whose identifier is not known yet. Sets the data
 * of the former organization aside, and resolves with its identifier. Stored data without an identifier stays, because it is newer
 * than data set aside earlier, unless another platform has sent it. Data also stays if its identifier is the part of the new one
 * before a colon.
 */
export async function adopt(
  query: Query,
  org: string,
  orgId: string | undefined,
  unnamed: 'ours' | 'foreign',
): Promise<string | undefined> {
  const known = await orgIdOf(query, org);
  const isForeign = unnamed === 'foreign' && known === undefined && (await isStored(query, org));
  // Without an identifier, what another platform has left is set aside, and what was set aside so is restored.
  if (known === orgId && !isForeign && (known !== undefined || unnamed === 'foreign')) return undefined;
  const isMore = unnamed === 'foreign' && known !== undefined && orgId?.startsWith(`${known}:`) === true;
  const before = isMore ? undefined : (known ?? (isForeign ? UNNAMED : undefined));
  const restored = orgId ?? (unnamed === 'ours' ? UNNAMED : undefined);
  for (const { name: table, key } of OF_ORG) {
    if (before !== undefined)
      await query(`UPDATE S.${table} SET former = $2 WHERE org = $1 AND former = ''`, [org, before]);
    if (restored === undefined) continue;
    const isSame = key
      .slice(2)
      .map((column) => `AND now.${column} = old.${column}`)
      .join(' ');
    // Rows can be in the way only if nothing was set aside just now.
    if (before === undefined)
      await query(
        `DELETE FROM S.${table} AS old WHERE org = $1 AND former = $2 AND EXISTS (
           SELECT 1 FROM S.${table} AS now WHERE now.org = $1 AND now.former = '' ${isSame}
         )`,
        [org, restored],
      );
    await query(`UPDATE S.${table} SET former = '' WHERE org = $1 AND former = $2`, [org, restored]);
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
    [org, orgId ?? null, before === undefined ? null : UNCONFIRMED],
  );
  return before;
}

async function isStored(query: Query, org: string): Promise<boolean> {
  const rows = await query("SELECT 1 AS found FROM S.dataset WHERE org = $1 AND former = '' LIMIT 1", [org]);
  return rows.length > 0;
}
