import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DAY_MS } from '../../catalog/day.ts';
import { codeOf, numbersIn, writeWhole } from '../../files/local-file.ts';
import { unreadable } from '../../files/text-file.ts';
import { attempt } from '../../text/errors.ts';
import { recordIn, type SharedEvent } from '../event.ts';
import type { standardLimits } from '../settings/basics.ts';

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

/** Unconfirmed events on disk: one file each, so that no writer waits for another. */
export class Spool {
  readonly #folder: string;
  readonly #limits: typeof standardLimits;
  readonly #uptime: () => number;

  /** `uptime` is in seconds since the machine was started, which no clock step changes. */
  constructor(folder: string, limits: typeof standardLimits, uptime = os.uptime) {
    this.#folder = folder;
    this.#limits = limits;
    this.#uptime = uptime;
  }

  /**
   * Stores an event durably, also against a power failure, and returns its name. Throws the system's error if that
   * fails.
   */
  add(event: SharedEvent): string {
    const text = JSON.stringify(event);
    const instant = String(Math.max(0, Math.round(event.occurred_at))).padStart(15, '0');
    const size = String(Buffer.byteLength(text)).padStart(6, '0');
    const name = `${instant}-${size}-${event.id}.json`;
    writeWhole(this.#path(name), text, { durable: true });
    return name;
  }

  /** The names of the stored events, oldest first; none if they are `unlistable`. */
  names(): readonly string[] {
    return this.#entries()
      .filter((name) => nameShape.test(name))
      .sort();
  }

  /** Why no event could be kept here, after trying it; undefined if it could. */
  unwritable(): string | undefined {
    try {
      // A full disk still takes an empty file.
      writeWhole(this.#path('probe'), 'probe', { durable: true });
      return this.unlistable();
    } catch (error) {
      return `${this.#folder} cannot be written (${codeOf(error)})`;
    } finally {
      this.#drop('probe');
    }
  }

  /** Why the names of the events cannot be read; undefined if they can, or if nothing was ever stored. */
  unlistable(): string | undefined {
    try {
      readdirSync(this.#folder);
      return undefined;
    } catch (error) {
      return codeOf(error) === 'ENOENT' ? undefined : `${this.#folder} ${unreadable(error)}`;
    }
  }

  /** Reads the event of a file. */
  read(name: string): SpooledEvent {
    try {
      const text = readFileSync(this.#path(name), 'utf8');
      return isWhole(name, text) ? { kind: 'event', text } : { kind: 'damaged' };
    } catch (error) {
      return { kind: codeOf(error) === 'ENOENT' ? 'gone' : 'unread' };
    }
  }

  remove(names: Iterable<string>): void {
    for (const name of names) this.#drop(name);
  }

  /** Renames a damaged file, which then expires like an event. */
  setAside(name: string): void {
    // If the rename fails, another process has done it, or the file expires.
    attempt(() => renameSync(this.#path(name), this.#path(`${name}.damaged`)));
  }

  /**
   * Removes events beyond the limits of age and size, oldest first; returns the number of lost events. An age counts once
   * some events have been too old for a day: after a clock step, all of them are.
   */
  trim(now: number): number {
    const { maxAgeMs, maxBytes } = this.#limits;
    let bytes = 0;
    let lost = 0;
    const names = this.#entries().toSorted().toReversed();
    const isOverdue = (name: string) => now - instantIn(name) > maxAgeMs;
    const isAgeConfirmed = this.#isAgeConfirmed(names.some(isOverdue), now);
    for (const name of names) {
      const isEvent = nameShape.test(name);
      if (isEvent) bytes += sizeIn(name);
      const isTooMuch = isEvent && bytes > maxBytes;
      // Counts damaged and partly written files, too.
      if (!isTooMuch && !(isAgeConfirmed && isOverdue(name))) continue;
      this.#drop(name);
      if (isEvent) lost += 1;
    }
    return lost;
  }

  /** Whether ages count, that is, some events have been too old for a day; records since when. */
  #isAgeConfirmed(anyOverdue: boolean, now: number): boolean {
    if (!anyOverdue) {
      this.#drop(overdueFile);
      return false;
    }
    const file = this.#path(overdueFile);
    const uptime = this.#uptime();
    // There is no file if old events are seen for the first time.
    const [since = Number.NaN, up = 0] = numbersIn(file);
    const isRestarted = uptime < up;
    if (since <= now) return now - since >= DAY_MS && (isRestarted || (uptime - up) * 1000 >= DAY_MS);
    // If writing fails, events stay until the spool exceeds its size limit.
    attempt(() => writeWhole(file, `${now} ${uptime}`));
    return false;
  }

  #entries(): readonly string[] {
    return attempt(() => readdirSync(this.#folder)) ?? [];
  }

  /** Removes a file if possible: a directory, or another user's file, must not keep events from being sent. */
  #drop(name: string): void {
    attempt(() => rmSync(this.#path(name), { force: true }));
  }

  #path(name: string): string {
    return path.join(this.#folder, name);
  }
}

/** Whether a text is undamaged, that is, matches the id in its file name. */
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

export const longestPauseMs = 300_000;

/** A time during which no run tries to send, because the last one timed out or was told to wait; in a file. */
export class Pause {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Whether the pause is in effect at an instant (Unix milliseconds). */
  holds(now: number): boolean {
    const [until = 0] = numbersIn(this.#file);
    // An expiry that no run would have set comes from a wrong clock.
    return now < until && until <= now + longestPauseMs;
  }

  begin(until: number): void {
    // If writing fails, the next run tries earlier than it should; that loses no event.
    attempt(() => writeWhole(this.#file, String(until)));
  }

  end(): void {
    // Another user's file cannot be removed; the pause ends by itself.
    attempt(() => rmSync(this.#file, { force: true }));
  }
}
