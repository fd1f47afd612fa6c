import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planSeries } from '../../../src/backfill/remote/series-plan.ts';
import { createSnappy } from '../../../src/backfill/remote/snappy.ts';
import { createWriteRequestEncoder } from '../../../src/backfill/remote/write-request.ts';
import { labelValue } from '../../../src/catalog/label.ts';
import { decodeWriteRequest, decompressSnappy } from './decode.ts';

// One for all: nothing of a buffer may be in the next one.
const compress = createSnappy();

describe('a snappy block', () => {
  test('contains the compressed bytes, whatever they are', () => {
    const repetitive = fc
      .array(fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 200 })), { maxLength: 20 })
      .map((runs) =>
        Buffer.concat(runs.flatMap(([bytes, times]) => Array.from({ length: times }, () => bytes))),
      );
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 3000 }).map(Buffer.from), repetitive), (input) => {
        expect(decompressSnappy(compress(input)).equals(input)).toBe(true);
      }),
    );
  });

  test.each([0, 1, 3, 4, 59, 60, 61, 255, 256, 257, 65_535, 65_536, 65_537, 200_000])(
    'contains %i bytes, of one kind and of all kinds',
    (length) => {
      let state = 1;
      const noise = Buffer.from(
        Array.from({ length }, () => {
          state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
          return state >>> 24;
        }),
      );
      for (const input of [Buffer.alloc(length, 7), noise]) {
        expect(decompressSnappy(compress(input)).equals(input)).toBe(true);
      }
    },
  );

  test('of repeating text is much smaller than it', () => {
    const text = Buffer.from('agent_platform_daily_credits{org="acme"} 1\n'.repeat(1000));
    expect(compress(text).length).toBeLessThan(text.length / 15);
  });
});

function decodedFrom(encoder: ReturnType<typeof createWriteRequestEncoder>) {
  return takenFrom(encoder, Number.POSITIVE_INFINITY).flatMap(({ message }) => decodeWriteRequest(message));
}

function takenFrom(encoder: ReturnType<typeof createWriteRequestEncoder>, enough: number) {
  return encoder.take(enough, (message, samples) => ({ message: Buffer.from(message), samples }));
}

