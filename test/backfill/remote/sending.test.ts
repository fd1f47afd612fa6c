import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Answer, Post } from '../../../src/backfill/remote/post.ts';
import { RemoteTarget, type RemoteTargetDeps } from '../../../src/backfill/remote/remote-target.ts';
import type { Family } from '../../../src/catalog/family.ts';
import type { PageFamily } from '../../../src/pipeline/past-days.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createFakeLogger } from '../../support/fake-logger.ts';
import { daily } from '../days.ts';
import { decodeWriteRequest, decompressSnappy } from './decode.ts';

type Sending = (...of: Parameters<Post>) => Promise<Answer>;

const accepted: Answer = { status: 204, text: '' };
const [, byModel] = daily.families;
if (byModel === undefined) throw new Error('no family');
const family: Family = byModel;

function targetWith(post: Sending, changes: Partial<RemoteTargetDeps> = {}) {
  const clock = createFakeClock(0, { autoAdvance: true });
  const noted: number[] = [];
  const target = new RemoteTarget({
    post: Object.assign(post, { close: () => undefined }),
    clock,
    random: () => 1,
    log: createFakeLogger(),
    labels: {},
    concurrency: 3,
    batchSamples: 4,
    acknowledged: {
      missing: (_, stamps) => stamps,
      note: (_, stamps) => noted.push(...stamps),
      save: async () => undefined,
    },
    ...changes,
  });
  return { clock, target, noted };
}

function page(stamps: readonly number[], series: number): readonly PageFamily[] {
  return [
    {
      family,
      recorded: false,
      stamps,
      *samples() {
        for (let index = 0; index < series; index++) yield { labels: { model: `m${index}` }, value: index };
      },
    },
  ];
}

/** The contents of a body, as `series timestamp`. */
function contentOf(body: Uint8Array): readonly string[] {
  return decodeWriteRequest(decompressSnappy(body)).flatMap(({ labels, samples }) =>
    samples.map(({ timestamp }) => `${labels.map((pair) => pair.join('=')).join()} ${timestamp}`),
  );
}

describe('a target of remote write', () => {
  test('sends every sample once, and no sample of a series together with or before an older one', async () => {
    const pages = fc.array(fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 1, max: 3 })), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(pages, fc.scheduler(), async (list, scheduler) => {
        const arrived: string[] = [];
        const open = new Set<string>();
        const { target } = targetWith(async (body) => {
          const content = contentOf(body);
          const series = new Set(content.map((sample) => sample.split(' ')[0] ?? ''));
          // The same series in two concurrent requests could be stored in either order.
          for (const one of series) expect(open.has(one)).toBe(false);
          for (const one of series) open.add(one);
          await scheduler.schedule(Promise.resolve());
          arrived.push(...content);
          for (const one of series) open.delete(one);
          return accepted;
        });
        const expected: string[] = [];
        async function send(): Promise<void> {
          for (const [index, [series, stamps]] of list.entries()) {
            const at = Array.from({ length: stamps }, (_, step) => index * 10 + step + 1);
            await target.add('acme', page(at, series));
            for (let number = 0; number < series; number++) {
              expected.push(
                ...at.map((stamp) => `__name__=${family.name},model=m${number},org=acme ${stamp}`),
              );
            }
          }
          await target.finish();
        }
        await scheduler.waitFor(send());
        expect(arrived.toSorted()).toEqual(expected.toSorted());
        expect(target.samples).toBe(expected.length);
        const newest = new Map<string, number>();
        for (const sample of arrived) {
          const [series = '', stamp] = sample.split(' ');
          expect(Number(stamp)).toBeGreaterThan(newest.get(series) ?? 0);
          newest.set(series, Number(stamp));
        }
      }),
    );
  });

  test('sends samples of the same instants concurrently, within the limit of requests', async () => {
    const releases: (() => void)[] = [];
    const { target } = targetWith(() => new Promise((resolve) => releases.push(() => resolve(accepted))));
    const added = target.add('acme', page([1], 36));
    await new Promise(setImmediate);
    expect(releases).toHaveLength(3);
    while (releases.length > 0) {
      releases.shift()?.();
      await new Promise(setImmediate);
    }
    await added;
    await target.finish();
    expect(target.samples).toBe(36);
  });

  test('notes what it was given once everything before is acknowledged, and not earlier', async () => {
    let release: (() => void) | undefined;
    const { target, noted } = targetWith(
      () =>
        new Promise((resolve) => {
          release = () => resolve(accepted);
        }),
    );
    await target.add('acme', page([1], 2));
    target.added([], [1]);
    const finished = target.finish();
    await new Promise(setImmediate);
    expect(noted).toEqual([]);
    release?.();
    await finished;
    expect(noted).toEqual([1]);
    // Nothing since.
    target.added([], [2]);
    await target.finish();
    expect(noted).toEqual([1, 2]);
  });

  test('stops at a rejection, and does not acknowledge it', async () => {
    const answers: Answer[] = [accepted, { status: 400, text: 'out of bounds' }];
    const { target, noted } = targetWith(async () => answers.shift() ?? accepted, {
      concurrency: 1,
    });
    await target.add('acme', page([1], 3));
    target.added([], [1]);
    await target.add('acme', page([2], 3));
    target.added([], [2]);
    await target.add('acme', page([3], 3)).catch(() => undefined);
    await expect(target.finish()).rejects.toMatchObject({
      message: 'write request refused (samples: 4): the target answered 400: out of bounds',
      hint: expect.stringContaining('storage.tsdb.out_of_order_time_window'),
    });
    expect([noted, target.samples]).toEqual([[1], 4]);
    await expect(target.add('acme', page([4], 9))).rejects.toThrow('out of bounds');
  });
});

