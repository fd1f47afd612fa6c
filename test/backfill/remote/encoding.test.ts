import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createWriteRequests } from '../../../src/backfill/remote/write-requests.ts';
import type { Sample } from '../../../src/catalog/family.ts';
import { labelValue } from '../../../src/catalog/label.ts';
import type { PageFamily } from '../../../src/pipeline/past-days.ts';
import { propertyRuns } from '../../support/thoroughness.ts';
import { daily } from '../days.ts';
import { decodeWriteRequest, decompressSnappy } from './decode.ts';

const [declared] = daily.families;
if (declared === undefined) throw new Error('no family');
const family = {
  ...declared,
  name: 'agent_platform_daily_credits_by_model',
  labels: ['model', 'tier'],
} as const;
const stamp = Date.parse('2026-03-02T23:00:00Z');

type Requests = ReturnType<typeof createWriteRequests>;

function add(
  requests: Requests,
  samples: readonly Sample[],
  stamps: readonly number[],
  changes: Partial<PageFamily> = {},
): void {
  const page: PageFamily = { family, recorded: false, stamps, samples: () => samples, ...changes };
  const addOne = requests.adderOf('acme', page);
  for (const sample of samples) addOne(sample);
}

function decodedFrom(requests: Requests, enough = Number.POSITIVE_INFINITY) {
  return requests.take(enough).flatMap(({ body }) => decodeWriteRequest(decompressSnappy(body)));
}

describe('a write request', () => {
  test('has the labels sorted by name, the metric name among them, and no empty ones', () => {
    const requests = createWriteRequests({ job: 'a', Zone: 'z' });
    add(requests, [{ labels: { model: 'm', tier: '' }, value: 1.5 }], [stamp, stamp + 1]);
    expect(requests.samples).toBe(2);
    expect(decodedFrom(requests)).toEqual([
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
    expect(requests.samples).toBe(0);
    expect(decodedFrom(requests)).toEqual([]);
  });

  test('has recorded series without the labels of the target', () => {
    const requests = createWriteRequests({ job: 'a' });
    add(requests, [{ labels: { model: 'm', tier: 't' }, value: 1 }], [stamp], { recorded: true });
    expect(decodedFrom(requests).map(({ labels }) => labels.map(([name]) => name))).toEqual([
      ['__name__', 'model', 'org', 'tier'],
    ]);
  });

  test('carries any label values, numbers and instants', () => {
    const series = fc.tuple(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.double(),
      fc.nat({ max: 2 ** 45 }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(series, { maxLength: 30, selector: ([model]) => model }), (list) => {
        const requests = createWriteRequests({});
        for (const [model, value, at] of list) add(requests, [{ labels: { model, tier: 't' }, value }], [at]);
        const decoded = decodedFrom(requests);
        expect(decoded.map(({ samples }) => samples)).toEqual(
          list.map(([, value, timestamp]) => [{ value, timestamp }]),
        );
        for (const [index, [model]] of list.entries()) {
          const found = new Map(decoded[index]?.labels).get('model') ?? '';
          expect(found).toBe(labelValue(model));
        }
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test.each([1, 7, 1100])('has a series of %i instants among others', (count) => {
    const requests = createWriteRequests({});
    const stamps = Array.from({ length: count }, (_, index) => stamp + index);
    const labels = { model: 'é'.repeat(200), tier: 't' };
    const short: Partial<PageFamily> = { family: { ...family, name: 'a', labels: [] } };
    for (const value of [1, 2]) {
      add(requests, [{ labels: {}, value }], stamps, short);
      add(requests, [{ labels, value: -value }], stamps);
    }
    const decoded = decodedFrom(requests);
    expect(decoded.map(({ samples }) => samples)).toEqual(
      [1, -1].map((sign) =>
        [sign, 2 * sign].flatMap((value) => stamps.map((timestamp) => ({ value, timestamp }))),
      ),
    );
    expect(new Map(decoded[1]?.labels)).toEqual(
      new Map([['__name__', family.name], ['org', 'acme'], ...Object.entries(labels)]),
    );
  });

  test('has each series once, with all samples, and enough samples', () => {
    const requests = createWriteRequests({});
    const models = ['a', 'b', 'c', 'd', 'e'];
    for (const at of [stamp, stamp + 1, stamp + 2]) {
      add(
        requests,
        models.map((model) => ({ labels: { model, tier: 't' }, value: at })),
        [at],
      );
    }
    const taken = requests.take(5);
    expect(taken.map(({ samples }) => samples)).toEqual([6, 6, 3]);
    const decoded = taken.flatMap(({ body }) => decodeWriteRequest(decompressSnappy(body)));
    expect(decoded.map(({ labels }) => new Map(labels).get('model'))).toEqual(models);
    for (const { samples } of decoded) {
      expect(samples.map(({ timestamp }) => timestamp)).toEqual([stamp, stamp + 1, stamp + 2]);
    }
  });

  test('has nothing of what was taken before', () => {
    const requests = createWriteRequests({});
    const samples = [{ labels: { model: 'm', tier: 't' }, value: 1 }];
    const stampsOf = () =>
      decodedFrom(requests).flatMap((series) => series.samples.map(({ timestamp }) => timestamp));
    const page: PageFamily = { family, recorded: false, stamps: [stamp], samples: () => samples };
    const addOne = requests.adderOf('acme', page);
    for (const sample of samples) {
      // A round can end within a family.
      for (const _ of [1, 2]) {
        addOne(sample);
        expect(stampsOf()).toEqual([stamp]);
      }
    }
    expect(stampsOf()).toEqual([]);
  });

  test('is much smaller than the series that it repeats, however many they are', () => {
    const requests = createWriteRequests({});
    const samples = Array.from({ length: 20_000 }, (_, index) => ({
      labels: { model: `model ${index}`, tier: 'standard' },
      value: index,
    }));
    add(requests, samples, [stamp]);
    const [request, ...others] = requests.take(30_000);
    expect(others).toEqual([]);
    const message = decompressSnappy(request?.body ?? Buffer.alloc(0));
    expect(request?.body.length).toBeLessThan(message.length / 3);
    const decoded = decodeWriteRequest(message);
    expect(decoded).toHaveLength(20_000);
    expect(decoded.at(-1)?.samples).toEqual([{ value: 19_999, timestamp: stamp }]);
  });
});
