import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Instant } from '../../catalog/day.ts';
import type { Sample } from '../../catalog/family.ts';
import { createSampleWriter, renderFamilyHeader, type SampleWriter } from '../../exposition/text.ts';
import type { PageFamily, PastFamily } from '../page.ts';
import { type Chunks, createChunks } from './chunks.ts';
import { createPart, type Part, writeAll } from './part.ts';

/** Statistics of a file. */
interface WrittenFile {
  readonly samples: number;
  readonly bytes: number;
}

/** An unfinished OpenMetrics file. */
export interface MonthFile {
  /** Adds samples of an organization. */
  add(org: string, page: PageFamily): Promise<void>;
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
  readonly writers: Map<string, SampleWriter>;
  /** Pages that are written at the end. */
  readonly later: Later[];
}

interface Later {
  readonly org: string;
  readonly page: PageFamily;
}

/** Samples of a page, written up to the timestamp. */
interface Written {
  readonly samples: Iterable<Sample>;
  readonly lines: readonly string[];
}

/** How many lines of the same timestamp are put together at once. */
const LINES_AT_ONCE = 64;

/**
 * Creates the file at `path`. Pages may arrive in any order, though the format requires each family's samples together.
 * Families of days are spooled to a separate part per family, so that memory holds a little of each instead of the
 * whole month. Families of the current state need no zeros of earlier pages: they are computed at the end and written
 * once.
 */
export async function createMonthFile(
  path: string,
  labels: Readonly<Record<string, string>>,
): Promise<MonthFile> {
  const scratch = `${path}.parts`;
  const unfinished = join(scratch, 'whole');
  const families = new Map<string, OpenFamily>();
  let samples = 0;
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true });

  function familyOf(family: PastFamily): OpenFamily {
    let known = families.get(family.name);
    if (known === undefined) {
      known = { family, part: createPart(join(scratch, family.name)), writers: new Map(), later: [] };
      families.set(family.name, known);
    }
    return known;
  }

  function writerOf(known: OpenFamily, org: string, page: PageFamily): SampleWriter {
    const writer =
      known.writers.get(org) ?? createSampleWriter(page.family, { org, ...(page.recorded ? {} : labels) });
    known.writers.set(org, writer);
    return writer;
  }

  async function write(to: Pick<Chunks, 'append'>, known: OpenFamily, org: string, page: PageFamily) {
    const writer = writerOf(known, org, page);
    const seconds = page.stamps.map(toSeconds);
    for (const sample of page.samples()) {
      const full = to.append(linesOf(writer, sample, seconds));
      samples += seconds.length;
      if (full !== undefined) await full;
    }
  }

  /** Writes a page of the current state, which often has the samples of the organization's page before it. */
  async function writeState(
    to: Pick<Chunks, 'append'>,
    known: OpenFamily,
    { org, page }: Later,
    written: Map<string, Written>,
  ): Promise<void> {
    const found = page.samples();
    const [stamp] = page.stamps;
    if (!Array.isArray(found) || stamp === undefined || page.stamps.length > 1) {
      return write(to, known, org, page);
    }
    const before = written.get(org);
    const writer = writerOf(known, org, page);
    const lines = before?.samples === found ? before.lines : found.map((sample) => bodyOf(writer, sample));
    written.set(org, { samples: found, lines });
    const ending = ` ${toSeconds(stamp)}\n`;
    for (let start = 0; start < lines.length; start += LINES_AT_ONCE) {
      const full = to.append(lines.slice(start, start + LINES_AT_ONCE).join(ending) + ending);
      if (full !== undefined) await full;
    }
    samples += lines.length;
  }

  async function discard(): Promise<void> {
    for (const { part } of families.values()) await part.discard();
    await rm(scratch, { recursive: true, force: true });
  }

  /** Writes everything of a family to the end of the file. */
  async function writeFamily(file: FileHandle, known: OpenFamily): Promise<number> {
    let bytes = await writeAll(file, Buffer.from(headerOf(known.family)));
    const chunks = createChunks(async (chunk) => {
      bytes += await writeAll(file, chunk);
    });
    const written = new Map<string, Written>();
    for (const later of known.later) await writeState(chunks, known, later, written);
    bytes += await writeAll(file, await chunks.rest());
    return bytes + (await known.part.moveTo(file));
  }

  return {
    async add(org, page) {
      const known = familyOf(page.family);
      if (page.family.scope === 'current') known.later.push({ org, page });
      else await write(known.part, known, org, page);
    },
    async finish() {
      const file = await open(unfinished, 'w');
      let bytes = 0;
      try {
        for (const known of families.values()) bytes += await writeFamily(file, known);
        bytes += await writeAll(file, Buffer.from('# EOF\n'));
        await file.sync();
      } finally {
        await file.close();
      }
      if (samples === 0) {
        await discard();
        return undefined;
      }
      await rename(unfinished, path);
      await rm(scratch, { recursive: true, force: true });
      await syncDirectory(dirname(path));
      return { samples, bytes };
    },
    discard,
  };
}

function headerOf({ name, help }: PastFamily): string {
  return renderFamilyHeader({ name, help, type: 'gauge' }, 'openmetrics');
}

function linesOf(write: SampleWriter, sample: Sample, seconds: readonly number[]): string {
  const [only] = seconds;
  if (seconds.length === 1 && only !== undefined) return write(sample, only);
  const line = bodyOf(write, sample);
  return seconds.map((second) => `${line} ${second}\n`).join('');
}

/** The line of a sample up to its timestamp. */
function bodyOf(write: SampleWriter, sample: Sample): string {
  return write(sample).slice(0, -1);
}

function toSeconds(stamp: Instant): number {
  return stamp / 1000;
}

/** Makes a rename survive a power failure. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
