import { inflateRawSync } from 'node:zlib';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createOwnPart } from '../../src/exposition/scrape.ts';
import type { Format } from '../../src/exposition/text.ts';
import { createFakeClock } from '../support/fake-clock.ts';

function create() {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ['kind'];
  new Counter({ name: 'requests_total', help: 'Requests.', labelNames, registers }).inc({ kind: 'a' });
  new Gauge({ name: 'level', help: 'Level.', labelNames, registers }).set({ kind: 'a' }, 2.5);
  new Histogram({ name: 'took_seconds', help: 'Took.', buckets: [1], registers }).observe(2);
  function* textsOfOrgs(format: Format): Generator<Buffer> {
    yield Buffer.from(`${format}{org="a"} 1\n`);
  }
  const ownPart = createOwnPart({ registry, textsOfOrgs }, createFakeClock(0));
  const read = async (format: Format) => inflateRawSync((await ownPart(format)).bytes).toString();
  return { registry, ownPart, read };
}

const LINES = [
  ...['requests_total{kind="a"} 1', '# HELP level Level.', '# TYPE level gauge', 'level{kind="a"} 2.5'],
  ...['# HELP took_seconds Took.', '# TYPE took_seconds histogram', 'took_seconds_bucket{le="1"} 0'],
  ...['took_seconds_bucket{le="+Inf"} 1', 'took_seconds_sum 2', 'took_seconds_count 1'],
];

test('has organizations first, then the process, in text', async () => {
  const text = await create().read('text');
  const header = ['# HELP requests_total Requests.', '# TYPE requests_total counter'];
  expect(text.split('\n')).toEqual(['text{org="a"} 1', ...header, ...LINES, '']);
});

test('names the families of counters without their suffix in OpenMetrics, and ends it', async () => {
  const { read } = create();
  const text = await read('openmetrics');
  const header = ['# HELP requests Requests.', '# TYPE requests counter'];
  expect(text.split('\n')).toEqual([...['openmetrics{org="a"} 1', ...header, ...LINES, '# EOF', '']]);
  expect(await read('text')).toContain('# TYPE requests_total counter');
});

test('spells NaN as usual', async () => {
  const { registry, read } = create();
  new Gauge({ name: 'none', help: 'None.', registers: [registry] }).set(Number.NaN);
  expect(await read('text')).toMatch(/\nnone NaN\n$/);
});

test('is the same deflated', async () => {
  const { texts, bytes } = await create().ownPart('text');
  expect(inflateRawSync(bytes).equals(Buffer.concat(texts))).toBe(true);
});

test('lets other work run between its slices, and is the same deflated in several pieces', async () => {
  const line = Buffer.from(`level{org="${'a'.repeat(1000)}"} 1\n`);
  const clock = createFakeClock(0);
  let hasOtherRun = false;
  let hadOtherRunAtTheEnd = false;
  function* textsOfOrgs(): Generator<Buffer> {
    for (let texts = 0; texts < 3000; texts += 1) {
      clock.set(clock.now() + 1);
      hadOtherRunAtTheEnd = hasOtherRun;
      yield line;
    }
  }
  const ownPart = createOwnPart({ registry: new Registry(), textsOfOrgs }, clock);
  const made = ownPart('text');
  setImmediate(() => {
    hasOtherRun = true;
  });
  const { texts, bytes } = await made;
  expect(hadOtherRunAtTheEnd).toBe(true);
  expect(inflateRawSync(bytes).equals(Buffer.concat(texts))).toBe(true);
});
