import { type FileHandle, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Instant } from '../../catalog/day.ts';
import { formatValue, renderFamilyHeader } from '../../exposition/text.ts';
import { beginFile } from '../../runtime/unfinished-file.ts';
import type { PageFamily, PastFamily } from '../page.ts';
import { labelsIn } from '../series-key.ts';
import { type Chunks, createChunks } from './chunks.ts';
import {
  createLineEncoder,
  endingAt,
  type LineEncoder,
  MAX_VALUE_BYTES,
  writeBytes,
  writeText,
} from './line-encoder.ts';
import { createPart, type Part, writeAll } from './part.ts';
import { blocksIn, createAddSamples, type OrgSeries } from './series.ts';

/** Statistics of a file. */
interface WrittenFile {
  readonly samples: number;
  readonly bytes: number;
}

/** An unfinished OpenMetrics file. */
export interface MonthFile {
  /** Adds a page of an organization. Its pages arrive in the order of their instants. */
  add(org: string, page: readonly PageFamily[]): Promise<void>;
  /**
   * Moves the complete file into place atomically; without samples there is no file, and it resolves with undefined.
   */
  finish(): Promise<WrittenFile | undefined>;
  /** Removes all traces. */
  discard(): Promise<void>;
}

interface OpenFamily {
  readonly family: PastFamily;
  readonly part: Part;
  /** By organization, each numbered in order. */
  readonly orgs: Map<string, EncodedSeries>;
}

interface EncodedSeries extends OrgSeries {
  readonly encoder: LineEncoder;
}

/** Not the name of a family. */
const WHOLE = 'whole';
/** As the system's mask allows: whoever loads the file is another user. */
const READABLE = 0o666;
/** Few calls of the system for the whole file, and little memory. */
const FILE_CHUNKS = { first: 64 * 1024, full: 1024 * 1024 };

/**
 * Creates the file at `path`. Pages arrive day by day, but the format requires all samples of a family together, and
 * within it those of a series. Until the file is written, each family is a part of its own that has values only; memory
 * holds a little of each part and the labels of each series, however many days there are.
 */
export async function createMonthFile(
  path: string,
  labels: Readonly<Record<string, string>>,
): Promise<MonthFile> {
  const scratch = `${path}.parts`;
  const families = new Map<string, OpenFamily>();
  const instants = createInstants();
  const addSamples = createAddSamples();
  let samples = 0;
  await rm(scratch, { recursive: true, force: true });
  // Fails if another user creates it first in a shared directory.
  await mkdir(scratch, { mode: 0o700 });

  function familyOf(family: PastFamily): OpenFamily {
    const known = families.get(family.name);
    if (known !== undefined) return known;
    const opened = { family, part: createPart(join(scratch, family.name)), orgs: new Map() };
    families.set(family.name, opened);
    return opened;
  }

  function seriesOf({ orgs }: OpenFamily, org: string, { family, recorded }: PageFamily): EncodedSeries {
    const known = orgs.get(org);
    if (known !== undefined) return known;
    const encoder = createLineEncoder(family, { org, ...(recorded ? {} : labels) });
    const series = { org: orgs.size, numbers: new Map(), last: undefined, encoder };
    orgs.set(org, series);
    return series;
  }

  async function discard(): Promise<void> {
    for (const { part } of families.values()) await part.discard();
    await rm(scratch, { recursive: true, force: true });
  }

  async function writeFile(file: FileHandle): Promise<number> {
    let bytes = 0;
    async function append(chunk: Buffer): Promise<void> {
      bytes += await writeAll(file, chunk);
    }
    const chunks = createChunks(append, FILE_CHUNKS);
    for (const [name, family] of families) {
      await writeFamily(chunks, family, instants.endings);
      await family.part.discard();
      families.delete(name);
    }
    await chunks.append(Buffer.from('# EOF\n'));
    await append(await chunks.rest());
    return bytes;
  }

  return {
    async add(org, page) {
      for (const one of page) {
        const known = familyOf(one.family);
        const added = await addSamples(known.part, seriesOf(known, org, one), {
          labels: one.family.labels,
          samples: one.samples(),
          instants: instants.numberOf(one.stamps),
        });
        samples += added * one.stamps.length;
      }
    },
    async finish() {
      if (samples === 0) {
        await discard();
        return undefined;
      }
      const file = await beginFile(path, join(scratch, WHOLE), READABLE);
      try {
        const bytes = await writeFile(file.handle);
        await file.finish();
        await rm(scratch, { recursive: true, force: true });
        return { samples, bytes };
      } catch (error) {
        await file.abandon();
        throw error;
      }
    },
    discard,
  };
}

/** The instants of pages, by number: many pages have the same ones. */
function createInstants() {
  const numbers = new Map<string, number>();
  const endings: (readonly Buffer[])[] = [];
  // Those of a page are the same for all its families.
  let last: { readonly stamps: readonly Instant[]; readonly number: number } | undefined;

  function numberOf(stamps: readonly Instant[]): number {
    const key = stamps.join();
    const number = numbers.get(key) ?? numbers.size;
    if (number === numbers.size) {
      numbers.set(key, number);
      endings.push(stamps.map(endingAt));
    }
    return number;
  }

  return {
    /** The ends of the lines at some instants. */
    endings: (number: number): readonly Buffer[] => endings[number] ?? [],
    numberOf(stamps: readonly Instant[]): number {
      if (last?.stamps !== stamps) last = { stamps, number: numberOf(stamps) };
      return last.number;
    },
  };
}

/** Writes everything of a family to the end of the file. */
async function writeFamily(
  to: Chunks,
  { family, part, orgs }: OpenFamily,
  endingsOf: (instants: number) => readonly Buffer[],
): Promise<void> {
  await to.append(Buffer.from(headerOf(family)));
  const all = [...orgs.values()];
  const writtenSeries = Buffer.allocUnsafe(Math.max(...all.map(({ encoder }) => encoder.maxBytes)));
  let keys = new Map<string, number>().keys();
  for await (const { org, first, size, columns } of blocksIn(
    await part.open(),
    (index) => all[index]?.numbers.size ?? 0,
  )) {
    const series = all[org];
    if (series === undefined) continue;
    if (first === 0) keys = series.numbers.keys();
    for (let index = 0; index < size; index++) {
      const labels = labelsIn(family.labels, keys.next().value ?? '');
      const length = series.encoder.writeSeries(writtenSeries, 0, labels);
      const start = writtenSeries.subarray(0, length);
      for (const { instants, values } of columns) {
        const value = values[index] ?? Number.NaN;
        if (Number.isNaN(value)) continue;
        const text = formatValue(value);
        for (const ending of endingsOf(instants)) {
          const full = to.reserve(length + MAX_VALUE_BYTES + ending.length);
          if (full !== undefined) await full;
          writeLine(to, start, text, ending);
        }
      }
    }
  }
}

/** Writes a line, for which there is room. */
function writeLine(to: Chunks, series: Buffer, value: string, ending: Buffer): void {
  const { buffer } = to;
  const end = writeText(buffer, writeBytes(buffer, to.end, series), value);
  to.end = writeBytes(buffer, end, ending);
}

function headerOf({ name, help }: PastFamily): string {
  return renderFamilyHeader({ name, help, type: 'gauge' }, 'openmetrics');
}
