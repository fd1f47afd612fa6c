import type { Sample } from '../../catalog/family.ts';
import { keyOf } from '../series-key.ts';
import type { Numbers, Part } from './part.ts';

/** How many numbers of an organization's series are in memory at the same time, while they are turned into lines. */
const NUMBERS_AT_ONCE = 1024 * 1024;
/** How many numbers are read at once in search of records. */
const WINDOW = 8 * 1024;

/**
 * A record is the values of an organization's series at some instants, in the order of the series: the number of the
 * organization, that of the instants, that of the values, and the values.
 */
const HEADER = 3;
/** Instead of a number of values: those of the organization's record before. */
const REPEATED = -1;
/** The value of a series that has none; no sample has this value. */
const NONE = Number.NaN;

/** The series of an organization in a family. */
export interface OrgSeries {
  readonly org: number;
  /** The numbers of the series by their label values, ascending. */
  readonly numbers: Map<string, number>;
  /** The samples that were added last. */
  last: Iterable<Sample> | undefined;
}

/** Adds samples to a part; resolves with how many they were. */
export type AddSamples = (
  part: Part,
  series: OrgSeries,
  of: {
    readonly labels: readonly string[];
    readonly samples: Iterable<Sample>;
    /** The number of their instants, which ascend from one call to the next. */
    readonly instants: number;
  },
) => Promise<number>;

/** Creates what adds samples, one call after the other. An array that is added again has not changed. */
export function createAddSamples(): AddSamples {
  let record = new Float64Array(1024);
  return async (part, series, { labels, samples, instants }) => {
    const { org, numbers } = series;
    const header = [org, instants];
    if (Array.isArray(samples) && samples === series.last) {
      await part.append(new Float64Array([...header, REPEATED]));
      return samples.length;
    }
    series.last = samples;
    record.fill(NONE, HEADER, HEADER + numbers.size);
    let added = 0;
    for (const sample of samples) {
      const key = keyOf(labels, sample);
      let number = numbers.get(key);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(key, number);
      }
      if (HEADER + number >= record.length) record = twiceAsLong(record);
      record[HEADER + number] = sample.value;
      added += 1;
    }
    record.set([...header, numbers.size]);
    await part.append(record.subarray(0, HEADER + numbers.size));
    return added;
  };
}

/** Some series of an organization, with a column of values for each of its records. */
interface Block {
  readonly org: number;
  /** The number of the first of the series. */
  readonly first: number;
  readonly size: number;
  readonly columns: readonly Column[];
}

/** The values of a block's series at some instants, not a number where a series has none; of the first series only if it is short. */
interface Column {
  readonly instants: number;
  readonly values: Float64Array;
}

/** Reads what was added, series by series; `sizeOf` is the number of an organization's series. */
export async function* blocksIn(numbers: Numbers, sizeOf: (org: number) => number): AsyncGenerator<Block> {
  for (const [org, records] of await recordsIn(numbers)) {
    const size = sizeOf(org);
    const atOnce = Math.max(1, Math.floor(NUMBERS_AT_ONCE / records.length));
    for (let first = 0; first < size; first += atOnce) {
      const block = { org, first, size: Math.min(atOnce, size - first) };
      yield { ...block, columns: await columnsOf(numbers, records, block) };
    }
  }
}

interface Found {
  readonly instants: number;
  /** Where its values are, and how many. */
  readonly at: number;
  readonly count: number;
}

async function columnsOf(
  numbers: Numbers,
  records: readonly Found[],
  { first, size }: { readonly first: number; readonly size: number },
): Promise<readonly Column[]> {
  const columns: Column[] = [];
  for (const { instants, at, count } of records) {
    const length = Math.max(0, Math.min(count - first, size));
    columns.push({ instants, values: await numbers.read(at + first, length) });
  }
  return columns;
}

/** The records of each organization, in the order in which they were added. */
async function recordsIn(numbers: Numbers): Promise<ReadonlyMap<number, readonly Found[]>> {
  const records = new Map<number, Found[]>();
  let window: Float64Array = new Float64Array();
  let start = 0;
  for (let at = 0; at < numbers.length; ) {
    if (at + HEADER > start + window.length) {
      start = at;
      window = await numbers.read(at, Math.min(WINDOW, numbers.length - at));
    }
    const [org = 0, instants = 0, count = 0] = window.subarray(at - start, at - start + HEADER);
    at += HEADER;
    const ofOrg = records.get(org) ?? [];
    records.set(org, ofOrg);
    const before = ofOrg.at(-1);
    if (count === REPEATED && before !== undefined) ofOrg.push({ ...before, instants });
    else {
      ofOrg.push({ instants, at, count });
      at += count;
    }
  }
  return records;
}

function twiceAsLong(numbers: Float64Array): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(2 * numbers.length);
  longer.set(numbers);
  return longer;
}
