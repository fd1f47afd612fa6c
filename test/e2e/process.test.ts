import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { COMPILE_CACHE } from '../support/compile-cache.ts';

const bin = fileURLToPath(new URL('../../bin/agent-platform-exporter.js', import.meta.url));
const run = promisify(execFile);

/** The result of the real program with a command line. */
async function exporter(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  try {
    return {
      code: 0,
      ...(await run(process.execPath, [bin, ...args], { env: { ...COMPILE_CACHE, ...env } })),
    };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

describe('the program', () => {
  test('prints its version', async () => {
    const { code, stdout } = await exporter(['--version']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^agent-platform-exporter \d+\.\d+\.\d+\S* \(node \d+\./);
  });

  // Only Linux has a device that is always full.
  test.skipIf(!existsSync('/dev/full'))('says in one line that its output has no space left', async () => {
    const full = await open('/dev/full', 'w');
    const child = spawn(process.execPath, [bin, '--version'], { stdio: ['ignore', full.fd, 'pipe'] });
    const [stderr, [code]] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'exit')]);
    await full.close();
    expect(stderr).toMatch(/^agent-platform-exporter: cannot write to standard output: ENOSPC.*\n$/);
    expect(code).toBe(1);
  });

  test('exits with 2 and names the two alternatives if it has nothing to poll', async () => {
    const { code, stdout, stderr } = await exporter(['serve']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('AGENT_PLATFORM_API_KEY');
    expect(stderr).toContain('agent-platform-exporter demo');
  });

  describe.skipIf(process.platform === 'win32')('signalled before it is loaded', () => {
    /** The end of a command that signals itself once it has begun, and what it wrote. */
    async function signalled(signal: NodeJS.Signals, command: string) {
      const script = `process.argv.splice(1, 0, ''); require(${JSON.stringify(bin)}); process.kill(process.pid, '${signal}')`;
      const child = spawn(process.execPath, ['-e', script, command], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: COMPILE_CACHE,
      });
      const [stderr, ending] = await Promise.all([
        child.stderr ? text(child.stderr) : '',
        once(child, 'exit'),
      ]);
      return { stderr, ending };
    }

    test('is not ended by a reload', async () => {
      expect((await signalled('SIGHUP', 'serve')).ending).toEqual([2, null]);
    });

    test.each(['serve', 'once', 'check-config'])('%s opens no debugger', async (command) => {
      const { stderr, ending } = await signalled('SIGUSR1', command);
      expect(ending).toEqual([2, null]);
      expect(stderr).not.toMatch(/debugger|inspector/i);
    });
  });

  test('reads the environment', async () => {
    const { code, stderr } = await exporter(['check-config'], { AGENT_PLATFORM_LOG_LEVL: 'debug' });
    expect(code).toBe(2);
    expect(stderr).toBe(
      'agent-platform-exporter: unknown environment variable AGENT_PLATFORM_LOG_LEVL\n  did you mean AGENT_PLATFORM_LOG_LEVEL?\n',
    );
  });

  test('takes the flags of serve for once, which leaves its store alone', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'exporter-once-'));
    const { code, stderr } = await exporter(
      ['once', '--api.retries=0', `--storage.path=${join(directory, 'history.db')}`],
      { AGENT_PLATFORM_API_BASE_URL: 'http://127.0.0.1:1/api', AGENT_PLATFORM_API_KEY: 'not-a-key' },
    );
    expect(code).toBe(1);
    expect(stderr).toContain('connection refused');
    // The service, which `serve` starts too, notes an address that no request would find.
    expect(stderr).toMatch(/level=warn .*base_url has the path of the API already.*hint="leave out \/api"/);
    expect(await readdir(directory)).toEqual([]);
    await rm(directory, { recursive: true });
  });

  test('exits with 2 if the proxy is invalid, and does not keep listening', async () => {
    const { code, stderr } = await exporter(
      ['serve', '--web.listen-address=127.0.0.1:0', '--storage.path=:memory:'],
      {
        HTTP_PROXY: 'http://[',
        AGENT_PLATFORM_API_BASE_URL: 'http://platform.example',
        AGENT_PLATFORM_API_KEY: 'not-a-key',
      },
    );
    expect(code).toBe(2);
    expect(stderr).toContain('HTTP_PROXY is not a URL');
  });

  test('check-config exits with 2 if the proxy is invalid, and does not repeat it', async () => {
    const { code, stdout, stderr } = await exporter(['check-config'], {
      https_proxy: 'socks5://user:secret@proxy:1080',
      AGENT_PLATFORM_API_BASE_URL: 'https://platform.example',
      AGENT_PLATFORM_API_KEY: 'not-a-key',
    });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      'agent-platform-exporter: HTTPS_PROXY must begin with http:// or https://\n  Other kinds of proxies are not supported.\n',
    );
  });

  test('a demo that cannot start exits with 2 as well', async () => {
    const { code, stderr } = await exporter(['demo', '--web.listen-address=127.0.0.1:0'], {
      HTTP_PROXY: 'http://[',
    });
    expect(code).toBe(2);
    expect(stderr).toContain('HTTP_PROXY is not a URL');
  });

  test('reports a Node that is too old', async () => {
    // The file checks the version first; this simulates an old Node.
    const pretend = `Object.defineProperty(process, 'versions', {value: {node: '20.1.0'}}); await import(${JSON.stringify(bin)});`;
    const { stderr } = await run(process.execPath, [
      '--input-type=module',
      '--eval',
      `${pretend} process.exitCode -= 2;`,
    ]);
    expect(stderr).toMatch(/^agent-platform-exporter: needs Node.js 24 or newer, but this is 20\.1\.0\n/);
  });
});
