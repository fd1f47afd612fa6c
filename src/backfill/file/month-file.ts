import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Instant } from '../../catalog/day.ts';
import type { Sample } from '../../catalog/family.ts';
import { renderFamilyHeader } from '../../exposition/text.ts';
import type { PageFamily, PastFamily } from '../page.ts';
import { type Chunks, createChunks } from './chunks.ts';
import { createLineEncoder, endingAt, type LineEncoder, writeBytes } from './line-encoder.ts';
import { createPart, type Part, writeAll } from './part.ts';
import type { UsedBuffers } from './used-buffers.ts';

/** Statistics of a file. */
interface WrittenFile {
  readonly samples: number;
  readonly bytes: number;
}

/** An unfinished OpenMetrics file. */
export interface MonthFile {
  /** Adds a page of an organization. */
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
  readonly encoders: Map<string, LineEncoder>;
  /** Pages that are written at the end. */
  readonly later: Later[];
}

interface Later {
  readonly org: string;
  readonly page: PageFamily;
}

/** The samples of a page, and their lines if they are kept. */
interface Written {
  readonly samples: Iterable<Sample>;
  readonly lines: Lines | undefined;
}

/** Lines at one instant. */
interface Lines {
  readonly bytes: Buffer;
  /** The position of each line's timestamp, with its length. */
  readonly endings: readonly number[];
  readonly endingLength: number;
}

/** Not the name of a family. */
const WHOLE = 'whole';
/** Few calls of the system for the whole file, and little memory. */
const FILE_CHUNKS = { first: 64 * 1024, full: 1024 * 1024 };

/**
 * Creates the file at `path`. Pages may arrive in any order, though the format requires each family's samples together.
 * Families of days are spooled to a separate part per family, so that memory holds a little of each instead of the
 * whole month. Families of the current state need no zeros of earlier pages: they are computed at the end and written
 * once. Buffers are taken from former files.
 */
export async function createMonthFile(
  path: string,
  labels: Readonly<Record<string, string>>,
  buffers: UsedBuffers,
): Promise<MonthFile> {
  const scratch = `${path}.parts`;
  const unfinished = join(scratch, WHOLE);
  const families = new Map<string, OpenFamily>();
  let samples = 0;
  // The instants of a page are the same for all its families.
  let ended: { readonly stamps: readonly Instant[]; readonly endings: readonly Buffer[] } | undefined;
  await rm(scratch, { recursive: true, force: true });
  // Fails if another user creates it first in a shared directory.
  await mkdir(scratch, { mode: 0o700 });

  function familyOf(family: PastFamily): OpenFamily {
    let known = families.get(family.name);
    if (known === undefined) {
      const part = createPart(join(scratch, family.name), buffers.take(family.name));
      known = { family, part, encoders: new Map(), later: [] };
      families.set(family.name, known);
    }
    return known;
  }

  function encoderOf(known: OpenFamily, org: string, page: PageFamily): LineEncoder {
    const made = known.encoders.get(org);
    if (made !== undefined) return made;
    const encoder = createLineEncoder(page.family, { org, ...(page.recorded ? {} : labels) });
    known.encoders.set(org, encoder);
    return encoder;
  }

  function endingsAt(stamps: readonly Instant[]): readonly Buffer[] {
    if (ended?.stamps !== stamps) ended = { stamps, endings: stamps.map(endingAt) };
    return ended.endings;
  }

  async function write(to: Chunks, encoder: LineEncoder, page: PageFamily): Promise<void> {
    const endings = endingsAt(page.stamps);
    const room = endings.reduce((sum, ending) => sum + encoder.maxBytes + ending.length, 0);
    for (const sample of page.samples()) {
      const full = to.reserve(room);
      if (full !== undefined) await full;
      writeLines(to, encoder, sample, endings);
      samples += endings.length;
    }
  }

  /** Writes a page of the current state, which often has the samples of the organization's page before it. */
  async function writeState(
    to: Chunks,
    known: OpenFamily,
    { org, page }: Later,
    written: Map<string, Written>,
  ): Promise<void> {
    const found = page.samples();
    const encoder = encoderOf(known, org, page);
    const [ending, another] = endingsAt(page.stamps);
    const before = written.get(org);
    // Lines are kept from the second time on, because most samples are those of one day only.
    if (!Array.isArray(found) || ending === undefined || another !== undefined || before?.samples !== found) {
      written.set(org, { samples: found, lines: undefined });
      return write(to, encoder, page);
    }
    const isKept = before.lines?.endingLength === ending.length;
    const lines = isKept && before.lines !== undefined ? before.lines : linesOf(encoder, found, ending);
    written.set(org, { samples: found, lines });
    for (const at of lines.endings) writeBytes(lines.bytes, at, ending);
    await to.append(lines.bytes);
    samples += found.length;
  }

  async function discard(): Promise<void> {
    for (const { part } of families.values()) await part.discard();
    await rm(scratch, { recursive: true, force: true });
  }

  /** Writes everything of a family to the end of the file. */
  async function writeFamily(to: Chunks, known: OpenFamily): Promise<void> {
    await to.append(Buffer.from(headerOf(known.family)));
    const written = new Map<string, Written>();
    for (const later of known.later) await writeState(to, known, later, written);
    buffers.give(known.family.name, await known.part.moveTo(to));
  }

  async function writeFile(file: FileHandle): Promise<number> {
    let bytes = 0;
    async function append(chunk: Buffer): Promise<void> {
      bytes += await writeAll(file, chunk);
    }
    const chunks = createChunks(append, FILE_CHUNKS, buffers.take(WHOLE));
    for (const known of families.values()) await writeFamily(chunks, known);
    await chunks.append(Buffer.from('# EOF\n'));
    await append(await chunks.rest());
    buffers.give(WHOLE, chunks.buffer);
    return bytes;
  }

  return {
    async add(org, page) {
      for (const part of page) {
        const known = familyOf(part.family);
        if (part.family.scope === 'current') known.later.push({ org, page: part });
        else await write(known.part.chunks, encoderOf(known, org, part), part);
      }
    },
    async finish() {
      const file = await open(unfinished, 'wx');
      let bytes = 0;
      try {
        bytes = await writeFile(file);
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

/** Writes a sample's lines, for which there is room. */
function writeLines(to: Chunks, encoder: LineEncoder, sample: Sample, endings: readonly Buffer[]): void {
  const { buffer, end: start } = to;
  const length = encoder.write(buffer, start, sample) - start;
  let end = start;
  for (const ending of endings) {
    if (end > start) buffer.copyWithin(end, start, start + length);
    end = writeBytes(buffer, end + length, ending);
  }
  to.end = end;
}

function linesOf(encoder: LineEncoder, samples: readonly Sample[], ending: Buffer): Lines {
  const endings: number[] = [];
  let lines = Buffer.allocUnsafe(encoder.maxBytes * Math.min(samples.length, 16));
  let end = 0;
  for (const sample of samples) {
    if (end + encoder.maxBytes + ending.length > lines.length) {
      const larger = Buffer.allocUnsafe(2 * lines.length + encoder.maxBytes);
      lines.copy(larger, 0, 0, end);
      lines = larger;
    }
    end = encoder.write(lines, end, sample);
    endings.push(end);
    end += ending.length;
  }
  return { bytes: lines.subarray(0, end), endings, endingLength: ending.length };
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
