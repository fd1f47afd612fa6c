import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../src/catalog/day.ts';
import { REPOSITORY } from './image.ts';
import { KEY, newestSettledDay, startDemo, startPlatform } from './platform.ts';
import { createPrograms, written } from './programs.ts';
import { makeBlocks, startPrometheus } from './prometheus-server.ts';
import { requireTool } from './tools.ts';

const DAY_S = 86_400;

describe('the first hour', () => {
  const programs = createPrograms();

  test.runIf(requireTool('prometheus') && requireTool('promtool'))(
    "shows the backfilled history on a graph of the README's own queries",
    async () => {
      const readme = await readFile(join(REPOSITORY, 'README.md'), 'utf8');
      const block = /```promql\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
      const queries = block
        .split('\n')
        .map((line) => line.replace(/ +#.*$/, ''))
        .filter((line) => line.includes('daily'));
      expect(queries.length).toBeGreaterThan(1);

      const platform = await startPlatform(programs, ['--days=45']);
      const folder = programs.folder();
      const past = join(folder, 'past');
      await mkdir(past);
      const to = await newestSettledDay(platform.url);
      const end = Date.parse(to) / 1000;
      const backfill = programs.exporter(
        [
          'backfill',
          '--org=acme',
          `--from=${addDays(to, -32)}`,
          `--to=${to}`,
          `--output=${past}`,
          `--storage.path=${join(folder, 'h.db')}`,
        ],
        {
          AGENT_PLATFORM_API_BASE_URL: platform.url,
          AGENT_PLATFORM_API_KEY: KEY,
          AGENT_PLATFORM_API_REQUESTS_PER_SECOND: '200',
        },
      );
      expect(await backfill.ended, backfill.stderr()).toEqual({ code: 0, signal: null });
      const prometheus = await startPrometheus(programs, { tsdb: await makeBlocks(programs, past) });
      for (const query of queries) {
        const series = await prometheus.range(query, end - 28 * DAY_S, end, 3600);
        const times = new Set(series.flatMap(({ values }) => values.map(([second]) => second)));
        // A line through the month; only a day without any activity, which has no models, may be missing.
        expect(times.size, query).toBeGreaterThan(26 * 24);
      }
    },
  );

  test('continues from the sandbox with exactly the printed command, also in a checkout', async () => {
    const { program } = await startPlatform(programs);
    const line = /^ +(AGENT_PLATFORM_API_BASE_URL=.* serve)$/m.exec(program.stdout())?.[1] ?? '';
    const serve = programs.start('/bin/sh', ['-c', `exec env ${line} --web.listen-address=127.0.0.1:0`]);
    expect(await written(serve, 'stderr', /msg=(Serving) /)).toBe('Serving');
  });

  test('continues from the demo with exactly the printed command, also in a checkout', async () => {
    const { program } = await startDemo(programs);
    const line = /own organization: (.* serve --help)$/m.exec(program.stdout())?.[1] ?? '';
    const help = await programs.run('/bin/sh', ['-c', line]);
    expect([help.code, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toContain('--web.listen-address');
  });

  test('lets a backfill run while a serve is running', async () => {
    const platform = await startPlatform(programs, ['--days=5']);
    const store = join(programs.folder(), 'history.db');
    const environment = {
      AGENT_PLATFORM_API_BASE_URL: platform.url,
      AGENT_PLATFORM_API_KEY: KEY,
      AGENT_PLATFORM_API_REQUESTS_PER_SECOND: '200',
      AGENT_PLATFORM_STORAGE_PATH: store,
    };
    const serve = programs.exporter(['serve', '--web.listen-address=127.0.0.1:0'], environment);
    await written(serve, 'stderr', /msg=(Serving) /);
    const backfill = programs.exporter(
      ['backfill', `--output=${join(programs.folder(), 'past')}`],
      environment,
    );
    await backfill.ended;
    expect(backfill.stderr()).not.toMatch(/level=(?:warn|error)/);
    expect(backfill.stdout()).toMatch(/^\d+ samples of /);
  });
});
