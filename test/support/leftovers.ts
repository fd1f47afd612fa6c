import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parents } from './processes.ts';

/** A variable in a program's environment shows that this run started it, even after its parent has exited. */
const MARK = 'TEST_RUN';
/** Programs with a separate environment are known because they were seen below this run, which is checked this often. */
const LOOK_BELOW_MS = 1_000;

/** Time limit for a process to exit after it was told to, in milliseconds; only a failing run waits that long. */
const ENDING_MS = Number(process.env['TEST_ENDING_MS'] ?? 30_000);
const LOOK_AGAIN_MS = 50;

/** The command line of a process; empty if it is exiting. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** Whether a process has this run's mark in its environment. */
function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${MARK}=${mark}`);
  } catch {
    return false;
  }
}

/**
 * The programs started by this run: those below its own process, at any depth, and orphans that have its mark or were
 * seen below it earlier. Other orphans of this machine are not included.
 */
function startedHere(root: number, mark: string, seen: ReadonlyMap<number, string>): Map<number, string> {
  const all = parents();
  const found = new Map<number, string>();
  let grown = true;
  while (grown) {
    grown = false;
    for (const [pid, parent] of all) {
      if (found.has(pid) || pid === root) continue;
      // Of most processes of a machine, the parent says that they are none of them.
      if (!(parent === root || found.has(parent) || parent === 1)) continue;
      const command = commandOf(pid);
      const isOrphan = parent === 1 && (seen.get(pid) === command || hasMark(pid, mark));
      if (command === '' || !(parent === root || found.has(parent) || isOrphan)) continue;
      found.set(pid, command);
      grown = true;
    }
  }
  return found;
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited meanwhile.
  }
}

/** Records which processes exist, and fails a run that leaves others behind. */
export default function setup(): (() => Promise<void>) | undefined {
  // Only Linux lists them.
  if (process.platform !== 'linux') return undefined;
  // The same for every project of the run.
  const mark = String(process.pid);
  process.env[MARK] = mark;
  const seen = new Map<number, string>();
  const look = () => startedHere(process.pid, mark, seen);
  const before = look();
  const looking = setInterval(() => {
    for (const [pid, command] of look()) seen.set(pid, command);
  }, LOOK_BELOW_MS);
  looking.unref();
  const leftovers = () =>
    [...look()].filter(([pid, command]) => !before.has(pid) && !command.includes('vitest'));
  return async () => {
    clearInterval(looking);
    const until = performance.now() + ENDING_MS;
    while (leftovers().length > 0 && performance.now() < until) await pause(LOOK_AGAIN_MS);
    const left = leftovers();
    for (const [pid] of left) end(pid);
    if (left.length > 0) {
      throw new Error(`left running: ${left.map(([pid, command]) => `${pid} ${command}`).join('; ')}`);
    }
  };
}
