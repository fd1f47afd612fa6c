import { createHash } from 'node:crypto';
import type { DatasetName } from '../../catalog/dataset.ts';
import { type Day, type Instant, parseDay } from '../../catalog/day.ts';
import type { Slices } from '../../runtime/slices.ts';
import { decode, encode } from '../encoding.ts';
import type { DatasetState } from '../history.ts';
import { changed, type JsonText } from '../packed.ts';
import {
  type HistoryState,
  NOTHING,
  nameOf,
  type OrgState,
  openedDataset,
  packedDataset,
  type Touched,
} from '../state.ts';
import type { Query, Row } from './database.ts';
import { msOf, storable } from './values.ts';

/** The current schema version of a dataset's rows or documents. */
export type SchemaVersionOf = (dataset: DatasetName) => number;

/** Stored rows of one organization's name. */
export interface StoredRows {
  readonly orgs: readonly Row[];
  readonly datasets: readonly Row[];
  readonly days: readonly Row[];
  readonly documents: readonly Row[];
}

/** Reads the rows of an organization's name that are newer than a version. */
export async function readRows(
  query: Query,
  schema: string,
  org: string,
  after: number,
): Promise<StoredRows> {
  const read = (columns: string, table: string) =>
    query(`SELECT ${columns} FROM ${schema}.${table} WHERE org = $1 AND version > $2`, [org, after]);
  return {
    orgs: await read('former, org_id, confirmed_key', 'org'),
    datasets: await read(
      `former, dataset, ${msOf('answered_at')}, ${msOf('succeeded_at')}, revised_on::text`,
      'dataset',
    ),
    days: await read('former, dataset, day::text, form, data::text, sum::float8', 'day'),
    documents: await read('former, dataset, id, form, data::text, sum::float8', 'document'),
  };
}

/** The organizations by slot with newer rows applied, and the number of rows that were not readable. */
export async function withRows(
  before: ReadonlyMap<string, OrgState>,
  org: string,
  rows: StoredRows,
  schemaVersionOf: SchemaVersionOf,
  slices: Slices,
): Promise<{ readonly slots: ReadonlyMap<string, OrgState>; readonly unreadable: number }> {
  const slots = new Map<string, Draft>();
  let unreadable = 0;

  function slot(row: Row): Draft {
    const name = org + String(row['former']);
    const known = slots.get(name);
    if (known !== undefined) return known;
    const old = before.get(name);
    const draft: Draft = {
      orgId: old?.orgId,
      confirmedKey: old?.confirmedKey,
      datasets: new Map(old?.datasets),
      drafts: new Map(),
    };
    slots.set(name, draft);
    return draft;
  }

  function draftOf(row: Row): DraftDataset {
    const { datasets, drafts } = slot(row);
    const name = String(row['dataset']) as DatasetName;
    const draft = drafts.get(name) ?? {
      ...(datasets.get(name) ?? NOTHING),
      changed: { days: new Map(), documents: new Map() },
      gone: { days: new Set(), documents: new Set() },
    };
    drafts.set(name, draft);
    return draft;
  }

  for (const row of rows.orgs) {
    const draft = slot(row);
    draft.orgId = textOf(row['org_id']);
    draft.confirmedKey = textOf(row['confirmed_key']);
  }
  for (const row of rows.datasets) {
    const draft = draftOf(row);
    draft.answeredAt = numberOf(row['answered_at']);
    draft.succeededAt = numberOf(row['succeeded_at']);
    draft.revisedOn = textOf(row['revised_on']) as Day | undefined;
  }
  for (const row of rows.days) {
    await slices.next();
    const draft = draftOf(row);
    const text = String(row['day']) as Day;
    const day = parseDay(text) ?? text;
    const value = isCurrent(row) ? rowIn(row) : 'unreadable';
    if (value !== 'unreadable') draft.changed.days.set(day, value);
    else {
      draft.gone.days.add(day);
      unreadable += 1;
    }
  }
  for (const row of rows.documents) {
    await slices.next();
    const draft = draftOf(row);
    const value = isCurrent(row) ? rowIn(row) : 'unreadable';
    if (value !== 'unreadable' && value !== undefined) draft.changed.documents.set(String(row['id']), value);
    else {
      draft.gone.documents.add(String(row['id']));
      unreadable += 1;
    }
  }
  for (const { datasets, drafts } of slots.values()) {
    for (const [name, { changed: now, gone, ...kept }] of drafts) {
      await slices.next();
      const days = changed(kept.days, now.days, gone.days);
      const documents = changed(kept.documents, now.documents, gone.documents);
      datasets.set(name, packedDataset({ ...kept, days, documents }));
    }
  }
  return { slots: new Map([...before, ...slots]), unreadable };

  function isCurrent(row: Row): boolean {
    return row['form'] === schemaVersionOf(String(row['dataset']) as DatasetName);
  }
}

