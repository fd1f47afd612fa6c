import { crc32 } from 'node:zlib';
import type { DatasetName } from '../catalog/dataset.ts';
import { type Day, parseDay } from '../catalog/day.ts';
import type { Slices } from '../work/slices.ts';
import type { Query, Row } from './database.ts';
import {
  type DatasetStanding,
  RowNotRead,
  type RowsFrom,
  type Standing,
  type StoredDataset,
  type StoredDays,
  type StoredOrg,
} from './store.ts';

/** How much text is read at once: it blocks the event loop for a few milliseconds. */
const BATCH_CHARS = 1024 * 1024;
/** Rows stay parsed up to this many characters of their texts. */
const PARSED_CHARS = 1024 * 1024;

/** The schema version of a dataset's rows: those stored with another version count as not answered. */
type FormOf = (dataset: DatasetName) => number;

const UNKNOWN: DatasetStanding = {
  revision: 0,
  answeredAt: undefined,
  succeededAt: undefined,
  revisedOn: undefined,
};

/** Reads what is known of the current organization of a name, without its rows. */
export async function readStanding(query: Query, org: string, epoch: string): Promise<Standing> {
  const [identity] = await query("SELECT org_id, confirmed_key FROM S.org WHERE org = $1 AND former = ''", [
    org,
  ]);
  const rows = await query(
    `SELECT dataset, revision, answered_at, succeeded_at, revised_on
     FROM S.dataset WHERE org = $1 AND former = ''`,
    [org],
  );
  const datasets = new Map(rows.map((row) => [row['dataset'], standingIn(row)]));
  return {
    epoch,
    orgId: textIn(identity, 'org_id'),
    confirmedKey: textIn(identity, 'confirmed_key'),
    dataset: (name) => datasets.get(name) ?? UNKNOWN,
  };
}

function standingIn(row: Row): DatasetStanding {
  const instant = (column: string) => (row[column] === null ? undefined : Number(row[column]));
  return {
    revision: Number(row['revision']),
    answeredAt: instant('answered_at'),
    succeededAt: instant('succeeded_at'),
    revisedOn: parseDay(textIn(row, 'revised_on') ?? ''),
  };
}

function textIn(row: Row | undefined, column: string): string | undefined {
  const value = row?.[column];
  return typeof value === 'string' ? value : undefined;
}

/** A row or document whose text is not what was written: the key of its table, without the organization. */
export type Damaged = readonly [dataset: DatasetName, column: 'day' | 'id', key: string];

/** How an organization is read: in slices; what is damaged is left out and reported. */
export interface Reading {
  readonly epoch: string;
  readonly formOf: FormOf;
  readonly slices: Slices;
  onDamaged(one: Damaged): void;
}

/** Reads an organization: what is known of all days, and the rows and documents that are wanted. */
export async function readOrg(
  query: Query,
  org: string,
  { from, ...reading }: Reading & { readonly from: RowsFrom | undefined },
): Promise<StoredOrg> {
  const standing = await readStanding(query, org, reading.epoch);
  const isWanted = (name: DatasetName) => from?.has(name) !== false;
  const days = new Map<DatasetName, StoredDays>();
  for (const [name, known] of await readKnown(query, org, reading)) {
    const first = isWanted(name) ? (from?.get(name) ?? FIRST) : LAST;
    days.set(name, await readRows(query, { org, name, known, first, ...reading }));
  }
  const documents = await readDocuments(query, org, { isWanted, ...reading });
  return {
    ...standing,
    days: (name) => days.get(name) ?? NO_DAYS,
    documents(name) {
      if (!isWanted(name)) throw new RowNotRead(name);
      return documents.get(name) ?? [];
    },
  };
}

/** Reads a dataset of an organization: what is known of all its days, and the rows from a day on; none if that is undefined. */
export async function readDataset(
  query: Query,
  org: string,
  { name, from = LAST, ...reading }: Reading & { readonly name: DatasetName; readonly from: Day | undefined },
): Promise<StoredDataset> {
  const standing = await readStanding(query, org, reading.epoch);
  const known = (await readKnown(query, org, reading, name)).get(name) ?? new Map<Day, Known>();
  const days = await readRows(query, { org, name, known, first: from, ...reading });
  return { ...standing.dataset(name), days };
}

/** Reads what is known of days without their rows, by dataset: of one, or of all. */
async function readKnown(
  query: Query,
  org: string,
  { formOf }: Pick<Reading, 'formOf'>,
  only?: DatasetName,
): Promise<ReadonlyMap<DatasetName, Map<Day, Known>>> {
  const index = await query(
    `SELECT dataset, day, form, active, unsettled, octet_length(data) AS size FROM S.day
     WHERE org = $1 AND former = '' ${only === undefined ? '' : 'AND dataset = $2'} ORDER BY dataset, day`,
    [org, ...(only === undefined ? [] : [only])],
  );
  const known = new Map<DatasetName, Map<Day, Known>>();
  for (const { dataset, day, form, active, unsettled, size } of index) {
    const name = dataset as DatasetName;
    if (form !== formOf(name)) continue;
    const days = known.get(name) ?? new Map<Day, Known>();
    known.set(name, days);
    days.set(day as Day, {
      size: Number(size ?? 0),
      active: active === null || active === undefined ? undefined : active === 1,
      unsettled: unsettled === 1,
    });
  }
  return known;
}

