import { writeWhole } from '../files.ts';

// Not imported: importing all members of a built-in module takes longer than using a few of them.
const { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } =
  process.getBuiltinModule('node:fs');

/**
 * A lock file, so that only one process sends at a time. It only saves work: an event that two processes send counts
 * once by its id.
 */
export interface Lock {
  /** Takes the lock until an instant (Unix milliseconds), after which it is free; false if another process has it. */
  take(now: number, until: number): boolean;
  release(): void;
}

const MAX_UNWRITTEN_MS = 5000;
const MAX_HOLD_MS = 120_000;

/** Creates a lock at a path; `alive` reports whether a process with this id is running. */
export function createLock(file: string, pid: number, alive: (pid: number) => boolean): Lock {
  function create(until: number): boolean {
    let descriptor: number;
    try {
      descriptor = openSync(file, 'wx', 0o600);
    } catch (error) {
      // If no lock can be created at all, the result is correct without one.
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
    // An expiry that no run would have set comes from a wrong clock.
    if (holder > 0 && until > 0) return now > until || until > now + MAX_HOLD_MS || !alive(holder);
    // Without content it was just created, or its holder was killed at that moment.
    const created = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now;
    return now > created + MAX_UNWRITTEN_MS;
  }
  return {
    take(now, until) {
      if (create(until)) return true;
      if (!isLeft(now)) return false;
      try {
        // Renamed, because only one of several processes that find it expired can do that.
        renameSync(file, `${file}.${pid}`);
        rmSync(`${file}.${pid}`, { force: true });
      } catch {
        return false;
      }
      return create(until);
    },
    release() {
      // A process that overran its time may find another's lock.
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

/** Whether a process is running on this machine. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A time during which no run tries to send, because the last one timed out or was told to wait. */
export interface SendingHold {
  /** Whether it is in effect at an instant (Unix milliseconds). */
  holds(now: number): boolean;
  begin(until: number): void;
  end(): void;
}

const MAX_PAUSE_MS = 300_000;

/** Creates a pause that is stored in a file. */
export function createSendingHold(file: string): SendingHold {
  return {
    holds(now) {
      let until: number;
      try {
        until = Number(readFileSync(file, 'utf8'));
      } catch {
        return false;
      }
      // An expiry that no run would have set comes from a wrong clock.
      return now < until && until <= now + MAX_PAUSE_MS;
    },
    begin(until) {
      try {
        writeWhole(file, String(until));
      } catch {
        // Then the next run tries earlier than it should; no event is lost by that.
      }
    },
    end() {
      try {
        rmSync(file, { force: true });
      } catch {
        // Another user's file: a pause ends by itself.
      }
    },
  };
}
