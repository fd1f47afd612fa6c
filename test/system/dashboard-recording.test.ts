import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readDashboards } from '../../scripts/dashboards/dashboard.ts';
import { chosen, DAY_S, type Form, formQuery } from './dashboard-queries.ts';
import { plantedOpenMetrics, type ShownDay } from './planted.ts';
import { createPrograms } from './programs.ts';
import { makeBlocks, type PrometheusServer, recordBlocks, startPrometheus } from './prometheus-server.ts';
import { requireTool } from './tools.ts';

const DAYS = 10;
/** Recording begins in the middle of the range. */
const BEGAN = 6;

const SHOWN: readonly ShownDay[] = ['acme', 'globex'].flatMap((org) =>
  Array.from({ length: DAYS }, (_, day) => ({
    org,
    day,
    at: { from: (day + 1) * 24 + 5, until: (day + 2) * 24 + 5 },
  })),
);

const dashboard = readDashboards().find(({ file }) => file === 'credits.json')?.dashboard;

describe.runIf(requireTool('prometheus') && requireTool('promtool'))('the recorded series', () => {
  const programs = createPrograms();
  const today = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;
  const first = today - 40 * DAY_S;
  const now = first + (DAYS + 1) * DAY_S;
  const servers = new Map<string, PrometheusServer>();

  function server(name: string): PrometheusServer {
    const found = servers.get(name);
    if (found === undefined) throw new Error(`no server ${name}`);
    return found;
  }

  /** The value that Grafana gives to a hidden variable. */
  async function valueOfVariable(of: PrometheusServer, name: Form): Promise<string | undefined> {
    const answered = await of.instant(chosen(formQuery(name), `${DAYS + 1}d`), now);
    expect(answered).toHaveLength(1);
    return answered[0]?.labels['form'];
  }

  async function annotated(of: PrometheusServer): Promise<readonly number[]> {
    const expr = dashboard?.annotations?.list.find(({ name }) => name === 'Recording began')?.expr ?? '';
    const answered = await of.range(chosen(expr, `${DAYS + 1}d`), now - DAYS * DAY_S, now, DAY_S);
    return [...new Set(answered.flatMap(({ values }) => values.map(([, value]) => value / 1000)))];
  }

  beforeAll(async () => {
    const folder = join(programs.folder(), 'out');
    await mkdir(folder);
    await writeFile(join(folder, 'planted.om'), plantedOpenMetrics(first, SHOWN));
    const tsdb = await makeBlocks(programs, folder);
    for (const [name, from] of [
      ['without rules', undefined],
      ['with rules', first],
      ['with rules since then', first + BEGAN * DAY_S],
    ] as const) {
      const copy = join(programs.folder(), 'tsdb');
      await cp(tsdb, copy, { recursive: true });
      if (from !== undefined) await recordBlocks(programs, copy, { from, to: now });
      servers.set(name, await startPrometheus(programs, { tsdb: copy }));
    }
  });

  test.each([
    ['without rules', '#', 'max by'],
    ['with rules', 'last_over_time', '#'],
    // They would leave days blank that the exporter's own series have.
    ['with rules since then', '#', 'max by'],
  ])('%s: one form is a comment', async (name, recorded, raw) => {
    expect(await valueOfVariable(server(name), 'recorded')).toBe(recorded);
    expect(await valueOfVariable(server(name), 'raw')).toBe(raw);
  });

  test('are marked where they begin after the data', async () => {
    expect(await annotated(server('without rules'))).toEqual([]);
    expect(await annotated(server('with rules'))).toEqual([]);
    // At the end of the first half of the day the page shows the day before.
    expect(await annotated(server('with rules since then'))).toEqual([first + (BEGAN - 1) * DAY_S]);
  });
});
