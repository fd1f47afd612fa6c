import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { freePort } from '../../bench/programs.ts';
import { waitFor } from '../support/wait-for.ts';
import { REPOSITORY } from './image.ts';
import { createPrograms, written } from './programs.ts';
import { requireTool } from './tools.ts';

describe('snippets in the documentation', () => {
  const programs = createPrograms();

  async function page(name: string): Promise<string> {
    return readFile(join(REPOSITORY, 'docs', name), 'utf8');
  }

  /** The code block that begins with this line, as a file. */
  async function block(name: string, first: string): Promise<string> {
    const blocks = [...(await page(name)).matchAll(/^( *)```\w*\n([\s\S]*?)^\1```/gm)];
    const found = blocks.map(([, indent = '', text = '']) =>
      text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    );
    const text = found.find((candidate) => candidate.startsWith(first));
    if (text === undefined) throw new Error(`${name} has no block ${first}`);
    const file = join(programs.folder(), 'block.yml');
    await writeFile(file, text);
    return file;
  }

  test.runIf(requireTool('promtool'))('are expressions that Prometheus parses: the cookbook', async () => {
    const rows = (await page('promql.md')).match(/^\| (?!Question|---).*$/gm) ?? [];
    const expressions = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text));
    expect(expressions.length).toBeGreaterThan(15);
    const rules = expressions.map((expr, index) => ({ record: `cookbook:${index}`, expr }));
    const file = join(programs.folder(), 'rules.json');
    await writeFile(file, JSON.stringify({ groups: [{ name: 'cookbook', rules }] }));
    const { code, stderr } = await programs.run('promtool', ['check', 'rules', file]);
    expect([code, stderr]).toEqual([0, '']);
  });

  test.runIf(requireTool('promtool'))('is a configuration that a Prometheus agent accepts', async () => {
    const file = await block('integrations.md', '# prometheus.yml');
    const { code, stderr } = await programs.run('promtool', ['check', 'config', '--agent', file]);
    expect([code, stderr]).toEqual([0, '']);
  });

  test.runIf(requireTool('prometheus') && requireTool('victoria-metrics'))(
    'lets a Prometheus agent scrape the exporter and write to another store',
    async () => {
      const exporter = programs.exporter(['demo', '--web.listen-address=127.0.0.1:0']);
      const url = await written(exporter, 'stdout', /status +http:\/\/(\S+)\//);
      const store = `127.0.0.1:${await freePort()}`;
      const kept = [
        `-httpListenAddr=${store}`,
        `-storageDataPath=${programs.folder()}`,
        '-retentionPeriod=5y',
      ];
      programs.start('victoria-metrics', kept);
      const file = await block('integrations.md', '# prometheus.yml');
      const text = (await readFile(file, 'utf8'))
        .replace('exporter:9889', url)
        .replace('https://mimir.example.com/api/v1/push', `http://${store}/api/v1/write`)
        .replace('scrape_interval: 1m', 'scrape_interval: 1s');
      await writeFile(file, text);
      const listen = `--web.listen-address=127.0.0.1:${await freePort()}`;
      const data = `--storage.agent.path=${programs.folder()}`;
      programs.start('prometheus', ['--enable-feature=agent', `--config.file=${file}`, data, listen]);
      const query = 'count(agent_platform_daily_credits{job="agent-platform"})';
      await waitFor(async () => {
        const answer = await fetch(`http://${store}/api/v1/query?query=${encodeURIComponent(query)}`);
        expect(JSON.stringify(await answer.json())).toMatch(/"value":\[\d+,"[1-9]\d*"\]/);
      });
    },
  );

  test.runIf(requireTool('promtool'))(
    'is a scrape configuration that Prometheus accepts, in the section on the OpenTelemetry Collector',
    async () => {
      const collector = z
        .object({ receivers: z.object({ prometheus: z.object({ config: z.unknown() }) }) })
        .parse(parse(await readFile(await block('integrations.md', 'receivers:'), 'utf8')));
      const file = join(programs.folder(), 'prometheus.yml');
      await writeFile(file, stringify(collector.receivers.prometheus.config));
      const { code, stderr } = await programs.run('promtool', ['check', 'config', file]);
      expect([code, stderr]).toEqual([0, '']);
    },
  );

  test.runIf(requireTool('victoria-metrics'))('is a configuration that VictoriaMetrics accepts', async () => {
    const file = await block('integrations.md', '# promscrape.yml');
    const flags = ['-dryRun', `-promscrape.config=${file}`, '-promscrape.config.strictParse=true'];
    const { code, stderr } = await programs.run('victoria-metrics', flags);
    expect(code, stderr).toBe(0);
  });

  test('is a configuration that the exporter accepts: getting started', async () => {
    const file = await block('getting-started.md', '# exporter.yml');
    const key = join(programs.folder(), 'key');
    await writeFile(key, 'some-key');
    await writeFile(file, (await readFile(file, 'utf8')).replace('/run/secrets/acme', key));
    const check = programs.exporter(['check-config', `--config.file=${file}`]);
    expect([await check.ended, check.stderr()]).toEqual([{ code: 0, signal: null }, '']);
  });
});
