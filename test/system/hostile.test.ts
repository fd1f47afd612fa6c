import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Page, readPage } from '../e2e/page.ts';
import { waitFor } from '../support/wait-for.ts';
import { startFaultyPlatform } from './platform.ts';
import { createPrograms, written } from './programs.ts';

const MEBIBYTE = 1024 * 1024;
const ROUNDS = 6;

/** The attack of each organization's platform; the first one is harmless. */
const FAULTS: Readonly<Record<string, readonly string[]>> = {
  acme: [],
  globex: ['gzip-bomb=1073741824'],
  initech: ['endless-body=1073741824@tokens', 'many-names=20000@tools', 'long-names=100000@productivity'],
  umbrella: ['deep-json=100000@tokens', 'odd-keys', 'endless-pages@readiness'],
  hooli: ['slow-body=20@tokens', 'redirect-loop@tools', 'big-headers=100000@activity', 'close=0.5@wiki'],
};

/** Organizations whose tokens cannot be fetched; of deeply nested rows, each is rejected by itself. */
const FAILING_TOKENS = ['globex', 'hooli', 'initech'];

const programs = createPrograms();

test('memory and handles are bounded whatever the platform sends, and healthy platforms are unaffected', async () => {
  const platform = await startFaultyPlatform(programs, [
    ...[`--orgs=${Object.keys(FAULTS).length}`, '--users=10', '--repos=3', '--days=60'],
    ...Object.entries(FAULTS).flatMap(([org, faults]) =>
      faults.map((fault) => `--fault=${fault}@org=${org}`),
    ),
  ]);
  const folder = programs.folder();
  const orgs = await Promise.all(
    Object.keys(FAULTS).map(async (name) => {
      await writeFile(join(folder, name), `sandbox-${name}-owner`);
      return `  - {name: ${name}, base_url: "${platform}", api_key_file: ${name}}`;
    }),
  );
  const config = join(folder, 'exporter.yml');
  await writeFile(
    config,
    `orgs:\n${orgs.join('\n')}\napi: {requests_per_second: 50, timeout: 2s, retries: 1, max_response_bytes: 16MiB}\n`,
  );
  const program = programs.exporter([
    ...['serve', '--web.listen-address=127.0.0.1:0', `--config.file=${config}`],
    ...['--web.enable-lifecycle', '--history.start=2026-06-01'],
  ]);
  const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
  const url = `http://127.0.0.1:${port}`;
  const page = async (): Promise<Page> => readPage(await (await fetch(`${url}/metrics`)).text());
  const refresh = () => fetch(`${url}/-/refresh`, { method: 'POST' });
  /** The success of the harmless platform's collectors; they run again where a busy machine took longer than the timeout. */
  async function harmless(now: Page): Promise<readonly number[]> {
    const success = Object.values(
      now.by('collector', 'agent_platform_exporter_collector_success', { org: 'acme' }),
    );
    if (success.includes(0)) await refresh();
    return success;
  }
  const sizes: { rss: number; handles: number }[] = [];

  for (let round = 0; round < ROUNDS; round++) {
    const before = (await page()).value('agent_platform_exporter_api_requests_total', {
      ...{ org: 'acme', endpoint: 'tokens', code: '200' },
    });
    await refresh();
    const after = await waitFor(async () => {
      const now = await page();
      await harmless(now);
      const asked = now.value('agent_platform_exporter_api_requests_total', {
        ...{ org: 'acme', endpoint: 'tokens', code: '200' },
      });
      expect(asked).toBeGreaterThan(before ?? 0);
      // The endless listing continues meanwhile; all others have been answered.
      const runs = Object.keys(
        now.by('org', 'agent_platform_exporter_collector_success', { collector: 'tokens' }),
      );
      expect(runs).toHaveLength(Object.keys(FAULTS).length);
      return now;
    });
    sizes.push({
      rss: after.value('process_resident_memory_bytes') ?? Number.NaN,
      handles: after.value('process_open_fds') ?? Number.NaN,
    });
  }

  for (const { rss, handles } of sizes) {
    expect(rss).toBeLessThan(900 * MEBIBYTE);
    expect(handles).toBeLessThan(120);
  }
  const failing = await waitFor(async () => {
    const now = await page();
    expect(await harmless(now)).toEqual([1, 1, 1, 1, 1, 1]);
    const found = now
      .find('agent_platform_exporter_collector_failing', { collector: 'tokens' })
      .filter(({ value }) => Number(value) === 1);
    const orgs = found.map(({ labels }) => String(labels.get('org'))).toSorted();
    // The nested rows, too, may have taken longer than the timeout.
    if (orgs.length > FAILING_TOKENS.length) await refresh();
    expect(orgs).toEqual(FAILING_TOKENS);
    return found;
  });
  expect(program.ending()).toBeUndefined();
  // On a slow machine, a bomb reaches the timeout before the limit.
  const known = new Set(failing.map(({ labels }) => String(labels.get('reason'))));
  expect([...known].filter((reason) => !['limit', 'schema', 'timeout'].includes(reason))).toEqual([]);
  expect(program.stderr()).not.toMatch(/level=error/);
});
