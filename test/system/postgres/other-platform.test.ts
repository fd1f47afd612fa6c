import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPage } from '../../e2e/page.ts';
import { createNoonClock } from '../../e2e/program.ts';
import { OTHER_KEY, startOtherPlatform } from '../../support/other-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { createPrograms, written } from '../programs.ts';
import { usePostgres } from './server.ts';

const server = usePostgres();
const programs = createPrograms();
const LIST = new URL('../../support/with-other-platform.ts', import.meta.url).href;

test('two replicas show what a platform with three datasets has, whichever of them polls', async () => {
  const { now, nodeArguments } = createNoonClock();
  const url = await startOtherPlatform(now);
  const file = join(programs.folder(), 'c.yml');
  writeFileSync(
    file,
    `orgs: [{name: octo, platform: other, account: octo, base_url: "${url}", api_key_env: KEY}]
history: {start: 2026-09-20}\napi: {requests_per_second: 1000}\n`,
  );
  const environment = {
    KEY: OTHER_KEY,
    AGENT_PLATFORM_STORAGE_URL: await server.database(),
    NODE_OPTIONS: [...nodeArguments, `--import=${LIST}`].join(' '),
  };
  async function start() {
    const args = ['serve', `--config.file=${file}`, '--web.listen-address=127.0.0.1:0'];
    const program = programs.exporter(args, environment);
    const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
    const page = async () => readPage(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    return { program, page };
  }
  const figures = async ({ page }: Awaited<ReturnType<typeof start>>) => (await page()).platform('octo');

  const first = await start();
  const isWhole = async () => {
    const page = await first.page();
    expect(page.value('agent_platform_history_uncovered', { dataset: 'productivity' })).toBe(0);
    expect(page.value('agent_platform_cost_month_forecast', { currency: 'USD' })).toBeGreaterThan(0);
  };
  await waitFor(isWhole);
  const second = await start();
  const shown = await figures(first);
  expect(shown).toContain(
    'agent_platform_org_info{org="octo",org_id="other:127.0.0.1:octo",platform="other"} 1',
  );
  expect(shown.filter((line) => /readiness|wiki|dataset="(users|tools)"|credits/.test(line))).toEqual([]);
  await waitFor(async () => expect(await figures(second)).toEqual(shown));

  first.program.send('SIGTERM');
  await first.program.ended;
  await waitFor(async () => expect((await second.page()).value('agent_platform_exporter_leader')).toBe(1));
  expect(await figures(second)).toEqual(shown);
});
