import fc from 'fast-check';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { OrgFigures } from '../../src/exposition/org-figures.ts';
import { ownMetric } from '../../src/exposition/own-metric.ts';
import { createSampleWriter, type Format, renderFamilyHeader } from '../../src/exposition/text.ts';

const names = ['org', 'kind'];
const labels = ['org', 'kind'] as const;
const declared = { help: 'Back\\slash.', labels, unit: 'things', source: 'a test' };
const metrics = {
  gauge: ownMetric({ ...declared, name: 'agent_platform_level', type: 'gauge' }),
  counter: ownMetric({ ...declared, name: 'agent_platform_requests_total', type: 'counter' }),
  histogram: ownMetric({
    ...declared,
    name: 'agent_platform_took_seconds',
    type: 'histogram',
    buckets: [0.5, 1],
  }),
};

const value = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 });
const events = fc.array(fc.tuple(fc.string({ maxLength: 20 }), value));

/** What prom-client writes of its metrics, without the blank lines and the end. */
async function textOf(registry: Registry, format: Format): Promise<string> {
  if (format === 'openmetrics') registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
  return (await registry.metrics()).replaceAll(/\n{2,}/g, '\n').replace('# EOF\n', '');
}

describe.each(['text', 'openmetrics'] as const)(
  'as %s, the writer is identical to prom-client:',
  (format) => {
    test('samples of a gauge', async () => {
      await fc.assert(
        fc.asyncProperty(events, async (given) => {
          const registry = new Registry();
          const { name, help, type } = metrics.gauge;
          const gauge = new Gauge({ name, help, labelNames: names, registers: [registry] });
          for (const [kind, number] of given) gauge.set({ org: 'a', kind }, number);
          const write = createSampleWriter({ name, labels: ['kind'] }, { org: 'a' });
          const lines = [...new Map(given)].map(([kind, number]) =>
            write({ labels: { kind }, value: number }),
          );
          expect(renderFamilyHeader({ name, help, type }, format) + lines.join('')).toBe(
            await textOf(registry, format),
          );
        }),
        { numRuns: 60 },
      );
    });

    test('figures of an organization', async () => {
      await fc.assert(
        fc.asyncProperty(events, async (given) => {
          const registry = new Registry();
          const registers = [registry];
          const { gauge, counter, histogram } = metrics;
          const theirs = {
            gauge: new Gauge({ ...gauge, labelNames: names, registers }),
            counter: new Counter({ ...counter, labelNames: names, registers }),
            histogram: new Histogram({ ...histogram, buckets: [0.5, 1], labelNames: names, registers }),
          };
          const ours = {
            gauge: new OrgFigures(gauge),
            counter: new OrgFigures(counter),
            histogram: new OrgFigures(histogram),
          };
          for (const [kind, number] of [['' as string, 1] as const, ...given]) {
            const of = { org: 'a', kind };
            theirs.gauge.set(of, number);
            ours.gauge.set(of, number);
            theirs.counter.inc(of, Math.abs(number));
            ours.counter.add(of, Math.abs(number));
            theirs.histogram.observe(of, number);
            ours.histogram.observe(of, number);
          }
          const lines = Object.values(ours).flatMap((figures) => [...figures.texts(format)].map(String));
          // prom-client writes the bound of a bucket as the first label.
          const written = (await textOf(registry, format)).replaceAll(
            /\{(le="[^"]*"),(org="a"),/g,
            '{$2,$1,',
          );
          expect(lines.join('')).toBe(written);
        }),
        { numRuns: 60 },
      );
    });
  },
);

test('organizations come by name, and leave nothing behind', () => {
  const figures = new OrgFigures(metrics.gauge);
  for (const org of ['b', 'a']) for (const kind of ['x', 'y']) figures.set({ org, kind }, 1);
  figures.remove('a', ({ kind }) => kind === 'x');
  const lines = () => [...figures.texts('text')].slice(1).map(String);
  const before = [
    'agent_platform_level{org="a",kind="y"} 1\n',
    'agent_platform_level{org="b",kind="x"} 1\nagent_platform_level{org="b",kind="y"} 1\n',
  ];
  expect(lines()).toEqual(before);
  figures.set({ org: 'a', kind: 'y' }, 2);
  expect(lines()).toEqual(['agent_platform_level{org="a",kind="y"} 2\n', before[1]]);
  figures.remove('a');
  figures.remove('b');
  expect([...figures.texts('text')]).toEqual([]);
});
