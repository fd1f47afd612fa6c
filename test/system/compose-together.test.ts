import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { freePort } from '../../bench/programs.ts';
import { waitFor } from '../support/wait-for.ts';
import { readProject } from './compose.ts';
import { expectAllKnown } from './platform.ts';
import { createPrograms, written } from './programs.ts';
import { requireTool } from './tools.ts';

const DAYS = 20;
const DAY_MS = 86_400_000;
const answer = z.object({
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
});

const hasTools = requireTool('docker-compose') && requireTool('prometheus');

describe.runIf(hasTools)('what compose.yaml starts', () => {
  const programs = createPrograms();

  test('shows an organization on each platform, and the days before the start', async () => {
    const compose = await readProject(programs);
    const folder = programs.folder();
    const ports = {
      platform: await freePort(),
      claude: await freePort(),
      copilot: await freePort(),
      exporter: await freePort(),
      prometheus: await freePort(),
    };
    // Service names become ports of this machine, and paths in containers a directory.
    const here = (text: string) =>
      text
        .replace(
          /\b(platform|claude|exporter|prometheus):(?:9890|9893|9889|9090)\b/g,
          (_, name: keyof typeof ports) => `127.0.0.1:${ports[name]}`,
        )
        .replace('127.0.0.1:9891', `127.0.0.1:${ports.copilot}`)
        .replace('localhost:9090', `127.0.0.1:${ports.prometheus}`)
        .replaceAll('/etc/agent-platform-exporter', folder)
        .replaceAll('/etc/prometheus/rules', join(folder, 'rules'))
        .replaceAll('/etc/prometheus', folder)
        .replace(/=\/prometheus$/, `=${join(folder, 'prometheus')}`);
    const commandOf = (name: string) => (compose.service(name).command ?? []).map(here);
    for (const [name, target, file] of [
      ['exporter', '/etc/agent-platform-exporter', 'demo.yml'],
      ['exporter', '/etc/agent-platform-exporter', 'teams.yaml'],
      ['prometheus', '/etc/prometheus/prometheus.yml', ''],
    ] as const) {
      const text = await readFile(join(compose.mounted(name, target), file), 'utf8');
      await writeFile(join(folder, file === '' ? 'prometheus.yml' : file), here(text));
    }
    const given = Object.entries(compose.service('exporter').environment ?? {});
    const environment = {
      ...Object.fromEntries(given.map(([name, value]) => [name, here(value ?? '')])),
      AGENT_PLATFORM_STORAGE_PATH: join(folder, 'history.db'),
      AGENT_PLATFORM_WEB_LISTEN_ADDRESS: `127.0.0.1:${ports.exporter}`,
      AGENT_PLATFORM_HISTORY_START: new Date(Date.now() - DAYS * DAY_MS).toISOString().slice(0, 10),
    };

    for (const name of ['platform', 'copilot', 'claude'] as const) {
      const listen = commandOf(name).map((flag) => flag.replace(/=:\d+$/, `=127.0.0.1:${ports[name]}`));
      await written(programs.exporter(listen), 'stdout', /(Ctrl-C)/);
    }
    const prometheus = `http://127.0.0.1:${ports.prometheus}`;
    programs.start('prometheus', [
      ...commandOf('prometheus'),
      `--web.listen-address=127.0.0.1:${ports.prometheus}`,
    ]);
    programs.exporter(commandOf('exporter'), environment);
    await waitFor(async () => {
      expect((await fetch(`http://127.0.0.1:${ports.exporter}/-/ready`)).status).toBe(200);
      expect((await fetch(`${prometheus}/-/ready`)).status).toBe(200);
    });
    const past = programs.exporter(commandOf('past'), environment);
    // The newest reports of Copilot are not there yet.
    await expectAllKnown(past);
    expect(past.stderr()).not.toMatch(/level=error/);

    async function values(expression: string): Promise<readonly number[]> {
      const response = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(expression)}`);
      return answer.parse(await response.json()).data.result.map(({ value }) => Number(value[1]));
    }
    await waitFor(async () => expect(await values('up{job="agent-platform"}')).toEqual([1]));
    const days = `count by (org) (count_over_time(agent_platform_daily_credits[${DAYS}d]))`;
    // One that counts credits, and all that have money.
    expect(await values(days)).toEqual([1, 1]);
    expect(await values(days.replace('credits', 'cost'))).toEqual([1, 1, 1]);
    const [samples = 0] = await values(`min(count_over_time(agent_platform_daily_credits[${DAYS}d]))`);
    expect(samples).toBeGreaterThan(DAYS - 5);
    // The first scrape may have come before the first figures.
    await waitFor(async () =>
      expect(await values('count by (org) (agent_platform_cost_month_budget)')).toEqual([1, 1]),
    );
    await waitFor(async () =>
      expect(await values('count(agent_platform_credits_month_budget)')).toEqual([1]),
    );
  });
});
