import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Built } from '../build.ts';
import { startChild } from '../child.ts';
import { freePort } from '../programs.ts';
import { median, ratiosOf, type Spread } from '../report/statistics.ts';

/** The variants that are measured. */
export interface Hooks<Figure> {
  /** `node -e 0`. */
  readonly node: Figure;
  /** The hook with a reachable exporter. */
  readonly forwarding: Figure;
  /** The same with the single executable. */
  readonly bundled: Figure;
  /** The hook with an unreachable exporter, so that events are spooled to disk. */
  readonly down: Figure;
  /** The same request with curl. */
  readonly curl: Figure;
}

/** A variant, from the start of the process to its exit. */
export interface HookFigures {
  /** The median. */
  readonly milliseconds: number;
  /** The time relative to that of other variants in the same round. */
  readonly againstNode: Spread;
  readonly againstCurl: Spread;
}

export type HookResult = Hooks<HookFigures>;

const EVENT = JSON.stringify({
  hook_event_name: 'PostToolUse',
  session_id: '00000000-0000-0000-0000-000000000000',
  cwd: '/home/somebody/work',
  tool_name: 'Read',
});

/** Runs each in turn, the given number of times, after a round that fills caches. */
export async function measureHook(
  { bench, program }: Built,
  executable: string,
  times: number,
): Promise<HookResult> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  const listener = await startChild(bench, 'servers/hook-listener.js');
  try {
    const up = `http://127.0.0.1:${listener.port}`;
    const down = `http://127.0.0.1:${await freePort()}`;
    const commands = {
      node: [process.execPath, '-e', '0'],
      forwarding: hookCommand([process.execPath, program], folder, 'up', up),
      bundled: hookCommand([executable], folder, 'bundled', up),
      down: hookCommand([process.execPath, program], folder, 'down', down),
      curl: ['curl', ...curlArguments(`${up}/hooks/events`)],
    };
    for (const command of Object.values(commands)) timeRun(folder, command);
    const rounds: readonly Hooks<number>[] = Array.from({ length: times }, () => ({
      node: timeRun(folder, commands.node),
      forwarding: timeRun(folder, commands.forwarding),
      bundled: timeRun(folder, commands.bundled),
      down: timeRun(folder, commands.down),
      curl: timeRun(folder, commands.curl),
    }));
    const timesOf = (variant: keyof HookResult) => rounds.map((round) => round[variant]);
    const of = (variant: keyof HookResult): HookFigures => ({
      milliseconds: median(timesOf(variant)),
      againstNode: ratiosOf(timesOf(variant), timesOf('node')),
      againstCurl: ratiosOf(timesOf(variant), timesOf('curl')),
    });
    return {
      node: of('node'),
      forwarding: of('forwarding'),
      bundled: of('bundled'),
      down: of('down'),
      curl: of('curl'),
    };
  } finally {
    await listener.stop();
    rmSync(folder, { recursive: true });
  }
}

function hookCommand(
  program: readonly string[],
  folder: string,
  name: string,
  url: string,
): readonly string[] {
  const settings = path.join(folder, `${name}.yaml`);
  writeFileSync(settings, `forward: {url: "${url}", token_env: HOOK_TOKEN}\n`);
  return [...program, 'hook', `--config=${settings}`];
}

function curlArguments(url: string): readonly string[] {
  const headers = ['Authorization: Bearer bench', 'Content-Type: application/json'];
  return [
    '-s',
    '-o',
    '/dev/null',
    ...headers.flatMap((header) => ['-H', header]),
    '--data-binary',
    '@-',
    url,
  ];
}

function timeRun(folder: string, [command = '', ...args]: readonly string[]): number {
  const startedAt = performance.now();
  const { status } = spawnSync(command, args, {
    input: EVENT,
    env: { PATH: process.env['PATH'], HOME: folder, HOOK_TOKEN: 'bench' },
  });
  const took = performance.now() - startedAt;
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
  return took;
}
