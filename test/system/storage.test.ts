import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { KEY, pageOf, settledPage, startPlatform, startServe } from './platform.ts';
import { createPrograms, type Program, written } from './programs.ts';
import { requireTool } from './tools.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const PERSISTENT = 'agent_platform_exporter_history_persistent';
const DEGRADED = 'The store cannot be used';

const programs = createPrograms();

/** `serve` started by another program, such as one that limits it. */
async function startServeBy(
  starter: readonly string[],
  platform: string,
  args: readonly string[],
): Promise<{ readonly program: Program; readonly url: string }> {
  const [command = '', ...before] = starter;
  const program = programs.start(
    command,
    [...before, process.execPath, MAIN, 'serve', '--web.listen-address=127.0.0.1:0', ...args],
    {
      environment: {
        AGENT_PLATFORM_API_BASE_URL: platform,
        AGENT_PLATFORM_API_KEY: KEY,
        AGENT_PLATFORM_ORG: 'acme',
        AGENT_PLATFORM_API_REQUESTS_PER_SECOND: '200',
        AGENT_PLATFORM_WEB_ENABLE_LIFECYCLE: 'true',
      },
    },
  );
  const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
  return { program, url: `http://127.0.0.1:${port}` };
}

function timesDegraded(program: Program): number {
  return program.stderr().split(DEGRADED).length - 1;
}

describe('a file that must not grow', () => {
  test.runIf(requireTool('prlimit'))(
    'stops what is new, and all of it is stored once it may grow',
    async () => {
      const platform = await startPlatform(programs);
      const file = join(programs.folder(), 'history.db');
      const pid = join(programs.folder(), 'pid');
      const limited = ['sh', '-c', 'echo $$ > "$0"; exec prlimit --fsize=300000:unlimited -- "$@"', pid];
      const { program, url } = await startServeBy(limited, platform.url, [`--storage.path=${file}`]);
      await waitFor(async () => expect((await pageOf(url)).value(PERSISTENT)).toBe(0));
      expect(timesDegraded(program)).toBeGreaterThan(0);
      await waitFor(async () =>
        expect(await (await fetch(`${url}/status`)).json()).toMatchObject({ storeUp: false }),
      );
      const id = readFileSync(pid, 'utf8').trim();
      await programs.run('prlimit', [`--pid=${id}`, '--fsize=unlimited:unlimited']);
      const before = await settledPage(url);
      expect(before.value(PERSISTENT)).toBe(1);
      program.send('SIGTERM');
      expect(await program.ended).toEqual({ code: 0, signal: null });
      expect(program.stderr()).toContain('The store can be used again');
      platform.program.send('SIGTERM');
      await platform.program.ended;
      const second = await startServe(programs, platform.url, [`--storage.path=${file}`, '--api.retries=0']);
      await waitFor(async () => {
        expect((await pageOf(second.url)).platform()).toEqual(before.platform());
      });
    },
  );
});

describe('a directory that must not be written', () => {
  const isRoot = process.getuid?.() === 0;
  // Root may write anything, so it has to change to another user first.
  const starter = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : ['env'];

  test.runIf(requireTool(starter[0] ?? ''))(
    'is left as it is, and the exporter says so and is not ready',
    async () => {
      const platform = await startPlatform(programs);
      const folder = programs.folder();
      const file = join(folder, 'history.db');
      const first = await startServe(programs, platform.url, [`--storage.path=${file}`]);
      await settledPage(first.url);
      first.program.send('SIGTERM');
      await first.program.ended;
      platform.program.send('SIGTERM');
      await platform.program.ended;
      chmodSync(file, 0o444);
      chmodSync(folder, 0o555);
      const { mtimeMs } = statSync(file);
      const args = [`--storage.path=${file}`, '--api.retries=0'];
      const { program, url } = await startServeBy(starter, platform.url, args);
      await waitFor(async () => expect((await pageOf(url)).value(PERSISTENT)).toBe(0));
      expect((await fetch(`${url}/-/ready`)).status).toBe(503);
      expect(program.stderr()).toContain('reason=read-only');
      expect(statSync(file).mtimeMs).toBe(mtimeMs);
      chmodSync(folder, 0o755);
    },
  );
});
