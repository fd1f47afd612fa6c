import { crc32 } from 'node:zlib';
import { type DatasetName, type DayDataset, hasActivity, isUnsettled } from '../catalog/dataset.ts';
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

/** The characters read per batch: a batch blocks the event loop for a few milliseconds. */
const BATCH_CHARS = 1024 * 1024;
/** The characters of text up to which parsed rows are cached. */
const PARSED_CHARS = 1024 * 1024;

/** The schema version of a dataset's rows: those stored with another version count as not answered. */
type FormOf = (dataset: DatasetName) => number;

const UNKNOWN: DatasetStanding = {
  revision: 0,
  answeredAt: undefined,
  succeededAt: undefined,
  revisedOn: undefined,
};

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

/** Dependencies of reading an organization. */
interface Reading {
  readonly epoch: string;
  readonly formOf: FormOf;
  readonly slices: Slices;
}

/** Reads an organization within a transaction, in slices. Leaves damaged rows out, and lists them. */
export class OrgReader {
  readonly damaged: Damaged[] = [];
  readonly #query: Query;
  readonly #org: string;
  readonly #reading: Reading;

  constructor(query: Query, org: string, reading: Reading) {
    this.#query = query;
    this.#org = org;
    this.#reading = reading;
  }

  /** Reads the organization and the states of its datasets, without rows. */
  async standing(): Promise<Standing> {
    const [identity] = await this.#query(
      "SELECT org_id, confirmed_key FROM S.org WHERE org = $1 AND former = ''",
      [this.#org],
    );
    const rows = await this.#query(
      `SELECT dataset, revision, answered_at, succeeded_at, revised_on
       FROM S.dataset WHERE org = $1 AND former = ''`,
      [this.#org],
    );
    const datasets = new Map(rows.map((row) => [row['dataset'], standingIn(row)]));
    return {
      epoch: this.#reading.epoch,
      orgId: textIn(identity, 'org_id'),
      confirmedKey: textIn(identity, 'confirmed_key'),
      dataset: (name) => datasets.get(name) ?? UNKNOWN,
    };
  }

  /** Reads all days, and the rows and documents that `from` names. */
  async whole(from: RowsFrom | undefined): Promise<StoredOrg> {
    const standing = await this.standing();
    const isWanted = (name: DatasetName) => from?.has(name) !== false;
    const days = new Map<DatasetName, StoredDays>();
    for (const [name, known] of await this.#known())
      days.set(name, await this.#days(name, known, isWanted(name) ? (from?.get(name) ?? FIRST) : LAST));
    const documents = await this.#documents(isWanted);
    return {
      ...standing,
      days: (name) => days.get(name) ?? NO_DAYS,
      documents(name) {
        if (!isWanted(name)) throw new RowNotRead(name);
        return documents.get(name) ?? [];
      },
    };
  }

  /** Reads a dataset: all its days, and the rows from a day on; no rows if `from` is undefined. */
  async dataset(name: DatasetName, from: Day = LAST): Promise<StoredDataset> {
    const standing = await this.standing();
    const known = (await this.#known(name)).get(name) ?? new Map<Day, Known>();
    return { ...standing.dataset(name), days: await this.#days(name, known, from) };
  }

  /** Reads the days without their rows, by dataset: of one dataset, or of all. */
  async #known(only?: DatasetName): Promise<ReadonlyMap<DatasetName, Map<Day, Known>>> {
    const index = await this.#query(
      `SELECT dataset, day, form, active, unsettled, octet_length(data) AS size FROM S.day
       WHERE org = $1 AND former = '' ${only === undefined ? '' : 'AND dataset = $2'} ORDER BY dataset, day`,
      [this.#org, ...(only === undefined ? [] : [only])],
    );
    const known = new Map<DatasetName, Map<Day, Known>>();
    for (const { dataset, day, form, active, unsettled, size } of index) {
      const name = dataset as DatasetName;
      if (form !== this.#reading.formOf(name)) continue;
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

  /** Reads the rows of a dataset from a day on. */
  async #days(name: DatasetName, known: Map<Day, Known>, first: Day): Promise<StoredDays> {
    const texts = new Map<Day, string>();
    for (const [start, end] of batchesOf(known, first)) {
      await this.#reading.slices.next();
      const rows = await this.#query(
        `SELECT day, data, sum FROM S.day WHERE org = $1 AND former = '' AND dataset = $2
         AND day >= $3 AND day <= $4 AND data IS NOT NULL`,
        [this.#org, name, start, end],
      );
      for (const row of rows) if (isSound(row)) texts.set(row['day'] as Day, String(row['data']));
    }
    for (const [day, { size }] of known) {
      if (size === 0 || day < first || texts.has(day)) continue;
      known.delete(day);
      this.damaged.push([name, 'day', day]);
    }
    return storedDays(name, known, first, texts);
  }

  async #documents(
    isWanted: (name: DatasetName) => boolean,
  ): Promise<ReadonlyMap<DatasetName, readonly unknown[]>> {
    const { formOf, slices } = this.#reading;
    const documents = new Map<DatasetName, readonly unknown[]>();
    const names = await this.#query(
      "SELECT dataset, count(*) AS documents FROM S.document WHERE org = $1 AND former = '' GROUP BY dataset",
      [this.#org],
    );
    for (const { dataset } of names) {
      const name = dataset as DatasetName;
      if (!isWanted(name)) continue;
      const found: unknown[] = [];
      // An id can be empty.
      let isAfter = '>=';
      for (let last: string | undefined = ''; last !== undefined; isAfter = '>') {
        await slices.next();
        const rows: readonly Row[] = await this.#query(
          `SELECT id, data, sum FROM S.document WHERE org = $1 AND former = '' AND dataset = $2 AND form = $3 AND id ${isAfter} $4
           ORDER BY id LIMIT ${DOCUMENTS}`,
          [this.#org, name, formOf(name), last],
        );
        for (const row of rows) {
          if (slices.over()) await slices.next();
          if (isSound(row)) found.push(JSON.parse(String(row['data'])));
          else this.damaged.push([name, 'id', String(row['id'])]);
        }
        last = rows.length < DOCUMENTS ? undefined : textIn(rows.at(-1), 'id');
      }
      documents.set(name, found);
    }
    return documents;
  }
}

/** Whether a text is undamaged: it has the checksum with which it was written. */
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

/** Wraps rows in memory as stored days; undefined stands for a day without a row. */
export function daysOf(dataset: DayDataset<unknown>, rows: ReadonlyMap<Day, unknown>): StoredDays {
  const isFilled = (day: Day) => rows.get(day) !== undefined;
  return {
    size: rows.size,
    has: (day) => rows.has(day),
    isFilled,
    hasActivity: (day) => (isFilled(day) ? hasActivity(dataset, rows.get(day)) : undefined),
    isUnsettled: (day) => isUnsettled(rows.get(day)),
    keys: () => [...rows.keys()].sort(),
    get: (day) => rows.get(day),
  };
}

/** The number of documents read per batch. */
const DOCUMENTS = 200;
