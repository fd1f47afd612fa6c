import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { startChild } from '../child.ts';
import { median } from '../statistics.ts';
import type { Case, CaseContext } from './case.ts';

const EVENT = {
  hook_event_name: 'PostToolUse',
  session_id: '00000000-0000-0000-0000-000000000000',
  cwd: '/home/somebody/work',
  tool_name: 'Read',
};

/** The command that an agent waits for, from its start to its end. */
export function hookCase(times: number, runs: number): Case {
  return {
    name: 'hook',
    what: `\`hook\` with cached settings and no rules, forwarding an event to this machine, against \`node -e 0\`; from start to end, ${times} of each in turn.`,
    runs,
    measure: (context) => measure(context, times),
  };
}

async function measure({ checkout, record, folder }: CaseContext, times: number): Promise<void> {
  const accepted = { status: 202, body: '{"accepted":1,"duplicates":0,"rejected":0}' };
  const listener = await startChild('servers/discard.ts', accepted);
  try {
    const settings = path.join(folder, 'hook.yaml');
    writeFileSync(settings, `forward: {url: "http://127.0.0.1:${listener.port}", token_env: HOOK_TOKEN}\n`);
    const hook = [checkout.program, 'hook', `--config=${settings}`];
    // Fills caches.
    timeRun(folder, hook);
    const pairs = Array.from({ length: times }, () => ({
      hook: timeRun(folder, hook),
      node: timeRun(folder, ['-e', '0']),
    }));
    record('a forwarded event', 'ms', median(pairs.map((pair) => pair.hook)));
    record('against node -e 0', '×', median(pairs.map((pair) => pair.hook / pair.node)), { atMost: 2 });
  } finally {
    await listener.stop();
  }
}

function timeRun(folder: string, args: readonly string[]): number {
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, args, {
    // An equal event would be taken for the one before, and not be forwarded.
    input: JSON.stringify({ ...EVENT, tool_use_id: startedAt }),
    env: { PATH: process.env['PATH'], HOME: folder, HOOK_TOKEN: 'bench' },
  });
  const took = performance.now() - startedAt;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  return took;
}
