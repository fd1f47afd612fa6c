import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { chosen, panelQueries } from './dashboard-queries.ts';
import { createPrograms } from './programs.ts';
import { type Answered, makeBlocks, type PrometheusServer, startPrometheus } from './prometheus-server.ts';
import { requireTool } from './tools.ts';

const HOUR_S = 3600;
const DAY_S = 86_400;
const SCRAPE_S = 60;
const OWN = 'job="agent-platform"';

/** A series that is 1, or another value, from the first hour until the hour `until`. */
interface Series {
  readonly name: string;
  readonly labels: string;
  readonly until: number;
  readonly value?: number;
}

/** The hours of the story: one of three exporters dies after the third. */
const DIED = 3;
const END = 6;

function exporter(instance: string, org: string, until: number, persistent: number): readonly Series[] {
  const target = `${OWN},instance="${instance}"`;
  const build = `${target},version="1",revision="r",node_version="24"`;
  const run = `${target},org="${org}",collector="tokens"`;
  return [
    { name: 'agent_platform_exporter_build_info', labels: build, until },
    { name: 'agent_platform_exporter_history_persistent', labels: target, until, value: persistent },
    { name: 'agent_platform_exporter_store_up', labels: target, until, value: persistent },
    { name: 'agent_platform_exporter_config_last_reload_successful', labels: target, until },
    { name: 'agent_platform_exporter_collector_success', labels: run, until },
    { name: 'agent_platform_exporter_collector_failing', labels: `${run},reason="auth"`, until, value: 0 },
    { name: 'process_resident_memory_bytes', labels: target, until, value: 1e8 },
  ];
}

const STORY: readonly Series[] = [
  ...exporter('a:9889', 'acme', DIED, 1),
  ...exporter('b:9889', 'globex', END, 1),
  ...exporter('c:9889', 'initech', END, 0),
  { name: 'up', labels: `${OWN},instance="b:9889"`, until: END },
  { name: 'up', labels: `${OWN},instance="c:9889"`, until: END },
  // Targets of other jobs, which have the metrics of every process too.
  { name: 'up', labels: 'job="node",instance="n:9100"', until: END },
  { name: 'up', labels: 'job="prometheus",instance="p:9090"', until: END },
  { name: 'process_resident_memory_bytes', labels: 'job="node",instance="n:9100"', until: END, value: 1e7 },
];

function openMetrics(first: number): string {
  const lines = new Map<string, string[]>();
  const add = (name: string, line: string) => lines.set(name, [...(lines.get(name) ?? []), line]);
  for (const { name, labels, until, value = 1 } of STORY)
    for (let second = 0; second < until * HOUR_S; second += SCRAPE_S)
      add(name, `${name}{${labels}} ${value} ${first + second}`);
  for (let second = 0; second < END * HOUR_S; second += SCRAPE_S)
    add('up', `up{${OWN},instance="a:9889"} ${second < DIED * HOUR_S ? 1 : 0} ${first + second}`);
  return [...lines]
    .flatMap(([name, all]) => [`# TYPE ${name} gauge`, ...all])
    .concat('# EOF\n')
    .join('\n');
}

describe.runIf(requireTool('prometheus') && requireTool('promtool'))('the health of the exporters', () => {
  const programs = createPrograms();
  const first = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S - 10 * DAY_S;
  let prometheus: PrometheusServer;

  async function shown(
    title: string,
    hour: number,
    { file = 'health', refId = 'A' } = {},
  ): Promise<readonly Answered[]> {
    const query = panelQueries().find(({ where }) => where === `${file}.json “${title}” ${refId}`);
    if (query === undefined) throw new Error(`no such panel: ${title}`);
    return prometheus.instant(chosen(query.target.expr, '24h'), first + hour * HOUR_S);
  }

  async function figureOf(title: string, hour: number): Promise<number | undefined> {
    return (await shown(title, hour))[0]?.values[0]?.[1];
  }

  async function reasons(hour: number): Promise<readonly (readonly (string | undefined)[])[]> {
    const rows = await Promise.all(['A', 'B', 'C'].map((refId) => shown('Failing now', hour, { refId })));
    return rows.flat().map(({ labels }) => [labels['org'], labels['reason']]);
  }

  beforeAll(async () => {
    const folder = join(programs.folder(), 'out');
    await mkdir(folder);
    await writeFile(join(folder, 'story.om'), openMetrics(first));
    prometheus = await startPrometheus(programs, { tsdb: await makeBlocks(programs, folder) });
  });

  test('counts a dead exporter and no target of another job', async () => {
    expect(await figureOf('Exporters up', 2)).toBe(1);
    expect(await figureOf('Exporters up', 5)).toBeCloseTo(2 / 3);
    expect((await shown('Memory', 2)).map(({ labels }) => labels['instance'])).toEqual(
      expect.arrayContaining(['a:9889', 'b:9889', 'c:9889']),
    );
    expect(await shown('Memory', 2)).toHaveLength(3);
  });

  test('shows a dead exporter on the overview, where the collectors of the others succeed', async () => {
    const share = async (refId: string) =>
      (await shown('Data', 5, { file: 'overview', refId }))[0]?.values[0]?.[1];
    expect(await share('C')).toBeCloseTo(2 / 3);
    expect(await share('D')).toBe(1);
  });

  test('averages over the exporters, none of which hides another', async () => {
    expect(await figureOf('History on disk', 2)).toBeCloseTo(2 / 3);
    expect(await figureOf('History on disk', 5)).toBeCloseTo(1 / 2);
    expect(await figureOf('Store usable', 2)).toBeCloseTo(2 / 3);
    expect(await figureOf('Store usable', 5)).toBeCloseTo(1 / 2);
    expect(await figureOf('Configuration valid', 2)).toBe(1);
  });

  test('says that nothing fails only while every organization is served', async () => {
    expect(await reasons(2)).toEqual([[undefined, 'nothing fails']]);
    expect(await reasons(5)).toEqual([['acme', 'no exporter answers']]);
    // An hour after the last scrape no exporter is left.
    expect(await reasons(END + 1)).toHaveLength(3);
    expect(await reasons(-1)).toEqual([]);
  });
});
