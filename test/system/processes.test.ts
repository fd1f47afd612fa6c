import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { readPage } from '../e2e/page.ts';
import { waitFor } from '../support/wait-for.ts';
import { KEY, startPlatform, startServe } from './platform.ts';
import { createPrograms } from './programs.ts';

const programs = createPrograms();

async function readyAt(url: string): Promise<void> {
  await waitFor(async () => expect((await fetch(`${url}/-/ready`)).status).toBe(200));
}

describe('SIGTERM ends serve with 0', () => {
  test('at rest', async () => {
    const platform = await startPlatform(programs);
    const { program, url } = await startServe(programs, platform.url);
    await readyAt(url);
    program.send('SIGTERM');
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.stderr()).toContain('msg=Stopping');
  });

  test('while it polls a platform that does not answer', async () => {
    const platform = await startPlatform(programs, ['--fault=slow=1:600000']);
    const { program, url } = await startServe(programs, platform.url);
    expect((await fetch(`${url}/-/ready`)).status).toBe(503);
    program.send('SIGTERM');
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.stderr()).not.toMatch(/level=error|unhandled/i);
  });

  test('while a client keeps sending requests, and reads nothing', async () => {
    const platform = await startPlatform(programs);
    const { program, url } = await startServe(programs, platform.url);
    await readyAt(url);
    const { hostname, port } = new URL(url);
    const client = connect({ host: hostname, port: Number(port) });
    client.on('error', () => undefined);
    client.write('GET /metrics HTTP/1.1\r\nHost: exporter\r\n\r\n'.repeat(500));
    await once(client, 'readable');
    // Others are served meanwhile, until the buffers between the server and this client are full.
    for (let scrape = 0; scrape < 30; scrape++) {
      expect(await (await fetch(`${url}/metrics`)).text()).toContain('process_start_time_seconds');
    }
    program.send('SIGTERM');
    expect(await program.ended).toEqual({ code: 0, signal: null });
    client.destroy();
  });
});

describe('serve without an organization', () => {
  test('exits with 2, names the two alternatives and shows nothing simulated', async () => {
    const program = programs.exporter(['serve', '--web.listen-address=127.0.0.1:0']);
    expect(await program.ended).toEqual({ code: 2, signal: null });
    expect(program.stdout()).toBe('');
    expect(program.stderr()).toMatch(/AGENT_PLATFORM_API_KEY/);
    expect(program.stderr()).toMatch(/agent-platform-exporter demo/);
    expect(program.stderr()).not.toMatch(/level=|^\s+at /m);
  });
});

describe('once', () => {
  function runOnce(url: string, key: string) {
    return programs.exporter(['once'], {
      AGENT_PLATFORM_API_BASE_URL: url,
      AGENT_PLATFORM_API_KEY: key,
      AGENT_PLATFORM_API_REQUESTS_PER_SECOND: '200',
    });
  }

  test('prints the whole page and ends with 0', async () => {
    const platform = await startPlatform(programs);
    const program = runOnce(platform.url, KEY);
    expect(await program.ended).toEqual({ code: 0, signal: null });
    const page = readPage(program.stdout());
    // Nobody may have worked on the newest day.
    expect(page.value('agent_platform_daily_credits', { org: 'default' })).toBeDefined();
    expect(page.value('agent_platform_exporter_collector_success', { collector: 'wiki' })).toBe(1);
    expect(page.find('agent_platform_readiness_ratio')).toHaveLength(12);
  });

  test('exits with 1 if the key is wrong, and says so without repeating it', async () => {
    const platform = await startPlatform(programs);
    const program = runOnce(platform.url, 'sandbox-acme-mistyped');
    expect(await program.ended).toEqual({ code: 1, signal: null });
    expect(program.stderr()).toMatch(/level=error .*401/);
    expect(program.stderr()).toMatch(/^failed: .*default\/tokens/m);
    expect(program.stderr() + program.stdout()).not.toContain('mistyped');
    expect(
      readPage(program.stdout()).value('agent_platform_exporter_collector_success', { collector: 'wiki' }),
    ).toBe(0);
  });
});
