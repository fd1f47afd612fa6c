import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { createOwnPart } from '../../src/exposition/own-part.ts';
import type { Format } from '../../src/exposition/text.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { livePage } from './live-page.ts';
import { parsePage } from './parse.ts';

function createSample(labels: readonly string[], values: readonly number[]): Registry {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ['kind', 'org'];
  const counter = new Counter({
    name: 'requests_total',
    help: 'Back\\slash\nand line.',
    labelNames,
    registers,
  });
  const gauge = new Gauge({ name: 'level', help: 'Level.', labelNames, registers });
  const histogram = new Histogram({
    name: 'took_seconds',
    help: 'Took.',
    labelNames,
    buckets: [0.5, 1],
    registers,
  });
  const summary = new Summary({
    name: 'size_bytes',
    help: 'Size.',
    labelNames,
    percentiles: [0.5],
    registers,
  });
  new Gauge({ name: 'bare', help: 'Bare.', registers }).set(2.5);
  for (const [index, kind] of labels.entries()) {
    const value = values[index] ?? 0;
    counter.inc({ kind, org: 'a' }, Math.abs(value));
    gauge.set({ kind, org: 'a' }, value);
    histogram.observe({ kind, org: 'a' }, value);
    summary.observe({ kind, org: 'a' }, value);
  }
  return registry;
}

const value = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 });

describe('the live part is identical to that of prom-client', () => {
  test.each(['text', 'openmetrics'] as const)('as %s', async (format) => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string({ maxLength: 20 })),
        fc.array(value),
        async (labels, values) => {
          const registry = createSample(labels, values);
          const ours = await livePage(registry, format);
          // Last, because a request for OpenMetrics renames the counters of the registry.
          if (format === 'openmetrics') registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
          const theirs = await registry.metrics();
          expect(ours).toBe(theirs.replaceAll(/\n{2,}/g, '\n').replace('# EOF\n', ''));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('where prom-client is wrong, the live part is not:', () => {
  test('not a number and the infinities', async () => {
    const registry = new Registry();
    const gauge = new Gauge({ name: 'g', help: 'G.', labelNames: ['n'], registers: [registry] });
    for (const each of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      gauge.set({ n: String(each) }, each);
    }
    const { samples } = parsePage(await livePage(registry, 'text'));
    expect(samples.map((sample) => sample.value)).toEqual(['NaN', '+Inf', '-Inf']);
  });

  test('labels that were left out or are undefined', async () => {
    const registry = new Registry();
    const counter = new Counter({
      name: 'c_total',
      help: 'C.',
      labelNames: ['a', 'b'],
      registers: [registry],
    });
    counter.inc({ a: 'x' });
    counter.inc({ a: 'y', b: undefined } as unknown as { a: string });
    const text = await livePage(registry, 'text');
    expect(text).toContain('c_total{a="x"} 1\nc_total{a="y"} 1\n');
  });

  test('asked for OpenMetrics, it does not rename counters', async () => {
    const registry = createSample(['x'], [1]);
    const before = await livePage(registry, 'text');
    await livePage(registry, 'openmetrics');
    expect(await livePage(registry, 'text')).toBe(before);
  });
});

test('organizations come first, and the end of the page in OpenMetrics only', async () => {
  const registry = createSample(['x'], [1]);
  function* linesOfOrgs(format: Format): Generator<string> {
    yield `${format}{org="a"} 1\n`;
  }
  const ownPart = createOwnPart({ registry, linesOfOrgs, clock: createFakeClock(0) });
  const { text, bytes, length } = await ownPart('openmetrics');
  const inflated = inflateRawSync(bytes);
  expect(inflated.equals(Buffer.concat(text))).toBe(true);
  expect(length).toBe(inflated.length);
  expect(inflated.toString()).toMatch(/^openmetrics\{org="a"\} 1\n.*\n# EOF\n$/s);
  expect(String((await ownPart('text')).text)).not.toContain('EOF');
});