describe('a write request', () => {
  const family = { name: 'agent_platform_daily_credits_by_model', labels: ['model', 'tier'] } as const;
  const stamp = Date.parse('2026-03-02T23:00:00Z');

  test('has the labels sorted by name, the metric name among them, and no empty ones', () => {
    const encoder = createWriteRequestEncoder();
    const plan = planSeries(family, { org: 'acme', job: 'a', Zone: 'z' });
    encoder.add(plan, { labels: { model: 'm', tier: '' }, value: 1.5 }, [stamp, stamp + 1]);
    expect(encoder.samples).toBe(2);
    expect(decodedFrom(encoder)).toEqual([
      {
        labels: [
          ['Zone', 'z'],
          ['__name__', family.name],
          ['job', 'a'],
          ['model', 'm'],
          ['org', 'acme'],
        ],
        samples: [
          { value: 1.5, timestamp: stamp },
          { value: 1.5, timestamp: stamp + 1 },
        ],
      },
    ]);
    expect(encoder.samples).toBe(0);
    expect(decodedFrom(encoder)).toEqual([]);
  });

  test('carries any label values, numbers and instants', () => {
    const series = fc.tuple(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.double(),
      fc.nat({ max: 2 ** 45 }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(series, { maxLength: 30, selector: ([model]) => model }), (list) => {
        const encoder = createWriteRequestEncoder();
        const plan = planSeries(family, { org: 'acme' });
        for (const [model, value, at] of list)
          encoder.add(plan, { labels: { model, tier: 't' }, value }, [at]);
        const decoded = decodedFrom(encoder);
        expect(decoded.map(({ samples }) => samples)).toEqual(
          list.map(([, value, timestamp]) => [{ value, timestamp }]),
        );
        for (const [index, [model]] of list.entries()) {
          const found = new Map(decoded[index]?.labels).get('model') ?? '';
          expect(found).toBe(labelValue(model));
        }
      }),
    );
  });

  test.each([1, 4, 5, 6, 7, 700, 900, 1100])('has a series of %i instants among others', (count) => {
    const encoder = createWriteRequestEncoder();
    const [short, long] = [
      planSeries({ name: 'a', labels: [] }, {}),
      planSeries(family, { org: 'ä'.repeat(90) }),
    ];
    const stamps = Array.from({ length: count }, (_, index) => stamp + index);
    const labels = { model: 'é'.repeat(200), tier: 't' };
    for (const value of [1, 2]) {
      encoder.add(short, { labels: {}, value }, stamps);
      encoder.add(long, { labels, value: -value }, stamps);
    }
    const decoded = decodedFrom(encoder);
    expect(decoded.map(({ samples }) => samples)).toEqual(
      [1, -1].map((sign) =>
        [sign, 2 * sign].flatMap((value) => stamps.map((timestamp) => ({ value, timestamp }))),
      ),
    );
    expect(new Map(decoded[1]?.labels)).toEqual(
      new Map([['__name__', family.name], ['org', 'ä'.repeat(90)], ...Object.entries(labels)]),
    );
  });

  test('has each series once, with all samples, and enough samples', () => {
    const encoder = createWriteRequestEncoder();
    const plan = planSeries(family, { org: 'acme' });
    const models = ['a', 'b', 'c', 'd', 'e'];
    for (const at of [stamp, stamp + 1, stamp + 2]) {
      for (const model of models) encoder.add(plan, { labels: { model, tier: 't' }, value: at }, [at]);
    }
    const taken = takenFrom(encoder, 5);
    expect(taken.map(({ samples }) => samples)).toEqual([6, 6, 3]);
    const decoded = taken.flatMap(({ message }) => decodeWriteRequest(message));
    expect(decoded.map(({ labels }) => new Map(labels).get('model'))).toEqual(models);
    for (const { samples } of decoded) {
      expect(samples.map(({ timestamp }) => timestamp)).toEqual([stamp, stamp + 1, stamp + 2]);
    }
  });

  test('is the same for a page that is the array of the day before as for a copy of it', () => {
    const days = fc.array(fc.record({ page: fc.nat({ max: 2 }), alone: fc.boolean(), taken: fc.boolean() }), {
      maxLength: 20,
    });
    const other = planSeries({ name: 'agent_platform:daily_credits_by_model', labels: ['model'] }, {});
    const pages = [1, 2, 3].map((value) =>
      ['a', 'b', 'c'].slice(0, value).map((model) => ({ labels: { model, tier: 't' }, value })),
    );
    fc.assert(
      fc.property(days, (list) => {
        const plan = planSeries(family, { org: 'acme' });
        const [repeated, copied] = [createWriteRequestEncoder(), createWriteRequestEncoder()];
        for (const [index, { page, alone, taken }] of list.entries()) {
          const samples = pages[page] ?? [];
          const at = [stamp + 10 * index, stamp + 10 * index + 1];
          for (const of of [plan, other]) {
            repeated.addAll(of, samples, at);
            copied.addAll(of, [...samples], at);
          }
          const late = [stamp + 10 * index + 2];
          for (const sample of alone ? samples : []) {
            repeated.add(plan, sample, late);
            copied.add(plan, sample, late);
          }
          expect(repeated.samples).toBe(copied.samples);
          if (taken) expect(takenFrom(repeated, 7)).toEqual(takenFrom(copied, 7));
        }
        expect(takenFrom(repeated, 7)).toEqual(takenFrom(copied, 7));
      }),
    );
  });

  test('has nothing of what was taken before', () => {
    const encoder = createWriteRequestEncoder();
    const plan = planSeries(family, { org: 'acme' });
    const page = [{ labels: { model: 'm', tier: 't' }, value: 1 }];
    const stampsOf = () =>
      decodedFrom(encoder).flatMap(({ samples }) => samples.map(({ timestamp }) => timestamp));
    encoder.addAll(plan, page, [stamp]);
    expect(stampsOf()).toEqual([stamp]);
    encoder.addAll(plan, page, [stamp + 1]);
    expect(stampsOf()).toEqual([stamp + 1]);
    expect(stampsOf()).toEqual([]);
  });

  test('grows with what is put into it', () => {
    const encoder = createWriteRequestEncoder();
    const plan = planSeries(family, { org: 'acme' });
    for (let index = 0; index < 20_000; index++) {
      encoder.add(plan, { labels: { model: `model ${index}`, tier: 'standard' }, value: index }, [stamp]);
    }
    const messages = takenFrom(encoder, 30_000).map(({ message }) => message);
    expect(messages).toHaveLength(1);
    const decoded = decodeWriteRequest(decompressSnappy(compress(Buffer.concat(messages))));
    expect(decoded).toHaveLength(20_000);
    expect(decoded.at(-1)?.samples).toEqual([{ value: 19_999, timestamp: stamp }]);
  });
});
