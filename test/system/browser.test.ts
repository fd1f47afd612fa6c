import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { indexOf500, pageOfTeams, reportOfMillions, startGallery } from './gallery.ts';
import { settledDemo, startDemo, startPlatform, startServe } from './platform.ts';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

const QUIET = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  ...['--enable-logging=stderr', '--v=0'],
];

describe.runIf(requireTool('chromium'))('the status page in a browser', () => {
  const programs = createPrograms();
  let url = '';

  beforeAll(async () => {
    ({ url } = await startDemo(programs));
    await settledDemo(url);
    expect(await (await fetch(url)).text()).toContain('All collectors succeed');
  });

  async function chromium(args: readonly string[]) {
    const profile = `--user-data-dir=${join(programs.folder(), 'profile')}`;
    const { code, stdout, stderr } = await programs.run('chromium', [...QUIET, profile, ...args]);
    expect(code).toBe(0);
    return { stdout, console: stderr.split('\n').filter((line) => line.includes('CONSOLE')) };
  }

  test('shows organization, collectors and their states, without console errors', async () => {
    const { stdout, console } = await chromium(['--dump-dom', url]);
    expect(console).toEqual([]);
    expect(stdout).toContain('acme');
    for (const collector of ['tokens', 'tools', 'activity', 'productivity', 'readiness', 'wiki']) {
      expect(stdout).toContain(collector);
    }
    expect(stdout).toMatch(/simulated/i);
    expect(stdout.match(/>OK</g)?.length ?? stdout.match(/\bOK\b/g)?.length).toBeGreaterThanOrEqual(6);
  });

  test('can be rendered', async () => {
    const file = join(programs.folder(), 'status.png');
    await chromium([`--screenshot=${file}`, '--window-size=1280,900', url]);
    expect((await stat(file)).size).toBeGreaterThan(20_000);
  });

  test.each(['light', 'dark'] as const)(
    'has no fault of accessibility and fits from 360 px to 4K, with 3 and with 500 organizations, with teams, and in a report (%s)',
    async (scheme) => {
      const one = await (await fetch(url)).text();
      const { origin, close } = await startGallery([
        ...[360, 1280, 3840].map((width) => ({ width, page: one })),
        ...[360, 1280].map((width) => ({ width, page: indexOf500() })),
        ...[360, 800].map((width) => ({ width, page: pageOfTeams() })),
        { width: 360, page: reportOfMillions() },
      ]);
      onTestFinished(close);
      const { stdout } = await chromium([
        `--blink-settings=preferredColorScheme=${scheme === 'dark' ? 0 : 1}`,
        ...['--virtual-time-budget=600000', '--dump-dom', origin],
      ]);
      const found = JSON.parse(/<pre id="found">(.*?)<\/pre>/s.exec(stdout)?.[1] ?? 'null');
      const clean = { violations: [], contrast: true, overflow: 0, scheme };
      // Those of the demo vary with the day.
      const some = expect.toSatisfy((bars: number) => bars >= 6);
      expect(found).toEqual([
        { width: 360, bars: some, ...clean },
        { width: 1280, bars: some, ...clean },
        { width: 3840, bars: some, ...clean },
        { width: 360, bars: 500, ...clean },
        { width: 1280, bars: 500, ...clean },
        { width: 360, bars: 3, ...clean },
        { width: 800, bars: 3, ...clean },
        { width: 360, bars: 0, ...clean },
      ]);
    },
  );

  test('shows what fails, why, and what to do', async () => {
    const platform = await startPlatform(programs, ['--fault=401@tokens']);
    const serve = await startServe(programs, platform.url, ['--api.retries=0']);
    await waitFor(async () =>
      expect(await (await fetch(serve.url)).text()).toMatch(/1 of 7 collectors fails/),
    );
    const { stdout, console } = await chromium(['--dump-dom', serve.url]);
    expect(console).toEqual([]);
    expect(stdout).toContain('rejects the API key');
    expect(stdout).not.toMatch(/simulated/i);
  });
});
