import { readdirSync, readFileSync } from 'node:fs';

/** The parent of every process of this machine, by id. */
export function parents(): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      found.set(Number(entry), Number(parent));
    } catch {
      // It has exited meanwhile.
    }
  }
  return found;
}

/**
 * The time that the threads of a process, and of all below it, have run or waited for a processor, in milliseconds by thread.
 * Undefined where the system does not report it.
 */
export function demandBelow(root: number): ReadonlyMap<string, number> | undefined {
  const demand = new Map<string, number>();
  try {
    const all = parents();
    for (const pid of all.keys()) {
      if (!isBelow(pid, root, all)) continue;
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')
          .split(' ')
          .map(Number);
        demand.set(thread, (ran + waited) / 1e6);
      }
    }
  } catch {
    return undefined;
  }
  return demand;
}

function isBelow(pid: number, root: number, all: ReadonlyMap<number, number>): boolean {
  for (let at: number | undefined = pid; at !== undefined; at = all.get(at)) if (at === root) return true;
  return false;
}
