import { describe, expect, test } from 'vitest';
import { servingAims } from '../../bench/report/aims.ts';
import { drawSeries } from '../../bench/report/scraping-page.ts';
import type { ServerName, ServerResult } from '../../bench/sections/comparison.ts';
import type { SizeResult } from '../../bench/sections/size.ts';

const NOTHING = { perSecond: 1, p50: 1, p99: 1, bytes: 1, resident: 1 };

function server(name: ServerName, ratio: number, cpuRatio: number, wanted = 1): ServerResult {
  const spreadOf = (value: number) => ({ median: value, lower: value, upper: value });
  return { ...NOTHING, name, ratio: spreadOf(ratio), cpuMs: 1, cpuRatio: spreadOf(cpuRatio), wanted };
}

describe('the targets of the running service', () => {
  const exporter = server('exporter', 1, 1);
  const polling = [exporter, server('node:http', 0.95, 0.4), server('express', 0.8, 0.4)];

  function reached(series: number, idle: readonly ServerResult[]) {
    return servingAims({ series, idle, polling }).map((aim) => aim.reached);
  }

  test('compare with node:http on large pages, with express on small ones', () => {
    const idle = [exporter, server('node:http', 0.95, 0.95), server('express', 0.8, 0.8)];
    expect(reached(100_000, idle)).toEqual([true, true, true]);
    expect(reached(1_000, idle)).toEqual([false, false, false]);
  });

  test.each([
    ['the exporter', 0.5, 1],
    ['the other server', 1, 0.5],
  ])('are not judged by scrapes per second if not only %s limited them', (_, own, other) => {
    const idle = [server('exporter', 1, 1, own), server('node:http', 0.5, 0.95, other)];
    expect(reached(100_000, idle)).toEqual([undefined, true, true]);
  });
});

test('the picture of costs by series has a line for each server that was measured', () => {
  const size = (series: number, ...servers: ServerResult[]) =>
    ({ publishing: { series, again: series / 10 }, servers }) as unknown as SizeResult;
  const picture = drawSeries([
    size(1_000, server('exporter', 1, 1), server('prom-client', 1, 1)),
    size(100_000, server('exporter', 1, 1), server('prom-client', 1, 1)),
  ]);
  const names = [...picture.matchAll(/<text [^>]*fill="#[^>]*>([^<]*)</g)].map(([, name]) => name);
  expect(names).toEqual(['publication', 'scrape, exporter', 'scrape, prom-client']);
});
