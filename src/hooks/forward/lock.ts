import { writeWhole } from '../system.ts';

// Not an import: importing all members of a built-in module takes longer than using a few of them.
const { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } =
  process.getBuiltinModule('node:fs');

/**
 * A file by which processes agree that one of them sends. It keeps order and saves work, no more: an event that two
 * send all the same counts once by its id.
 */
export interface Lock {
  /** Takes the lock until an instant (Unix milliseconds), after which it is anybody's; false where another has it. */
  take(now: number, until: number): boolean;
  release(): void;
}

const MAX_UNWRITTEN_MS = 5000;
const MAX_HOLD_MS = 120_000;

/** A lock at a path; `alive` tells whether a process with this id runs. */
export function createLock(file: string, pid: number, alive: (pid: number) => boolean): Lock {
  function create(until: number): boolean {
    let descriptor: number;
    try {
      descriptor = openSync(file, 'wx', 0o600);
    } catch (error) {
      // Where no lock can be made at all, none is needed to be right.
      return !(error instanceof Error && 'code' in error && error.code === 'EEXIST');
    }
    try {
      writeSync(descriptor, `${pid} ${until}`);
      return true;
    } catch {
      rmSync(file, { force: true });
      return true;
    } finally {
      closeSync(descriptor);
    }
  }
  function isLeft(now: number): boolean {
    const [holder = 0, until = 0] = (textOf(file) ?? '').split(' ').map(Number);
    // An end that no run would have set comes from a clock that was wrong.
    if (holder > 0 && until > 0) return now > until || until > now + MAX_HOLD_MS || !alive(holder);
    // Without content it was only just created, or its holder was killed at that moment.
    const created = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now;
    return now > created + MAX_UNWRITTEN_MS;
  }
  return {
    take(now, until) {
      if (create(until)) return true;
      if (!isLeft(now)) return false;
      try {
        // Renamed, since of several processes that find it left only one can.
        renameSync(file, `${file}.${pid}`);
        rmSync(`${file}.${pid}`, { force: true });
      } catch {
        return false;
      }
      return create(until);
    },
    release() {
      // One that overran its time may find another's.
      if (textOf(file)?.startsWith(`${pid} `) === true) rmSync(file, { force: true });
    },
  };
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Whether a process runs on this machine. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A time during which no run tries to send, because the last one waited in vain or was told to come later. */
export interface Pause {
  /** Whether it holds at an instant (Unix milliseconds). */
  holds(now: number): boolean;
  begin(until: number): void;
  end(): void;
}

const MAX_PAUSE_MS = 300_000;

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
      return now < until && until <= now + MAX_PAUSE_MS;
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
