import { readdirSync, readFileSync } from 'node:fs';

/** The programs under the workers of this run, however deep, by process id. */
function descendants(root: number): Map<number, string> {
  const parents = new Map<number, { readonly parent: number; readonly command: string }>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state === 'Z') continue;
      const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      parents.set(Number(entry), { parent: Number(parent), command });
    } catch {
      // It has ended meanwhile.
    }
  }
  const found = new Map<number, string>();
  let grown = true;
  while (grown) {
    grown = false;
    for (const [pid, { parent, command }] of parents) {
      if (found.has(pid) || !(parent === root || found.has(parent))) continue;
      found.set(pid, command);
      grown = true;
    }
  }
  return found;
}

/** Remembers which processes there were, and fails a run that leaves others behind. */
export default function setup(): (() => void) | undefined {
  // Only Linux shows them.
  if (process.platform !== 'linux') return undefined;
  const before = descendants(process.pid);
  return () => {
    const left = [...descendants(process.pid)].filter(
      ([pid, command]) => !before.has(pid) && !command.includes('vitest'),
    );
    for (const [pid] of left) process.kill(pid, 'SIGKILL');
    if (left.length > 0) {
      throw new Error(`left running: ${left.map(([pid, command]) => `${pid} ${command}`).join('; ')}`);
    }
  };
}
