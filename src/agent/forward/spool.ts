import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DAY_MS } from '../../catalog/day.ts';
import { codeOf, numbersIn, writeWhole } from '../../files/local-file.ts';
import { attempt } from '../../text/errors.ts';
import { recordIn, type SharedEvent } from '../event.ts';
import type { standardLimits } from '../settings/basics.ts';

/** Unconfirmed events on disk: one file each, so that no writer waits for another. */
export type Spool = ReturnType<typeof createSpool>;

/**
 * An event's JSON text; `gone` if another process has removed it, `unread` if the system cannot read it, `damaged` if it is
 * not what was written.
 */
type SpooledEvent =
  | { readonly kind: 'event'; readonly text: string }
  | { readonly kind: 'unread' | 'gone' | 'damaged' };

// Instant, size and id, so that limits and order can be determined without reading the files.
const nameShape = /^(\d{15})-(\d{6})-([\w.:-]+)\.json$/;
/** A file with the instant since which some events are too old, and the uptime at that instant. */
const overdueFile = 'overdue-since';

/** Opens the spool in a directory; `uptime` is in seconds since the machine was started, which no clock step changes. */
export function createSpool(folder: string, limits: typeof standardLimits, uptime = os.uptime) {
  const entries = () => attempt(() => readdirSync(folder)) ?? [];
  // A directory or another user's file must not keep the events from being sent.
  const drop = (name: string) => attempt(() => rmSync(path.join(folder, name), { force: true }));

  /** Whether an age may be believed; remembers since when some events are too old. */
  function isConfirmed(anyOverdue: boolean, now: number): boolean {
    if (!anyOverdue) {
      drop(overdueFile);
      return false;
    }
    const file = path.join(folder, overdueFile);
    // None if it is seen for the first time.
    const [since = Number.NaN, up = 0] = numbersIn(file);
    const isRestarted = uptime() < up;
    if (since <= now) return now - since >= DAY_MS && (isRestarted || (uptime() - up) * 1000 >= DAY_MS);
    // If that fails, the events stay until the size exceeds its limit.
    attempt(() => writeWhole(file, `${now} ${uptime()}`));
    return false;
  }
  return {
    /**
     * Stores an event durably, also against a power failure, and returns its name. Throws the system's error if that
     * fails.
     */
    add(event: SharedEvent): string {
      const text = JSON.stringify(event);
      const instant = String(Math.max(0, Math.round(event.occurred_at))).padStart(15, '0');
      const size = String(Buffer.byteLength(text)).padStart(6, '0');
      const name = `${instant}-${size}-${event.id}.json`;
      writeWhole(path.join(folder, name), text, { durable: true });
      return name;
    },
    /** The names of the stored events, oldest first. */
    names: (): readonly string[] =>
      entries()
        .filter((name) => nameShape.test(name))
        .sort(),
    /** Reads the event of a file. */
    read(name: string): SpooledEvent {
      try {
        const text = readFileSync(path.join(folder, name), 'utf8');
        return isWhole(name, text) ? { kind: 'event', text } : { kind: 'damaged' };
      } catch (error) {
        return { kind: codeOf(error) === 'ENOENT' ? 'gone' : 'unread' };
      }
    },
    remove(names: Iterable<string>): void {
      for (const name of names) drop(name);
    },
    /** Sets a damaged file aside; it stays in the directory as long as an event would. */
    setAside(name: string): void {
      // If that fails, another process did, or it expires.
      attempt(() => renameSync(path.join(folder, name), path.join(folder, `${name}.damaged`)));
    },
    /**
     * Removes events beyond the limits of age and size, oldest first; returns the number of lost events. An age counts once
     * some events have been too old for a day: after a clock step, all of them are.
     */
    trim(now: number): number {
      let bytes = 0;
      let lost = 0;
      const names = entries().toSorted().toReversed();
      const isOverdue = (name: string) => now - instantIn(name) > limits.maxAgeMs;
      const isAgeConfirmed = isConfirmed(names.some(isOverdue), now);
      for (const name of names) {
        const isEvent = nameShape.test(name);
        if (isEvent) bytes += sizeIn(name);
        const isTooMuch = isEvent && bytes > limits.maxBytes;
        // Also what is damaged, or was not written to its end.
        if (!isTooMuch && !(isAgeConfirmed && isOverdue(name))) continue;
        drop(name);
        if (isEvent) lost += 1;
      }
      return lost;
    },
  };
}

/** Whether a text is what was written under this name. */
function isWhole(name: string, text: string): boolean {
  const id = recordIn(text)?.['id'];
  return typeof id === 'string' && Buffer.byteLength(text) === sizeIn(name) && name.endsWith(`-${id}.json`);
}

function instantIn(name: string): number {
  return Number(name.slice(0, 15));
}

function sizeIn(name: string): number {
  return Number(nameShape.exec(name)?.[2] ?? 0);
}

/** A time during which no run tries to send, because the last one timed out or was told to wait. */
export type Pause = ReturnType<typeof createPause>;

export const longestPauseMs = 300_000;

/** Creates a pause that is stored in a file. */
export function createPause(file: string) {
  return {
    /** Whether it is in effect at an instant (Unix milliseconds). */
    holds(now: number): boolean {
      const [until = 0] = numbersIn(file);
      // An expiry that no run would have set comes from a wrong clock.
      return now < until && until <= now + longestPauseMs;
    },
    // If that fails, the next run tries earlier than it should; no event is lost by that.
    begin: (until: number) => attempt(() => writeWhole(file, String(until))),
    // If it is another user's file, the pause ends by itself.
    end: () => attempt(() => rmSync(file, { force: true })),
  };
}
