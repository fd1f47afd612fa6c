import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../build.ts';
import { endProgram, freePort, whenReady } from '../programs.ts';
import { median } from '../report/statistics.ts';
import { type BenchPanel, type BenchQuery, readPanels } from '../workload/dashboards.ts';
import { writeWindow, type YearSize, yearOf } from '../workload/year.ts';

const DAY_S = 86_400;
/** The blocks that promtool creates for a limit of a month. */
const BLOCK_S = 486 * 3600;
const GIVE_UP_MS = 60_000;

export interface PanelsResult {
  /** Such as `Prometheus 2.42.0`. */
  readonly engine: string;
  readonly size: YearSize;
  readonly samples: number;
  readonly panels: readonly PanelCost[];
}

/**
 * The CPU seconds that Prometheus takes for the queries of a panel over the whole range: unlike the time of the answer,
 * they hardly depend on what else the machine does.
 */
export interface PanelCost {
  readonly dashboard: string;
  readonly title: string;
  readonly recorded: number;
  readonly raw: number;
}

/**
 * Measures every query of every panel over a year in Prometheus, in both forms; undefined if Prometheus or promtool is
 * missing.
 */
export async function measurePanels(size: YearSize, rounds: number): Promise<PanelsResult | undefined> {
  const { stdout } = spawnSync('prometheus', ['--version'], { encoding: 'utf8' });
  const version = /version ([\d.]+)/.exec(stdout ?? '')?.[1];
  if (version === undefined || spawnSync('promtool', ['--version']).status !== 0) {
    console.error('skipped: the panels, which need prometheus and promtool on PATH');
    return undefined;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-panels-'));
  try {
    const panels = readPanels(ROOT);
    // At noon every family has a sample.
    const end = (Math.floor(Date.now() / 1000 / DAY_S) - 0.5) * DAY_S;
    const samples = createBlocks(folder, panels, size, end);
    return {
      engine: `Prometheus ${version}`,
      size,
      samples,
      panels: await query(folder, panels, size, end, rounds),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
  async function seconds({ expr, instant, daily }: BenchQuery, form: 'raw' | 'recorded'): Promise<number> {
    const text = expr
      .replaceAll('$raw', form === 'raw' ? 'max by' : '#')
      .replaceAll('$recorded', form === 'raw' ? '#' : 'last_over_time')
      .replaceAll('$__rate_interval', '4m')
      .replaceAll('$__range', `${days}d`)
      .replaceAll('$__from', String((end - days * DAY_S) * 1000))
      .replaceAll('$__to', String(end * 1000))
      .replaceAll(`\${__range_s}`, String(days * DAY_S))
      .replaceAll(/\$\w+/g, '.+');
    const last = daily ? end - DAY_S / 2 : end;
    const step = String(daily ? DAY_S : 8 * 3600);
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
    await whenReady(program, host, GIVE_UP_MS);
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
