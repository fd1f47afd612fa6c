import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { type FileHandle, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Instant } from '../../catalog/day.ts';
import type { Sample } from '../../catalog/family.ts';
import { createLineStart, formatValue, renderFamilyHeader } from '../../exposition/text.ts';
import { beginFile } from '../../files/unfinished-file.ts';
import type { PageFamily, PastFamily } from '../../pipeline/past-days.ts';

/** Statistics of a file. */
interface WrittenFile {
  readonly samples: number;
  readonly bytes: number;
}

/** An unfinished OpenMetrics file. */
export interface MonthFile {
  /** Adds a page of an organization. Its pages arrive in the order of their instants. */
  add(org: string, page: readonly PageFamily[]): void;
  /**
   * Moves the complete file into place atomically; without samples there is no file, and it resolves with undefined.
   */
  finish(): Promise<WrittenFile | undefined>;
  /** Removes all traces. */
  discard(): Promise<void>;
}

interface OpenFamily {
  readonly family: PastFamily;
  readonly orgs: Map<string, OrgSeries>;
}

/** The series of an organization in a family. */
interface OrgSeries {
  /** Writes the beginning of a line, up to the value. */
  readonly start: (labels: Sample['labels']) => string;
  /** The numbers of the series by their label values as JSON, ascending. */
  readonly numbers: Map<string, number>;
  /** In the order of their instants. */
  readonly columns: Column[];
}

/** The values of the first series of an organization at some instants, not a number where a series has none. */
interface Column {
  readonly stamps: readonly Instant[];
  /** Where its values are in the scratch file, and how many. */
  readonly at: number;
  readonly length: number;
}

/** As the system's mask allows: whoever loads the file is another user. */
const READABLE = 0o666;
/** How many values of an organization's series are in memory at the same time, while they are turned into lines. */
const VALUES_AT_ONCE = 1024 * 1024;
const CHUNK_CHARACTERS = 256 * 1024;

/**
 * Creates the file at `path`. Pages arrive day by day, but the format requires all samples of a family together, and
 * within it those of a series. Until the file is written, the values are in a scratch file; memory holds the labels of
 * each series, however many days there are.
 */
export async function createMonthFile(
  path: string,
  labels: Readonly<Record<string, string>>,
  valuesAtOnce = VALUES_AT_ONCE,
): Promise<MonthFile> {
  const scratch = `${path}.parts`;
  const families = new Map<string, OpenFamily>();
  let samples = 0;
  await rm(scratch, { recursive: true, force: true });
  // Fails if another user creates it first in a shared directory.
  await mkdir(scratch, { mode: 0o700 });
  const values = createValues(join(scratch, 'values'));

  function seriesOf(org: string, { family, recorded }: PageFamily): OrgSeries {
    const { orgs } = families.get(family.name) ?? { orgs: new Map<string, OrgSeries>() };
    families.set(family.name, { family, orgs });
    const start = () => createLineStart(family, { org, ...(recorded ? {} : labels) });
    const series = orgs.get(org) ?? { start: start(), numbers: new Map(), columns: [] };
    orgs.set(org, series);
    return series;
  }

  async function discard(): Promise<void> {
    values.close();
    await rm(scratch, { recursive: true, force: true });
  }

  return {
    add(org, page) {
      for (const one of page) {
        const { numbers, columns } = seriesOf(org, one);
        const column = new Array<number>(numbers.size).fill(Number.NaN);
        for (const sample of one.samples()) {
          const key = JSON.stringify(one.family.labels.map((label) => sample.labels[label] ?? ''));
          const number = numbers.get(key) ?? numbers.size;
          if (number === numbers.size) numbers.set(key, number);
          column[number] = sample.value;
          samples += one.stamps.length;
        }
        columns.push({ stamps: one.stamps, ...values.append(column) });
      }
    },
    async finish() {
      if (samples === 0) {
        await discard();
        return undefined;
      }
      const file = await beginFile(path, join(scratch, 'whole'), READABLE);
      try {
        await writeAll(file.handle, families.values(), values, valuesAtOnce);
        const { size: bytes } = await file.handle.stat();
        await file.finish();
        await discard();
        return { samples, bytes };
      } catch (error) {
        await file.abandon();
        throw error;
      }
    },
    discard,
  };
}

async function writeAll(
  file: FileHandle,
  families: Iterable<OpenFamily>,
  values: Values,
  valuesAtOnce: number,
): Promise<void> {
  let text = '';
  for (const { family, orgs } of families) {
    text += renderFamilyHeader({ name: family.name, help: family.help, type: 'gauge' }, 'openmetrics');
    for (const series of orgs.values()) {
      for (const lines of linesOf(family, series, values, valuesAtOnce)) {
        text += lines;
        if (text.length < CHUNK_CHARACTERS) continue;
        await file.writeFile(text);
        text = '';
      }
    }
  }
  await file.writeFile(`${text}# EOF\n`);
}

/** The lines of an organization's series, those of one series at a time. */
function* linesOf(
  { labels }: PastFamily,
  { start, numbers, columns }: OrgSeries,
  values: Values,
  valuesAtOnce: number,
): Generator<string> {
  const endings = columns.map(({ stamps }) => stamps.map((stamp) => ` ${stamp / 1000}\n`));
  const keys = [...numbers.keys()];
  const atOnce = Math.max(1, Math.floor(valuesAtOnce / columns.length));
  for (let first = 0; first < keys.length; first += atOnce) {
    const block = columns.map(({ at, length }) =>
      values.read(at + first, Math.max(0, Math.min(length - first, atOnce))),
    );
    for (const [index, key] of keys.slice(first, first + atOnce).entries()) {
      const own: readonly string[] = JSON.parse(key);
      const line = start(Object.fromEntries(labels.map((label, nth) => [label, own[nth] ?? ''])));
      let lines = '';
      for (const [number, column] of block.entries()) {
        const value = column[index] ?? Number.NaN;
        // No sample has this value.
        if (Number.isNaN(value)) continue;
        const beginning = line + formatValue(value);
        for (const ending of endings[number] ?? []) lines += beginning + ending;
      }
      yield lines;
    }
  }
}

/** Numbers in a file. */
interface Values {
  append(numbers: readonly number[]): { readonly at: number; readonly length: number };
  read(at: number, length: number): Float64Array;
  close(): void;
}

const BYTES = Float64Array.BYTES_PER_ELEMENT;

function createValues(path: string): Values {
  const descriptor = openSync(path, 'wx+', 0o600);
  let end = 0;
  return {
    append(numbers) {
      const appended = { at: end, length: numbers.length };
      writeFileSync(descriptor, Float64Array.from(numbers));
      end += numbers.length;
      return appended;
    },
    read(at, length) {
      const numbers = new Float64Array(length);
      const read = readSync(descriptor, numbers, 0, length * BYTES, at * BYTES);
      if (read < length * BYTES) throw new Error('a temporary file of the backfill was shortened');
      return numbers;
    },
    close: () => closeSync(descriptor),
  };
}
