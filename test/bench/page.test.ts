import { expect, test } from 'vitest';
import { familiesIn, isNewerThan, isSynced, newestIn, seriesIn } from '../../bench/page.ts';

const SAMPLE = String.raw`agent_platform_daily_calls{org="acme",tool="a \"b\\c\nd"} 2.5`;
const COLLECTORS = Array.from({ length: 7 }, (_, nth) => `collector="c${nth}"`);
const PAGE = [
  '# HELP agent_platform_daily_calls Calls.',
  '# TYPE agent_platform_daily_calls gauge',
  SAMPLE,
  'agent_platform_daily_calls{org="acme",tool="other"} 1e+21',
  'agent_platform_data_day_timestamp_seconds{org="acme",dataset="tools"} 1',
  ...COLLECTORS.flatMap((labels) => [
    `agent_platform_exporter_collector_success{org="acme",${labels}} 1`,
    `agent_platform_exporter_collector_last_success_timestamp_seconds{org="acme",${labels}} 100`,
  ]),
  'process_cpu_seconds_total 1',
  '',
].join('\n');

test('a page is read as another exporter needs it: without the series about the exporter', () => {
  const [calls, newest] = familiesIn(PAGE);
  expect(calls).toEqual({
    name: 'agent_platform_daily_calls',
    help: 'Calls.',
    labels: ['org', 'tool'],
    samples: [
      { labels: { org: 'acme', tool: 'a "b\\c\nd' }, value: 2.5 },
      { labels: { org: 'acme', tool: 'other' }, value: 1e21 },
    ],
  });
  expect(newest?.samples).toHaveLength(1);
  expect(seriesIn(PAGE)).toBe(3);
  expect(newestIn(PAGE)).toBe(1);
});

test('a page is complete once every collector of every organization has succeeded', () => {
  expect([isSynced(PAGE, 1), isSynced(PAGE, 2)]).toEqual([true, false]);
  expect([isNewerThan(PAGE, 1, 99), isNewerThan(PAGE, 1, 100)]).toEqual([true, false]);
});
