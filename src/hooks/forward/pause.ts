import { writeWhole } from '../write-whole.ts';

// Not imported: importing all members of such a module takes longer than the use of a few.
const { readFileSync, rmSync } = process.getBuiltinModule('node:fs');

/** A time during which no run tries to send, because the last one waited in vain or was told to come later. */
export interface Pause {
  /** Whether it holds at an instant (Unix milliseconds). */
  holds(now: number): boolean;
  begin(until: number): void;
  end(): void;
}

const longestMs = 300_000;

/** A pause that is kept in a file. */
export function createPause(file: string): Pause {
  return {
    holds(now) {
      let until: number;
      try {
        until = Number(readFileSync(file, 'utf8'));
      } catch {
        return false;
      }
      // An end that no run would have set comes from a clock that was wrong.
      return now < until && until <= now + longestMs;
    },
    begin(until) {
      try {
        writeWhole(file, String(until));
      } catch {
        // Then the next run tries: later than it must be, or in vain, and no event is lost by it.
      }
    },
    end: () => rmSync(file, { force: true }),
  };
}