/** Reads the rows of a dataset's known days from one on. */
async function readRows(
  query: Query,
  {
    org,
    name,
    known,
    first,
    slices,
    onDamaged,
  }: Pick<Reading, 'slices' | 'onDamaged'> & {
    readonly org: string;
    readonly name: DatasetName;
    readonly known: Map<Day, Known>;
    readonly first: Day;
  },
): Promise<StoredDays> {
  const texts = new Map<Day, string>();
  for (const [start, end] of batchesOf(known, first)) {
    await slices.next();
    const rows = await query(
      `SELECT day, data, sum FROM S.day WHERE org = $1 AND former = '' AND dataset = $2
       AND day >= $3 AND day <= $4 AND data IS NOT NULL`,
      [org, name, start, end],
    );
    for (const row of rows) if (isSound(row)) texts.set(row['day'] as Day, String(row['data']));
  }
  for (const [day, { size }] of known) {
    if (size === 0 || day < first || texts.has(day)) continue;
    known.delete(day);
    onDamaged([name, 'day', day]);
  }
  return storedDays(name, known, first, texts);
}

/** Whether a text is what was written. */
export function isSound({ data, sum }: Row): boolean {
  return typeof data !== 'string' || crc32(data) === sum;
}

interface Known {
  /** Length of the row's text in bytes; 0 for a day without a row. */
  readonly size: number;
  readonly active: boolean | undefined;
  readonly unsettled: boolean;
}

// Before and after every day.
const FIRST = '' as Day;
const LAST = '~' as Day;

/** The first and last days of consecutive batches of rows. */
function* batchesOf(days: ReadonlyMap<Day, Known>, from: Day): Generator<readonly [Day, Day]> {
  let [first, last, chars]: [Day | undefined, Day, number] = [undefined, FIRST, 0];
  for (const [day, { size }] of days) {
    if (day < from || size === 0) continue;
    if (first !== undefined && chars + size > BATCH_CHARS) {
      yield [first, last];
      [first, chars] = [undefined, 0];
    }
    first ??= day;
    last = day;
    chars += size;
  }
  if (first !== undefined) yield [first, last];
}

const NO_DAYS: StoredDays = storedDays('tokens', new Map(), FIRST, new Map());

function storedDays(
  name: DatasetName,
  known: ReadonlyMap<Day, Known>,
  from: Day,
  texts: ReadonlyMap<Day, string>,
): StoredDays {
  const parsed = new Map<Day, unknown>();
  let chars = 0;
  const isFilled = (day: Day) => (known.get(day)?.size ?? 0) > 0;
  return {
    size: known.size,
    has: (day) => known.has(day),
    isFilled,
    hasActivity: (day) => known.get(day)?.active,
    isUnsettled: (day) => known.get(day)?.unsettled === true,
    keys: () => known.keys(),
    get(day) {
      if (!isFilled(day)) return undefined;
      if (day < from) throw new RowNotRead(name);
      if (parsed.has(day)) return parsed.get(day);
      const text = texts.get(day) ?? '';
      const row: unknown = JSON.parse(text);
      if (chars + text.length > PARSED_CHARS) {
        parsed.clear();
        chars = 0;
      }
      parsed.set(day, row);
      chars += text.length;
      return row;
    },
  };
}

async function readDocuments(
  query: Query,
  org: string,
  { isWanted, formOf, slices, onDamaged }: Omit<Reading, 'epoch'> & { isWanted(name: DatasetName): boolean },
): Promise<ReadonlyMap<DatasetName, readonly unknown[]>> {
  const documents = new Map<DatasetName, readonly unknown[]>();
  const names = await query(
    "SELECT dataset, count(*) AS documents FROM S.document WHERE org = $1 AND former = '' GROUP BY dataset",
    [org],
  );
  for (const { dataset } of names) {
    const name = dataset as DatasetName;
    if (!isWanted(name)) continue;
    const found: unknown[] = [];
    // An id can be empty.
    let isAfter = '>=';
    for (let last: string | undefined = ''; last !== undefined; isAfter = '>') {
      await slices.next();
      const rows: readonly Row[] = await query(
        `SELECT id, data, sum FROM S.document WHERE org = $1 AND former = '' AND dataset = $2 AND form = $3 AND id ${isAfter} $4
         ORDER BY id LIMIT ${DOCUMENTS}`,
        [org, name, formOf(name), last],
      );
      for (const row of rows) {
        if (slices.over()) await slices.next();
        if (isSound(row)) found.push(JSON.parse(String(row['data'])));
        else onDamaged([name, 'id', String(row['id'])]);
      }
      last = rows.length < DOCUMENTS ? undefined : textIn(rows.at(-1), 'id');
    }
    documents.set(name, found);
  }
  return documents;
}

/** Documents that are read at once. */
const DOCUMENTS = 200;
