import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** By what is in the environment of a program one can see that this run started it, even where its parent has ended. */
const MARK = 'TEST_RUN';
/** Programs with an environment of their own are known by having been seen below this run, so often looked for. */
const LOOK_BELOW_MS = 1_000;

/** How long a process that was told to end may take, in milliseconds; only a failing run waits so long. */
const ENDING_MS = Number(process.env['TEST_ENDING_MS'] ?? 30_000);
const LOOK_AGAIN_MS = 50;

interface Running {
  readonly parent: number;
  readonly command: string;
}

/** Every process of this machine that still runs, by its id. */
function running(): ReadonlyMap<number, Running> {
  const found = new Map<number, Running>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      // One that is ending has none.
      if (command !== '') found.set(Number(entry), { parent: Number(parent), command });
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
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
 * The programs that were started by this run: those below its own process, however deep, and those that belong to nobody
 * since their parent has ended, if they have its mark or were seen below it before. Others of this machine that lost
 * their parent meanwhile are none of them.
 */
function startedHere(root: number, mark: string, seen: ReadonlyMap<number, string>): Map<number, string> {
  const all = running();
  const found = new Map<number, string>();
  let grown = true;
  while (grown) {
    grown = false;
    for (const [pid, { parent, command }] of all) {
      if (found.has(pid) || pid === root) continue;
      const isOrphan = parent === 1 && (seen.get(pid) === command || hasMark(pid, mark));
      if (!(parent === root || found.has(parent) || isOrphan)) continue;
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
    // It has ended meanwhile.
  }
}

/** Remembers which processes there were, and fails a run that leaves others behind. */
export default function setup(): (() => Promise<void>) | undefined {
  // Only Linux shows them.
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
