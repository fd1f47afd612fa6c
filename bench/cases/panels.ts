import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BenchPanel, type BenchQuery, readPanels } from '../dashboards/panels.ts';
import { writeWindow, type YearSize, yearOf } from '../dashboards/year.ts';
import { endProgram, freePort, whenAnswering } from '../programs.ts';
import { median } from '../statistics.ts';
import type { Case, CaseContext } from './case.ts';

const DAY_S = 86_400;
/** The blocks that promtool creates for a limit of a month. */
const BLOCK_S = 486 * 3600;
const PANEL = { atMost: 1 };
const DASHBOARD = { atMost: 5 };

/**
 * The CPU seconds that Prometheus takes for the queries of a panel over the whole range: unlike the time of the answer,
 * they hardly depend on what else the machine does.
 */
interface PanelCost {
  readonly dashboard: string;
  readonly title: string;
  /** With the series of the recording rules: the median of the rounds. */
  readonly recorded: number;
  /** With the exporter's own series, once. */
  readonly raw: number;
}

/** Every query of every panel over a range; needs `prometheus` and `promtool`. */
export function panelsCase(size: YearSize, rounds: number): Case {
  const { days, orgs, models, repos, people } = size;
  return {
    name: 'panels',
    what: `the CPU seconds of Prometheus for every query of the dashboards over ${days} days of ${orgs} organizations with ${models} models, ${repos} repositories and ${people} people each: with the series of the recording rules, medians of ${rounds} rounds, and raw, with the exporter's own. Of these, the data day and the credits have a sample a minute, others one a day, as after a backfill, so that their times are lower bounds for scraped ones.`,
    runs: 1,
    onRequest: true,
    measure: (context) => measure(context, size, rounds),
  };
}

async function measure(
  { checkout, record, folder }: CaseContext,
  size: YearSize,
  rounds: number,
): Promise<void> {
  const panels = readPanels(checkout.directory);
  // At noon every family has a sample.
  const end = (Math.floor(Date.now() / 1000 / DAY_S) - 0.5) * DAY_S;
  record('samples', '', createBlocks(folder, panels, size, end));
  const costs = await query(folder, panels, size, end, rounds);
  const sum = (own: readonly PanelCost[], form: 'recorded' | 'raw') =>
    own.reduce((total, cost) => total + cost[form], 0);
  for (const [dashboard, own] of Map.groupBy(costs, (cost) => cost.dashboard)) {
    record(`${dashboard}, recorded`, 'CPU s', sum(own, 'recorded'), DASHBOARD);
    record(`${dashboard}, raw`, 'CPU s', sum(own, 'raw'));
  }
  record(
    'the most expensive panel, recorded',
    'CPU s',
    Math.max(...costs.map((cost) => cost.recorded)),
    PANEL,
  );
}

function createBlocks(folder: string, panels: readonly BenchPanel[], size: YearSize, end: number): number {
  const stored = yearOf(size, panels.flatMap(({ queries }) => queries.map(({ expr }) => expr)).join('\n'));
  const first = end - size.days * DAY_S;
  let samples = 0;
  for (let from = Math.floor(first / BLOCK_S) * BLOCK_S; from <= end; from += BLOCK_S) {
    const file = path.join(folder, 'window.om');
    samples += writeWindow(file, stored, {
      from: Math.max(from, first),
      to: Math.min(from + BLOCK_S, end + 60),
      end,
    });
    const args = ['tsdb', 'create-blocks-from', 'openmetrics', '--max-block-duration=744h', '-q', file];
    const made = spawnSync('promtool', [...args, path.join(folder, 'tsdb')], { encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`promtool: ${made.stderr}`);
  }
  return samples;
}

async function query(
  folder: string,
  panels: readonly BenchPanel[],
  { days }: YearSize,
  end: number,
  rounds: number,
): Promise<readonly PanelCost[]> {
  const config = path.join(folder, 'prometheus.yml');
  writeFileSync(config, 'global: {scrape_interval: 1h}\n');
  const host = `127.0.0.1:${await freePort()}`;
  const program = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${path.join(folder, 'tsdb')}`,
      '--storage.tsdb.retention.time=3y',
      `--web.listen-address=${host}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  );
  async function seconds(
    { expr, instant, days: each }: BenchQuery,
    form: 'raw' | 'recorded',
  ): Promise<number> {
    const text = expr
      .replaceAll('$raw', form === 'raw' ? 'max by' : '#')
      .replaceAll('$recorded', form === 'raw' ? '#' : 'last_over_time')
      .replaceAll('$__rate_interval', '4m')
      .replaceAll('$__range', `${days}d`)
      .replaceAll('$__from', String((end - days * DAY_S) * 1000))
      .replaceAll('$__to', String(end * 1000))
      .replaceAll(`\${__range_s}`, String(days * DAY_S))
      .replaceAll(/\$\w+/g, '.+');
    const last = each === undefined ? end : end - DAY_S / 2;
    const step = String(each === undefined ? 8 * 3600 : each * DAY_S);
    const range = { start: String(last - days * DAY_S), end: String(last), step };
    const body = new URLSearchParams({ query: text, ...(instant ? { time: String(end) } : range) });
    const before = await cpuSeconds();
    const answer = await fetch(`http://${host}/api/v1/${instant ? 'query' : 'query_range'}`, {
      method: 'POST',
      body,
    });
    const found = await answer.text();
    if (!answer.ok) throw new Error(`${found.slice(0, 300)}\n${text}`);
    return (await cpuSeconds()) - before;
  }
  async function cpuSeconds(): Promise<number> {
    const page = await (await fetch(`http://${host}/metrics`)).text();
    return Number(/^process_cpu_seconds_total (\S+)$/m.exec(page)?.[1]);
  }
  async function cost({ queries }: BenchPanel, form: 'raw' | 'recorded', times: number): Promise<number> {
    const totals: number[] = [];
    for (let round = 0; round < times; round++) {
      let total = 0;
      for (const one of queries) total += await seconds(one, form);
      totals.push(total);
    }
    return median(totals);
  }
  try {
    await whenAnswering(program, `http://${host}/-/ready`, (status) => status === 200);
    const costs: PanelCost[] = [];
    for (const panel of panels) {
      const { dashboard, title } = panel;
      const both = panel.queries.some(({ expr }) => expr.includes('$recorded('));
      const recorded = await cost(panel, 'recorded', rounds);
      costs.push({ dashboard, title, recorded, raw: both ? await cost(panel, 'raw', 1) : recorded });
    }
    return costs;
  } finally {
    await endProgram(program);
  }
}
