import type { DatabaseSync } from 'node:sqlite';
import type { DatasetName } from '../../catalog/dataset.ts';
import { type Day, parseDay } from '../../catalog/day.ts';
import { decode } from '../encoding.ts';
import { createPacker, type Packer } from '../packed.ts';
import type { SweepMark } from '../retention.ts';
import { type OrgState, packedDataset } from '../state.ts';
import type { SchemaVersionOf } from './file.ts';

/** The content of a history file. */
export interface Loaded {
  readonly orgs: ReadonlyMap<string, OrgState>;
  readonly days: number;
  readonly documents: number;
  /** Number of days and documents with an outdated schema version or a bad checksum: they are fetched again. */
  readonly unreadable: number;
  readonly sweepMark: SweepMark | undefined;
}

interface Draft {
  readonly days: Packer<Day>;
  readonly documents: Packer<string>;
  readonly answeredAt: number | undefined;
  readonly succeededAt: number | undefined;
  readonly revisedOn: Day | undefined;
}

/** Of a table of rows or documents: org, dataset, key, schema version, text, checksum. */
type Value = readonly [string, DatasetName, string, number, unknown, unknown];

/**
 * Reads a whole database; yields after each row, so that other work can run. With `salvage`, unreadable data is skipped
 * and fetched again; otherwise it throws.
 */
export function* load(
  db: DatabaseSync,
  schemaVersionOf: SchemaVersionOf,
  salvage = false,
): Generator<void, Loaded> {
  function* rowsOf(table: string): Generator<Record<string, unknown>> {
    yield* iterate(`SELECT * FROM ${table} ORDER BY rowid`);
  }

  /** The rows of the large tables: org, dataset, the given key, form, the given value, sum. */
  function* valuesOf(table: 'day' | 'document', key: string, value: string): Generator<Value> {
    const query = `SELECT org, dataset, ${key}, form, ${value}, sum FROM ${table} ORDER BY rowid`;
    yield* iterate<Value>(query, { returnArrays: true });
  }

  function* iterate<Row = Record<string, unknown>>(
    query: string,
    { returnArrays = false } = {},
  ): Generator<Row> {
    const rows = (sql: string) => {
      const statement = db.prepare(sql);
      statement.setReturnArrays(returnArrays);
      return statement.iterate() as Iterable<unknown> as Iterable<Row>;
    };
    try {
      yield* rows(query);
    } catch (error) {
      if (!salvage) throw error;
      try {
        // What is behind an unreadable page.
        yield* rows(`${query} DESC`);
      } catch {
        // No readable row is left.
      }
    }
  }

  const orgs = new Map<string, Omit<OrgState, 'datasets'> & { datasets: Map<DatasetName, Draft> }>();
  for (const row of rowsOf('org')) {
    const [orgId, confirmedKey] = [textOf(row['org_id']), textOf(row['confirmed_key'])];
    orgs.set(String(row['name']), { orgId, confirmedKey, datasets: new Map() });
    yield;
  }
  for (const row of rowsOf('dataset')) {
    orgs.get(String(row['org']))?.datasets.set(row['name'] as DatasetName, {
      days: createPacker(),
      documents: createPacker(),
      answeredAt: numberOf(row['answered_at']),
      succeededAt: numberOf(row['succeeded_at']),
      revisedOn: parseDay(String(row['revised_on'])),
    });
    yield;
  }
  const draftOf = (slot: string, dataset: DatasetName): Draft | undefined => {
    const found = orgs.get(slot)?.datasets.get(dataset);
    if (found !== undefined || !salvage) return found;
    const org = orgs.get(slot) ?? { ...NOBODY, datasets: new Map<DatasetName, Draft>() };
    orgs.set(slot, org);
    const draft = { ...NOTHING, days: createPacker<Day>(), documents: createPacker<string>() };
    org.datasets.set(dataset, draft);
    return draft;
  };

  let [days, documents, unreadable] = [0, 0, 0];
  let last: Draft | undefined;
  for (const [org, dataset, key, form, text, sum] of valuesOf('day', 'day', 'row')) {
    yield;
    const day = parseDay(String(key));
    const value = decode(text, sum);
    const isUsable = form === schemaVersionOf(dataset) && (value !== undefined || text === null);
    const draft = isUsable ? draftOf(org, dataset) : undefined;
    if (day === undefined || draft === undefined) unreadable++;
    else {
      if (draft !== last) last?.days.pause();
      last = draft;
      draft.days.set(day, value);
      days++;
    }
  }
  for (const [org, dataset, id, form, text, sum] of valuesOf('document', 'id', 'body')) {
    yield;
    const value = decode(text, sum);
    const draft = form === schemaVersionOf(dataset) ? draftOf(org, dataset) : undefined;
    if (value === undefined || draft === undefined) unreadable++;
    else {
      if (draft !== last) last?.documents.pause();
      last = draft;
      draft.documents.set(id, value);
      documents++;
    }
  }
  return {
    orgs: yield* packedOrgs(orgs),
    days,
    documents,
    unreadable,
    sweepMark: markIn(db),
  };
}

type Drafts = ReadonlyMap<string, Omit<OrgState, 'datasets'> & { datasets: Map<DatasetName, Draft> }>;

function* packedOrgs(drafts: Drafts): Generator<void, ReadonlyMap<string, OrgState>> {
  const orgs = new Map<string, OrgState>();
  for (const [slot, org] of drafts) {
    const datasets: OrgState['datasets'] = new Map();
    for (const [name, draft] of org.datasets) {
      const [days, documents] = [draft.days.done(), draft.documents.done()];
      datasets.set(name, packedDataset({ ...draft, days, documents }));
      yield;
    }
    orgs.set(slot, { ...org, datasets });
  }
  return orgs;
}

const NOBODY = { orgId: undefined, confirmedKey: undefined } as const;
const NOTHING = {
  answeredAt: undefined,
  succeededAt: undefined,
  revisedOn: undefined,
} as const;

/** If it is missing or unreadable, the next sweep counts as the first one. */
function markIn(db: DatabaseSync): SweepMark | undefined {
  try {
    const row = db.prepare('SELECT day, doubted_since FROM sweep').get();
    const day = parseDay(String(row?.['day']));
    return day === undefined ? undefined : { day, doubtedSince: numberOf(row?.['doubted_since']) };
  } catch {
    return undefined;
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
