import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { chosen, DAY_S, type Form } from './dashboard-queries.ts';
import { createPrograms } from './programs.ts';
import { makeBlocks, type PrometheusServer, recordBlocks, startPrometheus } from './prometheus-server.ts';
import { requireTool } from './tools.ts';

vi.mock('../../src/platforms/list.ts', async (original) => {
  const { platforms } = await original<typeof import('../../src/platforms/list.ts')>();
  const { otherPlatform } = await import('../support/other-platform.ts');
  const slow = { ...otherPlatform, name: 'slow', days: { tokens: { readyWithin: 60 } } };
  return { platforms: [...platforms, slow] };
});

const { daily } = await import('../../dashboards/src/expression.ts');
const { onItsDay } = await import('../../dashboards/src/promql.ts');
const { recordingDocument } = await import('../../dashboards/src/recording-rules.ts');
const { tokenFamilies: tokens } = await import('../../src/collectors/tokens/collector.ts');

const HOUR_S = 3600;
const DAYS = 8;
/** Hours after the end of a day at which an organization's exporter shows it; the days of `late` come 60 hours late. */
const HOURS_LATE = { acme: 5, late: 60 } as const;
type Org = keyof typeof HOURS_LATE;

const amountOf = (org: Org, day: number) => (day + 1) * 1000 + org.length;
/** Hours after which a day is revised. */
const REVISED_AFTER = 8;
const figureAt = (org: Org, day: number, shownFor: number) =>
  amountOf(org, day) + (shownFor > REVISED_AFTER ? 0.5 : 0);

function openMetrics(first: number): string {
  const lines = {
    day: [] as string[],
    credits: [] as string[],
    models: [] as string[],
    info: [] as string[],
  };
  for (const org of ['acme', 'late'] as const) {
    const target = `job="agent-platform",instance="${org}:9889",org="${org}"`;
    const platform = org === 'late' ? 'slow' : 'agent-platform';
    for (let day = 0; day < DAYS; day++)
      for (let hour = 0; hour < 24; hour++) {
        // A scrape that lies on no point of the hourly grid.
        const second = first + ((day + 1) * 24 + HOURS_LATE[org] + hour) * HOUR_S + 58 * 60;
        const value = figureAt(org, day, hour);
        lines.day.push(
          `agent_platform_data_day_timestamp_seconds{${target},dataset="tokens"} ${first + day * DAY_S} ${second}`,
        );
        lines.credits.push(`agent_platform_daily_credits{${target}} ${value} ${second}`);
        lines.models.push(
          `agent_platform_daily_credits_by_model{${target},model="a",tier="standard"} ${value} ${second}`,
        );
        lines.info.push(`agent_platform_org_info{${target},org_id="",platform="${platform}"} 1 ${second}`);
      }
  }
  const families = [
    ['agent_platform_data_day_timestamp_seconds', lines.day],
    ['agent_platform_daily_credits', lines.credits],
    ['agent_platform_daily_credits_by_model', lines.models],
    ['agent_platform_org_info', lines.info],
  ] as const;
  return [...families.flatMap(([name, own]) => [`# TYPE ${name} gauge`, ...own]), '# EOF', ''].join('\n');
}

describe.runIf(requireTool('prometheus') && requireTool('promtool'))('days that come 60 hours late', () => {
  const programs = createPrograms();
  const today = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;
  const first = today - 40 * DAY_S;
  const to = first + (DAYS + 5) * DAY_S;
  let prometheus: PrometheusServer;

  beforeAll(async () => {
    const folder = join(programs.folder(), 'out');
    await mkdir(folder);
    await writeFile(join(folder, 'late.om'), openMetrics(first));
    const tsdb = await makeBlocks(programs, folder);
    await recordBlocks(programs, tsdb, { from: first, to, rules: recordingDocument() });
    prometheus = await startPrometheus(programs, { tsdb });
  });

  async function drawn(text: string, form: Form, labels: Readonly<Record<string, string>>) {
    const answered = await prometheus.range(chosen(text, '20d', form), first - 2 * DAY_S, to, DAY_S);
    return answered
      .filter((series) => Object.entries(labels).every(([name, value]) => series.labels[name] === value))
      .map(({ values }) => values.map(([second, value]) => [(second - first) / DAY_S, value]));
  }

  const expected = (org: Org) => Array.from({ length: DAYS }, (_, day) => [day, amountOf(org, day) + 0.5]);

  test.each(['raw', 'recorded'] as const)('are each drawn once, under their own date: %s', async (form) => {
    const { text } = daily(tokens.dailyCredits);
    for (const org of ['acme', 'late'] as const)
      expect(await drawn(text, form, { org }), org).toEqual([expected(org)]);
  });

  test.each(['raw', 'recorded'] as const)('are summed with those that come in time: %s', async (form) => {
    const text = onItsDay(tokens.dailyCreditsByModel, 'tokens', {
      by: ['model'],
      orgs: 'summed',
      recorded: { name: 'agent_platform:daily_credits_by_model' },
    });
    const both = expected('acme').map(([day = 0, value = 0]) => [day, value + amountOf('late', day) + 0.5]);
    expect(await drawn(text, form, { model: 'a' })).toEqual([both]);
  });

  test.each(['raw', 'recorded'] as const)('of one platform alone are added up: %s', async (form) => {
    const { text } = daily(tokens.dailyCredits, { by: [], orgs: 'summed' });
    expect(await drawn(text, form, {})).toEqual([]);
    expect(await drawn(text.replaceAll('$org', 'late'), form, {})).toEqual([expected('late')]);
  });
});
