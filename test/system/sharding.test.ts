import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../bench/programs.ts';
import { waitFor } from '../support/wait-for.ts';
import { startPlatform } from './platform.ts';
import { createPrograms, type Program, written } from './programs.ts';
import { requireTool } from './tools.ts';

const NAMES = ['acme', 'globex', 'initech', 'umbrella', 'hooli', 'org-5', 'org-6', 'org-7', 'org-8'];
const ORG_INFO = 'agent_platform_org_info';

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

interface Shard {
  readonly program: Program;
  readonly target: string;
}

describe.runIf(requireTool('prometheus'))('concurrent shards', () => {
  const programs = createPrograms();
  const folder = programs.folder();
  const targets = join(folder, 'targets.json');
  let config = '';
  let prometheus = '';

  async function startShard(index: number, total: number): Promise<Shard> {
    const program = programs.exporter([
      ...['serve', '--web.listen-address=127.0.0.1:0', `--config.file=${config}`],
      ...[`--shard=${index}`, `--total-shards=${total}`],
    ]);
    const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
    return { program, target: `127.0.0.1:${port}` };
  }

  async function query(expression: string): Promise<readonly Series[]> {
    const url = `${prometheus}/api/v1/query?query=${encodeURIComponent(expression)}`;
    const answer = (await (await fetch(url)).json()) as { data: { result: readonly Series[] } };
    return answer.data.result;
  }

  /** Has Prometheus scrape these shards, and waits until it has seen every organization once. */
  async function scrape(shards: readonly Shard[]): Promise<readonly Series[]> {
    await writeFile(targets, JSON.stringify([{ targets: shards.map(({ target }) => target) }]));
    return await waitFor(async () => {
      expect((await query('up == 1')).length).toBe(shards.length);
      const infos = await query(ORG_INFO);
      expect(infos.map(({ metric }) => metric['org']).toSorted()).toEqual(NAMES.toSorted());
      return infos;
    });
  }

  beforeAll(async () => {
    const platform = await startPlatform(programs, [
      ...[`--orgs=${NAMES.length}`, '--users=5', '--repos=2', '--days=20'],
    ]);
    config = join(folder, 'exporter.yml');
    const orgs = await Promise.all(
      NAMES.map(async (name) => {
        const key = join(folder, `key-${name}`);
        await writeFile(key, `sandbox-${name}-owner`);
        return `  - {name: ${name}, base_url: "${platform.url}", api_key_file: ${key}}`;
      }),
    );
    await writeFile(config, `orgs:\n${orgs.join('\n')}\napi: {requests_per_second: 200}\n`);
    const port = await freePort();
    prometheus = `http://127.0.0.1:${port}`;
    const file = join(folder, 'prometheus.yml');
    await writeFile(targets, '[]');
    await writeFile(
      file,
      `global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
  - job_name: agent-platform
    file_sd_configs: [{files: ['${targets}'], refresh_interval: 1s}]
`,
    );
    programs.start('prometheus', [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]);
  });

  test('show each of nine organizations once, and few move to a fourth shard', async () => {
    const three = await Promise.all([0, 1, 2].map((index) => startShard(index, 3)));
    const before = await scrape(three);
    const instances = new Set(before.map(({ metric }) => metric['instance']));
    expect(instances.size).toBe(3);
    expect(await query('count by (org) (agent_platform_daily_credits) > 1')).toEqual([]);
    await waitFor(async () =>
      expect(await query('count(agent_platform_daily_credits)')).toMatchObject([
        { value: [expect.anything(), '9'] },
      ]),
    );
    for (const { program } of three) program.send('SIGTERM');
    await Promise.all(three.map(({ program }) => program.ended));

    const four = await Promise.all([0, 1, 2, 3].map((index) => startShard(index, 4)));
    const after = await scrape(four);
    const shardsOf = (infos: readonly Series[], shards: readonly Shard[]) =>
      new Map(
        infos.map(({ metric }) => [
          metric['org'],
          shards.findIndex(({ target }) => target === metric['instance']),
        ]),
      );
    const [old, now] = [shardsOf(before, three), shardsOf(after, four)];
    const moved = NAMES.filter((name) => old.get(name) !== now.get(name));
    expect(moved.map((name) => now.get(name))).toEqual(moved.map(() => 3));
    expect(moved.length).toBeLessThan(NAMES.length / 2);
  });

  test('one without organizations is ready', async () => {
    const shards = await Promise.all([3, 4, 5, 6, 7].map((index) => startShard(index, 8)));
    const pages = await Promise.all(
      shards.map(
        async ({ target }) => (await (await fetch(`http://${target}/status`)).json()) as { orgs: [] },
      ),
    );
    const empty = shards.filter((_, index) => pages[index]?.orgs.length === 0);
    expect(empty.length).toBeGreaterThan(0);
    for (const { target } of empty) {
      expect(await (await fetch(`http://${target}/-/ready`)).text()).toBe('ready\n');
      expect((await fetch(`http://${target}/metrics`)).status).toBe(200);
    }
  });
});
