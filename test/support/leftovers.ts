import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** How long a process that was told to end may take, in milliseconds; only a failing run waits so long. */
const ENDING_MS = Number(process.env['TEST_ENDING_MS'] ?? 30_000);
const LOOK_AGAIN_MS = 50;

interface Running {
  readonly parent: number;
  readonly group: number;
  readonly command: string;
}

/** Every process of this machine that still runs, by its id. */
function running(): ReadonlyMap<number, Running> {
  const found = new Map<number, Running>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const [, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      // One that is ending has none.
      if (command !== '') found.set(Number(entry), { parent: Number(parent), group: Number(group), command });
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

/**
 * The programs that were started by this run: those below its own process, however deep, and those of its group whose
 * parent has ended before them.
 */
function startedHere(root: number): ReadonlyMap<number, string> {
  const all = running();
  const group = all.get(root)?.group;
  const found = new Map<number, string>();
  let grown = true;
  while (grown) {
    grown = false;
    for (const [pid, process] of all) {
      const isOrphan = process.group === group && process.parent === 1;
      if (
        found.has(pid) ||
        pid === root ||
        !(process.parent === root || found.has(process.parent) || isOrphan)
      )
        continue;
      found.set(pid, process.command);
      grown = true;
    }
  }
  return found;
}

/** Remembers which processes there were, and fails a run that leaves others behind. */
export default function setup(): (() => Promise<void>) | undefined {
  // Only Linux shows them.
  if (process.platform !== 'linux') return undefined;
  const before = startedHere(process.pid);
  const leftovers = () =>
    [...startedHere(process.pid)].filter(([pid, command]) => !before.has(pid) && !command.includes('vitest'));
  return async () => {
    const end = performance.now() + ENDING_MS;
    while (leftovers().length > 0 && performance.now() < end) await pause(LOOK_AGAIN_MS);
    const left = leftovers();
    for (const [pid] of left) process.kill(pid, 'SIGKILL');
    if (left.length > 0) {
      throw new Error(`left running: ${left.map(([pid, command]) => `${pid} ${command}`).join('; ')}`);
    }
  };
}
