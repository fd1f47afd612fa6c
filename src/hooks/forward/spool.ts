import type { SharedEvent } from '../event.ts';
import { writeWhole } from '../write-whole.ts';

// Not imported: importing all members of such a module takes longer than the use of a few.
const { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');

/** Events on disk that the exporter has not confirmed yet: one file each, so that no writer waits for another. */
export interface Spool {
  /** Keeps an event; gives the name to remove it by. Throws the system's error where it cannot be kept. */
  add(event: SharedEvent): string;
  /** The names of the events kept, oldest first. */
  names(): readonly string[];
  /** An event's JSON text; undefined where another process took it away or the file holds none. */
  read(name: string): string | undefined;
  remove(names: Iterable<string>): void;
  has(name: string): boolean;
  /** Drops what is too old or too much, the oldest first; gives how many events were lost that way. */
  trim(now: number): number;
}

export interface SpoolLimits {
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

// The name tells instant, size and id: bounds and order need no look into the files.
const nameShape = /^(\d{15})-(\d{6})-[\w.:-]+\.json$/;
const unfinishedMs = 3_600_000;

/** Opens the spool in a folder. */
export function createSpool(folder: string, limits: SpoolLimits): Spool {
  function entries(): readonly string[] {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  }
  function drop(name: string): void {
    rmSync(path.join(folder, name), { force: true });
  }
  const spool: Spool = {
    add(event) {
      const text = JSON.stringify(event);
      const instant = String(Math.max(0, Math.round(event.occurred_at))).padStart(15, '0');
      const name = `${instant}-${String(Buffer.byteLength(text)).padStart(6, '0')}-${event.id}.json`;
      try {
        writeWhole(path.join(folder, name), text);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeWhole(path.join(folder, name), text);
      }
      return name;
    },
    names: () =>
      entries()
        .filter((name) => nameShape.test(name))
        .sort(),
    read(name) {
      try {
        const text = readFileSync(path.join(folder, name), 'utf8');
        return Buffer.byteLength(text) === sizeIn(name) ? text : undefined;
      } catch {
        return undefined;
      }
    },
    remove(names) {
      for (const name of names) drop(name);
    },
    has: (name) => existsSync(path.join(folder, name)),
    trim(now) {
      let bytes = 0;
      let lost = 0;
      for (const name of entries().toSorted().toReversed()) {
        const age = now - instantIn(name);
        if (name.endsWith('.new') && age > unfinishedMs) drop(name);
        if (!nameShape.test(name)) continue;
        bytes += sizeIn(name);
        if (bytes <= limits.maxBytes && age <= limits.maxAgeMs) continue;
        drop(name);
        lost += 1;
      }
      return lost;
    },
  };
  return spool;
}

function instantIn(name: string): number {
  return Number(name.slice(0, 15));
}

function sizeIn(name: string): number {
  return Number(nameShape.exec(name)?.[2] ?? 0);
}