describe('a delivery', () => {
  async function deliver(answers: (Answer | Error)[]) {
    let calls = 0;
    const { clock, target } = targetWith(async () => {
      calls++;
      const answer = answers.shift() ?? accepted;
      if (answer instanceof Error) throw answer;
      return answer;
    });
    await target.add('acme', page([1], 1));
    const error = await target.finish().then(
      () => undefined,
      (thrown: Error) => thrown.message,
    );
    return { calls, error, waits: clock.waits };
  }
  const failing: Answer = { status: 503, text: '' };

  test('is retried after no answer, 429 and 5xx, with increasing delays', async () => {
    const dropped = Object.assign(new Error('secret'), { code: 'ECONNRESET' });
    expect(await deliver([dropped, { status: 429, text: '' }, { ...failing, status: 500 }, failing])).toEqual(
      {
        calls: 5,
        error: undefined,
        waits: [2000, 4000, 8000, 16_000],
      },
    );
  });

  test('waits as long as requested, up to a limit', async () => {
    expect(await deliver([{ ...failing, retryAfterMs: 90_000 }])).toMatchObject({
      calls: 2,
      waits: [90_000],
    });
    expect(await deliver([{ ...failing, retryAfterMs: 3_600_000 }])).toMatchObject({ calls: 1, waits: [] });
  });

  test('ends after ten attempts', async () => {
    const answers = Array.from({ length: 20 }, () => failing);
    expect(await deliver(answers)).toMatchObject({ calls: 10, error: 'the target answered 503' });
  });

  test.each([
    [400, 'out of order sample'],
    [
      400,
      'the sample has been rejected because its timestamp is too old (err-mimir-sample-timestamp-too-old)',
    ],
    [400, 'out of bounds'],
    [503, 'its timestamp is too old'],
    [400, 'duplicate sample for timestamp'],
    [500, 'too old sample'],
    [401, 'Unauthorized'],
    [404, '<html>not found</html>'],
  ])('is not retried after %i %s', async (status, text) => {
    expect(await deliver([{ status, text }])).toMatchObject({ calls: 1, waits: [] });
  });

  const HTML = 'text/html; charset=utf-8';

  test.each<readonly [string, Answer]>([
    ['204 of Prometheus and VictoriaMetrics', { status: 204, text: '' }],
    ['200 of Mimir and Thanos', { status: 200, text: '' }],
    ['202 with JSON', { status: 202, contentType: 'application/json', text: '{"status":"ok"}' }],
    ['200 with plain text', { status: 200, contentType: 'text/plain', text: 'OK <3' }],
    ['200 without a body whose type is HTML', { status: 200, contentType: HTML, text: '' }],
  ])('is acknowledged by %s', async (_, answer) => {
    expect(await deliver([answer])).toEqual({ calls: 1, error: undefined, waits: [] });
  });

  test.each<readonly [string, Answer]>([
    ['type HTML', { status: 200, contentType: HTML, text: 'Please sign in' }],
    ['a document', { status: 200, text: '\n<!DOCTYPE html><title>Sign in</title>' }],
    [
      'a document of another type',
      { status: 204, contentType: 'text/plain', text: '\ufeff<HTML lang="en">' },
    ],
    ['type XHTML', { status: 202, contentType: 'application/xhtml+xml', text: '<?xml version="1.0"?>' }],
  ])('is not acknowledged by a page: %s', async (_, answer) => {
    expect(await deliver([answer])).toEqual({
      calls: 1,
      error: `write request refused (samples: 1): the target answered ${answer.status} with a web page`,
      waits: [],
    });
  });

  test('is retried after a page of a proxy that is out of order', async () => {
    const page = { status: 503, contentType: HTML, text: '<html>Sorry, we are out of order</html>' };
    expect(await deliver([page])).toMatchObject({ calls: 2, error: undefined });
  });

  test.each([
    ['Prometheus', 400, 'out of bounds', /out_of_order_time_window/],
    ['Prometheus', 400, 'out of order sample', /out_of_order_time_window/],
    ['Prometheus', 500, 'too old sample', /out_of_order_time_window/],
    [
      'Mimir',
      400,
      'failed pushing to ingester: user=anonymous: the sample has been rejected because its timestamp is too old (err-mimir-sample-timestamp-too-old)',
      /out_of_order_time_window/,
    ],
    [
      'Mimir',
      400,
      'the sample has been rejected because another sample with a more recent timestamp has already been ingested and out-of-order samples are not allowed (err-mimir-sample-out-of-order)',
      /out_of_order_time_window/,
    ],
    ['Mimir', 400, 'another sample with the same timestamp, but a different value', /another value/],
    ['Thanos', 409, 'store locally for endpoint 127.0.0.1:10901: conflict', /out_of_order_time_window/],
    ['Mimir', 401, 'no org id', /--remote-write\.header/],
    ['a login page', 302, '', /login page or proxy/],
    ['another path', 404, 'not found', /at \/api\/v1\/write/],
    ['a Prometheus that does not receive', 405, '', /--web\.enable-remote-write-receiver/],
    ['another', 409, 'busy', /accepts Prometheus remote write/],
  ])('is refused for good by %s with %i %s', async (_, status, text, hint) => {
    const { target } = targetWith(async () => ({ status, text }));
    await target.add('acme', page([1], 1));
    await expect(target.finish()).rejects.toMatchObject({ hint: expect.stringMatching(hint) });
  });

  test('shows no labels of the series that a target names', async () => {
    const text = 'its timestamp is too old. It is from series m{user="a@b.example"}';
    expect(await deliver([{ status: 400, text }])).toMatchObject({
      error:
        'write request refused (samples: 1): the target answered 400: its timestamp is too old. It is from series m{…}',
    });
  });

  test('never includes the address in an error', async () => {
    const dropped = new Error('connect to http://secret@host failed');
    const { error } = await deliver(Array.from({ length: 10 }, () => dropped));
    expect(error).toBe('no answer from the target (connection failed)');
  });
});
