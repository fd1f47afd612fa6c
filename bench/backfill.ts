// Measures a backfill to files: node bench/backfill.ts [--days=30,300] [--series=1000,20000] [--rounds=3]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { backfill } from '../src/backfill/backfill.ts';
import { createFileTarget } from '../src/backfill/file/file-target.ts';
import { isDayCollector } from '../src/catalog/collector.ts';
import { addDays, dayOf } from '../src/catalog/day.ts';
import { aboutFamilies, collectors } from '../src/collectors/index.ts';
import { createMemoryHistory } from '../src/history/memory.ts';
import { createSystemClock } from '../src/runtime/clock.ts';
import { createFakeLogger } from '../src/runtime/logger.ts';
import { keepYoungGenerationSmall } from '../src/runtime/young-generation.ts';
import { describeMachine } from './machine.ts';
import { median } from './report/statistics.ts';
import { grouped, mebibytes, renderTable, shown } from './report/table.ts';
import { DAYS, putAnalytics } from './workload/days.ts';
import { putReports } from './workload/reports.ts';
import { ORG, SETTINGS } from './workload/settings.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 20, 12);
const AIM = 1_000_000;
/** Days that the store holds at least. */
const LONGEST = 300;

interface Result {
  readonly samples: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Writing the same bytes straight to one file. */
  readonly straightSeconds: number;
  readonly peakBytes: number;
}

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '30,300' },
    series: { type: 'string', default: '1000,20000' },
    rounds: { type: 'string', default: '3' },
    child: { type: 'boolean', default: false },
  },
});
const [sizes, lengths] = [numbers(values.series), numbers(values.days)];

if (values.child) {
  // As the program itself does.
  keepYoungGenerationSmall();
  console.log(JSON.stringify(await measure(sizes[0] ?? 0, lengths[0] ?? 0)));
} else {
  console.log(`${describeMachine()}\n\n${table(Number(values.rounds))}`);
}

function table(rounds: number): string {
  const cases = sizes.flatMap((series) => lengths.map((days) => ({ series, days, results: [] as Result[] })));
  // Round by round, so that what else the machine does meets all of them.
  for (let round = 0; round < rounds; round++) {
    for (const { series, days, results } of cases) results.push(inChild(series, days));
  }
  const rows = cases.map(({ series, days, results }) => {
    const of = (figure: (result: Result) => number) => median(results.map(figure));
    const rate = of(({ samples, seconds }) => samples / seconds);
    return [
      grouped(series),
      grouped(days),
      grouped(of(({ samples }) => samples)),
      mebibytes(of(({ bytes }) => bytes)),
      shown(of(({ seconds }) => seconds)),
      `${grouped(rate)}${rate >= AIM ? '' : ' (missed)'}`,
      `${shown(of(({ seconds, straightSeconds }) => seconds / straightSeconds))} ×`,
      mebibytes(of(({ peakBytes }) => peakBytes)),
    ];
  });
  const heads = [
    ...['series a day', 'days', 'samples', 'MiB written', 'seconds'],
    ...[`samples/s (aim ${grouped(AIM)})`, 'time against writing the bytes alone', 'peak MiB resident'],
  ];
  return renderTable(heads, rows);
}

/** In a process of its own, so that the peak is its own. */
function inChild(series: number, days: number): Result {
  const args = [import.meta.filename, '--child', `--series=${series}`, `--days=${days}`];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Result;
}

async function measure(series: number, days: number): Promise<Result> {
  const history = createMemoryHistory();
  // The store is as long for a short range as for a long one, so that only the backfill's own memory differs.
  for (let back = 0; back <= LONGEST + DAYS; back += DAYS)
    await putAnalytics(history, ORG, NOW - back * DAY_MS);
  // All reports are older than the first day: every day has all of their series.
  await putReports(history, ORG, series, NOW - (LONGEST + 30) * DAY_MS);
  const chosen = collectors.filter((collector) => collector.enabledByDefault && !('past' in collector));
  const output = mkdtempSync(path.join(tmpdir(), 'bench-backfill-'));
  const clock = createSystemClock();
  try {
    const startedAt = clock.elapsed();
    const to = addDays(dayOf(NOW), -2);
    const { samples } = await backfill({
      pages: {
        aboutFamilies,
        datasets: chosen.filter(isDayCollector).map(({ dataset }) => dataset.name),
        keeping: { historyStart: addDays(to, -LONGEST - 60) },
        labelLimit: (label) => (label === 'repo' ? 5000 : 200),
        seriesBudget: 1_000_000,
        knownAt: NOW,
        clock,
      },
      orgs: [{ settings: SETTINGS, history: await history.read(ORG) }],
      collectors: chosen,
      from: addDays(to, 1 - days),
      to,
      stepMs: undefined,
      now: NOW,
      target: await createFileTarget({
        output,
        single: false,
        labels: { job: 'agent-platform', instance: 'exporter:9889' },
        arguments: [],
        log: createFakeLogger(),
      }),
      progress: { show: () => undefined, clear: () => undefined },
      signal: new AbortController().signal,
    });
    const seconds = (clock.elapsed() - startedAt) / 1000;
    const peakBytes = process.resourceUsage().maxRSS * 1024;
    return { samples, seconds, peakBytes, ...(await writeStraight(output)) };
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

/** Writes what is in the files of a folder to another one; only the writing is timed. */
async function writeStraight(folder: string): Promise<Pick<Result, 'bytes' | 'straightSeconds'>> {
  const clock = createSystemClock();
  const target = await open(path.join(folder, 'straight'), 'w');
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  let [bytes, milliseconds] = [0, 0];
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.om'))) {
    const source = await open(path.join(folder, name));
    for (;;) {
      const { bytesRead } = await source.read(buffer);
      if (bytesRead === 0) break;
      const startedAt = clock.elapsed();
      await target.write(buffer, 0, bytesRead);
      milliseconds += clock.elapsed() - startedAt;
      bytes += bytesRead;
    }
    await source.close();
  }
  const startedAt = clock.elapsed();
  await target.sync();
  milliseconds += clock.elapsed() - startedAt;
  await target.close();
  return { bytes, straightSeconds: milliseconds / 1000 };
}

function numbers(text: string): readonly number[] {
  return text.split(',').map(Number);
}
