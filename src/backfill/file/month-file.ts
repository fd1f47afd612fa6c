import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Instant } from '../../catalog/day.ts';
import type { Family, Sample } from '../../catalog/family.ts';
import { createSampleWriter, type SampleWriter } from '../../exposition/sample-writer.ts';
import { renderFamilyHeader } from '../../exposition/text.ts';
import type { PageFamily } from '../page.ts';
import { createPart, type Part, writeAll } from './part.ts';

/** What a file holds. */
export interface WrittenFile {
  readonly samples: number;
  readonly bytes: number;
}

/** An OpenMetrics file in the making. */
export interface MonthFile {
  /** Adds samples of an organization. */
  add(org: string, page: PageFamily): Promise<void>;
  /** Puts the file in place, whole, in one step; without any samples there is none, and undefined is given back. */
  finish(): Promise<WrittenFile | undefined>;
  /** Leaves nothing behind. */
  discard(): Promise<void>;
}

interface OpenFamily {
  readonly family: Family;
  readonly part: Part;
  readonly writers: Map<string, SampleWriter>;
}

/**
 * Starts the file at `path`. Pages may come in any order, though the format wants each family's samples together:
 * every family has a part of its own beside the file, so that memory holds a little of each and not the month.
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

  function familyOf(family: Family): OpenFamily {
    let known = families.get(family.name);
    if (known === undefined) {
      known = { family, part: createPart(join(scratch, family.name)), writers: new Map() };
      families.set(family.name, known);
    }
    return known;
  }

  async function discard(): Promise<void> {
    for (const { part } of families.values()) await part.discard();
    await rm(scratch, { recursive: true, force: true });
  }

  return {
    async add(org, page) {
      const { part, writers } = familyOf(page.family);
      const write = writers.get(org) ?? createSampleWriter(page.family, { org, ...labels });
      writers.set(org, write);
      const seconds = page.stamps.map(toSeconds);
      for (const sample of page.samples()) {
        const written = part.append(linesOf(write, sample, seconds));
        samples += seconds.length;
        if (written !== undefined) await written;
      }
    },
    async finish() {
      if (samples === 0) {
        await discard();
        return undefined;
      }
      const file = await open(unfinished, 'w');
      let bytes = 0;
      try {
        for (const { family, part } of families.values()) {
          const { name, help } = family;
          const header = renderFamilyHeader({ name, help, type: 'gauge' }, 'openmetrics');
          bytes += await writeAll(file, Buffer.from(header));
          bytes += await part.moveTo(file);
        }
        bytes += await writeAll(file, Buffer.from('# EOF\n'));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, path);
      await rm(scratch, { recursive: true, force: true });
      await syncDirectory(dirname(path));
      return { samples, bytes };
    },
    discard,
  };
}

function linesOf(write: SampleWriter, sample: Sample, seconds: readonly number[]): string {
  const [only] = seconds;
  if (seconds.length === 1 && only !== undefined) return write(sample, only);
  const line = write(sample).slice(0, -1);
  return seconds.map((second) => `${line} ${second}\n`).join('');
}

function toSeconds(stamp: Instant): number {
  return stamp / 1000;
}

/** Makes a rename last over a loss of power. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
