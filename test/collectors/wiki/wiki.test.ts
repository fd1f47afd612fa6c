import { describe, expect, test } from 'vitest';
import { wikiCollector } from '../../../src/collectors/wiki/collector.ts';
import { fetchDocuments } from '../../support/readers.ts';
import { createFakeSource, exposedDocuments } from '../fakes.ts';

const CREATED = Date.parse('2026-03-09T12:00:00Z');

function run(parts: object = {}) {
  return {
    wikiRunId: 'w1',
    repoUrl: 'git@github.com:acme/app.git',
    createdAt: CREATED,
    pageCount: 7,
    modelUsed: 'glm-5.2',
    ...parts,
  };
}

function answering(body: unknown) {
  return createFakeSource({ get: () => body });
}

describe('the listing of wiki runs', () => {
  test('is asked of the API host', async () => {
    const source = answering([]);
    await fetchDocuments(wikiCollector, source);
    expect(source.requests).toEqual([{ endpoint: 'wiki', host: 'api', path: '/api/v0/wiki', query: {} }]);
  });

  test.each([
    ['a bare array', [run()]],
    ['wikiRuns', { wikiRuns: [run()] }],
    ['data', { data: [run()], meta: {} }],
    ['runs', { runs: [run()] }],
  ])('is read from %s', async (_, body) => {
    const source = answering(body);
    expect(await exposedDocuments(wikiCollector, source)).toEqual([
      'wiki_runs 1',
      `wiki_last_run_timestamp_seconds{repo="github.com/acme/app"} ${CREATED / 1000}`,
      'wiki_pages{repo="github.com/acme/app"} 7',
    ]);
    expect(source.compared).toEqual([run()]);
  });

  test.each([null, {}, 'text', { wikiRuns: null }, { runs: {} }, { error: 'secret' }])(
    'in another shape (%j) is one remark and no series',
    async (body) => {
      const fetched = await fetchDocuments(wikiCollector, answering(body));
      expect(fetched).toMatchObject({ documents: [], rejected: 0, complete: false });
      expect(fetched.remarks).toEqual([expect.stringContaining('unknown shape')]);
      expect(await exposedDocuments(wikiCollector, answering(body))).toEqual([]);
    },
  );

  test('is the whole of it where its shape is known', async () => {
    expect((await fetchDocuments(wikiCollector, answering({ wikiRuns: [] }))).complete).toBe(true);
  });

  test('loses unusable runs and fields only', async () => {
    const bad = [
      null,
      5,
      {},
      { status: 'done' },
      run({ wikiRunId: 'w2', pageCount: -1, repoUrl: '/home/ann' }),
    ];
    const { documents, rejected } = await fetchDocuments(wikiCollector, answering([...bad, run()]));
    expect(documents.map(({ id, repo, pages, partial }) => [id, repo, pages, partial])).toEqual([
      ['w2', undefined, null, undefined],
      ['w1', 'github.com/acme/app', 7, undefined],
      ['', undefined, undefined, { usable: 2, unusable: 4 }],
    ]);
    expect(rejected).toBe(6);
  });
});

describe('wiki runs', () => {
  test('are counted by status if they have one', async () => {
    const statuses = ['completed', 'failed', 'completed', undefined, null];
    const runs = statuses.map((status, at) => run({ wikiRunId: `w${at}`, repoUrl: null, status }));
    expect(await exposedDocuments(wikiCollector, answering(runs))).toEqual([
      'wiki_runs 5',
      'wiki_runs_by_status{status="completed"} 2',
      'wiki_runs_by_status{status="failed"} 1',
    ]);
  });

  test('show the newest of each repository, whatever the order and the format of the time', async () => {
    const runs = [
      run({ wikiRunId: 'new', createdAt: '2026-03-09T13:00:00Z', pageCount: 9 }),
      run(),
      run({ wikiRunId: 'old', createdAt: String(CREATED - 1), pageCount: 1 }),
      run({ wikiRunId: 'b', repoUrl: 'https://t@git.example.com/b', createdAt: null, completedAt: CREATED }),
    ];
    for (const body of [runs, runs.toReversed()]) {
      expect(await exposedDocuments(wikiCollector, answering(body))).toEqual([
        'wiki_runs 4',
        'wiki_last_run_timestamp_seconds{repo="git.example.com/b"} 1773057600',
        'wiki_last_run_timestamp_seconds{repo="github.com/acme/app"} 1773061200',
        'wiki_pages{repo="git.example.com/b"} 7',
        'wiki_pages{repo="github.com/acme/app"} 9',
      ]);
    }
  });

  test('are distinguished by repository and time if they have no identifier', async () => {
    const runs = [run({ wikiRunId: null }), run({ wikiRunId: null, createdAt: CREATED - 1 })];
    const { documents } = await fetchDocuments(wikiCollector, answering(runs));
    expect(new Set(documents.map(wikiCollector.dataset.idOf)).size).toBe(2);
  });

  test('are those of before the instant', async () => {
    expect(await exposedDocuments(wikiCollector, answering([run()]), { asOf: CREATED - 1 })).toEqual([]);
  });
});