/** Undefined for a day without a row. */
function rowIn(row: Row): JsonText | undefined | 'unreadable' {
  if (row['data'] === null) return undefined;
  return decode(row['data'], row['sum']) ?? 'unreadable';
}

interface Draft extends OrgState {
  /** The datasets with newer rows. */
  readonly drafts: Map<DatasetName, DraftDataset>;
}

interface DraftDataset extends Pick<DatasetState, 'days' | 'documents'> {
  readonly changed: { readonly days: Map<Day, unknown>; readonly documents: Map<string, unknown> };
  readonly gone: { readonly days: Set<Day>; readonly documents: Set<string> };
  answeredAt: Instant | undefined;
  succeededAt: Instant | undefined;
  revisedOn: Day | undefined;
}

/**
 * Writes what was touched, as the state has it. Resolves with whether something was deleted or moved, which other
 * processes do not find among newer rows.
 */
export async function writeTouched(
  query: Query,
  schema: string,
  {
    state,
    touched,
    version,
  }: { readonly state: HistoryState; readonly touched: readonly Touched[]; readonly version: number },
  schemaVersionOf: SchemaVersionOf,
  slices: Slices,
): Promise<boolean> {
  let isReset = false;
  for (const { org: slot, dataset, days, documents } of merged(touched)) {
    const key = [nameOf(slot), slot.slice(nameOf(slot).length)];
    if (dataset === undefined) {
      const identity = state.identity(slot);
      if (identity === undefined) isReset ||= await remove('org', 'true', key);
      else await putOrg(key, identity);
      continue;
    }
    const known = state.dataset(slot, dataset);
    const kept = known && openedDataset(known);
    const form = schemaVersionOf(dataset);
    const keptDays = [...days].filter((day) => kept?.days.has(day));
    const goneDays = [...days].filter((day) => !kept?.days.has(day));
    const encodedDays: (readonly [Day, string | null, number | null])[] = [];
    for (const day of keptDays) {
      await slices.next();
      const { text, sum } = encode(kept?.days ?? NOTHING.days, day);
      encodedDays.push([day, text, sum]);
    }
    if (encodedDays.length > 0) {
      await query(
        `INSERT INTO ${schema}.day AS old (org, former, dataset, day, form, data, sum, version)
         SELECT $1, $2, $3, day, $4, data::json, sum, $5 FROM unnest($6::date[], $7::text[], $8::bigint[]) AS new (day, data, sum)
         ON CONFLICT (org, former, dataset, day) DO UPDATE
         SET form = excluded.form, data = excluded.data, sum = excluded.sum, version = excluded.version
         WHERE old.data::text IS DISTINCT FROM excluded.data::text OR old.form <> excluded.form OR old.sum IS DISTINCT FROM excluded.sum`,
        [...key, dataset, form, version, ...columnsOf(encodedDays, 3)],
      );
    }
    if (goneDays.length > 0)
      isReset =
        (await remove('day', 'dataset = $3 AND day = ANY($4::date[])', [...key, dataset, goneDays])) ||
        isReset;
    const encodedDocuments: (readonly [string, string, string | null, number | null])[] = [];
    const goneDocuments: string[] = [];
    for (const id of documents) {
      await slices.next();
      if (kept?.documents.has(id) !== true) goneDocuments.push(keyOf(id));
      else {
        const { text, sum } = encode(kept.documents, id);
        encodedDocuments.push([keyOf(id), storable(id), text, sum]);
      }
    }
    if (encodedDocuments.length > 0) {
      await query(
        `INSERT INTO ${schema}.document AS old (org, former, dataset, key, id, form, data, sum, version)
         SELECT $1, $2, $3, key, id, $4, data::json, sum, $5
         FROM unnest($6::text[], $7::text[], $8::text[], $9::bigint[]) AS new (key, id, data, sum)
         ON CONFLICT (org, former, dataset, key) DO UPDATE
         SET form = excluded.form, data = excluded.data, sum = excluded.sum, version = excluded.version
         WHERE old.data::text <> excluded.data::text OR old.form <> excluded.form OR old.sum <> excluded.sum`,
        [...key, dataset, form, version, ...columnsOf(encodedDocuments, 4)],
      );
    }
    if (goneDocuments.length > 0)
      isReset =
        (await remove('document', 'dataset = $3 AND key = ANY($4)', [...key, dataset, goneDocuments])) ||
        isReset;
    if (kept === undefined) isReset = (await remove('dataset', 'dataset = $3', [...key, dataset])) || isReset;
    else await putDataset([...key, dataset], kept);
    const identity = state.identity(slot);
    if (identity !== undefined) await putOrg(key, identity);
  }
  return isReset;

  async function remove(table: string, condition: string, values: readonly unknown[]): Promise<boolean> {
    const gone = await query(
      `DELETE FROM ${schema}.${table} WHERE org = $1 AND former = $2 AND ${condition} RETURNING 1`,
      values,
    );
    return gone.length > 0;
  }

  async function putOrg(
    key: readonly string[],
    { orgId, confirmedKey }: Pick<OrgState, 'orgId' | 'confirmedKey'>,
  ) {
    await query(
      `INSERT INTO ${schema}.org AS old (org, former, org_id, confirmed_key, version) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (org, former) DO UPDATE
       SET org_id = excluded.org_id, confirmed_key = excluded.confirmed_key, version = excluded.version
       WHERE old.org_id IS DISTINCT FROM excluded.org_id OR old.confirmed_key IS DISTINCT FROM excluded.confirmed_key`,
      [...key, orgId ?? null, confirmedKey ?? null, version],
    );
  }

  async function putDataset(key: readonly string[], { answeredAt, succeededAt, revisedOn }: DatasetState) {
    await query(
      `INSERT INTO ${schema}.dataset (org, former, dataset, answered_at, succeeded_at, revised_on, version)
       VALUES ($1, $2, $3, to_timestamp($4::float8 / 1000), to_timestamp($5::float8 / 1000), $6, $7)
       ON CONFLICT (org, former, dataset) DO UPDATE SET answered_at = excluded.answered_at,
       succeeded_at = excluded.succeeded_at, revised_on = excluded.revised_on, version = excluded.version`,
      [...key, answeredAt ?? null, succeededAt ?? null, revisedOn ?? null, version],
    );
  }
}

/** Identities of documents can be longer than an index allows. */
function keyOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

/** What was touched, each part once. */
function merged(touched: readonly Touched[]): Iterable<{
  readonly org: string;
  readonly dataset: DatasetName | undefined;
  readonly days: ReadonlySet<Day>;
  readonly documents: ReadonlySet<string>;
}> {
  const parts = new Map<
    string,
    { org: string; dataset: DatasetName | undefined; days: Set<Day>; documents: Set<string> }
  >();
  for (const { org, dataset, days, documents } of touched) {
    const key = JSON.stringify([org, dataset]);
    const part = parts.get(key) ?? { org, dataset, days: new Set<Day>(), documents: new Set<string>() };
    for (const day of days) part.days.add(day);
    for (const id of documents) part.documents.add(id);
    parts.set(key, part);
  }
  return parts.values();
}

function columnsOf(rows: readonly (readonly unknown[])[], count: number): unknown[][] {
  return Array.from({ length: count }, (_, column) => rows.map((row) => row[column]));
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
