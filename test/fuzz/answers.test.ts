import { beforeAll, describe, expect, test } from 'vitest';
import { type FetchingCollector, isDayCollector, isFetching } from '../../src/catalog/collector.ts';
import { addDays } from '../../src/catalog/day.ts';
import { IncompleteListing, UnexpectedAnswer } from '../../src/catalog/source.ts';
import { classifyResponse, parseRetryAfter } from '../../src/client/response.ts';
import { collectors } from '../../src/collectors/index.ts';
import { createSandbox, plantedSecrets } from '../../src/sandbox/index.ts';
import { createFakeSource, createFakeView, stored } from '../collectors/fakes.ts';
import { dayNamed } from '../support/day.ts';
import { fetchDays, fetchDocuments } from '../support/readers.ts';
import { mutated, mutatedText } from './mutations.ts';
import { below, drawn, type Random } from './random.ts';
import { tryAll } from './trial.ts';

const TODAY = Date.UTC(2026, 10, 20, 12);
const YESTERDAY = dayNamed('2026-11-19');
const KEY = 'sk-planted-key-0123456789abcdef';
const PATHS: Readonly<Record<string, string>> = {
  readiness: '/api/organization/maturity-level-reports?limit=3',
  wiki: '/api/v0/wiki',
};

describe('whatever the platform answers', () => {
  const bodies = new Map<string, unknown>();
  let emails: readonly string[] = [];

  beforeAll(async () => {
    const platform = createSandbox({ now: () => TODAY, users: 4, repos: 2 });
    const { url } = await platform.listen({ host: '127.0.0.1', port: 0 });
    const headers = { authorization: `Bearer ${platform.orgs[0]?.keys.owner}` };
    const ask = async (path: string) => (await fetch(url + path, { headers })).json();
    for (const { dataset } of collectors.filter(isFetching)) {
      const days = `startDate=${addDays(YESTERDAY, -1)}&endDate=${YESTERDAY}`;
      bodies.set(dataset.name, await ask(PATHS[dataset.name] ?? `/api/v1/analytics/${dataset.name}?${days}`));
    }
    emails = [...JSON.stringify([...bodies]).matchAll(/[\w.+-]+@[\w-]+\.[\w.]+/g)].map(([email]) => email);
    await platform.close();
  });

  test.each(collectors.filter(isFetching))(
    '$name parses it or says in one line why not',
    async (collector) => {
      await tryAll({
        seeds: 6_000,
        secrets: [...Object.values(plantedSecrets), ...emails],
        isForeseen: (error) => error instanceof UnexpectedAnswer || error instanceof IncompleteListing,
        run: (random) => published(collector, mutated(bodies.get(collector.dataset.name), random)),
      });
    },
  );

  test('an answer is classified without repeating the key', async () => {
    const pieces: readonly [string, ...string[]] = [
      JSON.stringify({ title: 'Unauthorized', detail: `Invalid API key ${KEY}`, status: 401 }),
      JSON.stringify({ errors: [{ message: `bad token: Bearer ${KEY}` }] }),
      `<html><title>Sign in</title><body>${KEY}</body></html>`,
      `upstream said: authorization=Bearer ${KEY}`,
      '',
    ];
    await tryAll({
      seeds: 30_000,
      secrets: [KEY],
      isForeseen: () => false,
      run(random) {
        const text = inserted(drawn(pieces, random), random);
        const outcome = classifyResponse(
          {
            kind: 'answer',
            status: drawn([200, 204, 400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 599], random),
            contentType: drawn(
              [undefined, 'application/json', 'text/html', 'text/plain; charset=x', ''],
              random,
            ),
            retryAfter: header(random),
            date: header(random),
            text,
            bytes: text.length,
          },
          'GET /api/v1/analytics/tokens',
          { key: KEY, now: TODAY, maxResponseBytes: 1000 },
        );
        if (outcome.ok) return '';
        if (outcome.retryAfterMs !== undefined) expectPause(outcome.retryAfterMs);
        return `${outcome.error.message} ${outcome.error.hint ?? ''}`;
      },
    });
  });

  test('a Retry-After is a pause of at most a day, or none', async () => {
    await tryAll({
      seeds: 30_000,
      secrets: [],
      isForeseen: () => false,
      run(random) {
        const pause = parseRetryAfter(header(random), TODAY);
        if (pause !== undefined) expectPause(pause);
        return '';
      },
    });
  });
});

/** Everything that would be published and logged for an answer. */
async function published(collector: FetchingCollector, body: unknown): Promise<string> {
  const source = createFakeSource({ get: () => body, pages: [body] });
  const day = YESTERDAY;
  let view: ReturnType<typeof createFakeView>;
  let remarks: readonly string[];
  if (isDayCollector(collector)) {
    const fetched = await fetchDays(collector, source, { from: day, to: day });
    remarks = fetched.remarks;
    view = createFakeView({ rows: stored(fetched.rows), asOf: TODAY });
  } else {
    const fetched = await fetchDocuments(collector, source);
    remarks = fetched.remarks;
    view = createFakeView({ documents: fetched.documents, asOf: TODAY });
  }
  const lines = [...remarks];
  for (const family of collector.families) {
    const samples = family.scope === 'day' ? family.samplesOf(view, day) : family.samplesOf(view);
    for (const { labels, value } of samples ?? []) {
      // The sum of the parts may exceed the whole given by the platform.
      const least = family.name.includes('unattributed') ? Number.NEGATIVE_INFINITY : 0;
      // NaN is a value that is unknown, which is never published.
      if (!(Number.isNaN(value) || Number.isFinite(value)) || value < least)
        throw new Error(`${family.name} is ${value}`);
      lines.push(`${family.name} ${JSON.stringify(labels)}`);
    }
  }
  return lines.join('\n');
}

/** The text with insertions, so that the key itself stays intact. */
function inserted(text: string, random: Random): string {
  const at = below(text.length + 1, random);
  const inKey = text.indexOf(KEY) >= 0 && at > text.indexOf(KEY) && at < text.indexOf(KEY) + KEY.length;
  return inKey ? text : text.slice(0, at) + mutatedText('{"a": [1, "b"]}', random) + text.slice(at);
}

function header(random: Random): string | undefined {
  const good: readonly [string, ...string[]] = [
    '120',
    '0',
    '1.5',
    'Fri, 20 Nov 2026 12:00:30 GMT',
    new Date(TODAY).toISOString(),
  ];
  if (random() < 0.05) return undefined;
  return mutatedText(drawn(good, random), random);
}

function expectPause(ms: number): void {
  expect(ms >= 0 && ms <= 3_600_000, `a pause of ${ms} ms`).toBe(true);
}
