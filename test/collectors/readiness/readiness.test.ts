import { describe, expect, test } from 'vitest';
import { type Source, UnexpectedAnswer } from '../../../src/catalog/source.ts';
import { readinessCollector } from '../../../src/collectors/readiness/collector.ts';
import { fetchDocuments } from '../../support/readers.ts';
import { createFakeSource, exposedDocuments } from '../fakes.ts';

const CREATED = Date.parse('2026-03-09T12:00:00Z');

function report(parts: object = {}) {
  return {
    reportId: 'r1',
    createdAt: CREATED,
    repoUrl: 'https://github.com/acme/app',
    branch: 'main',
    apps: { '.': { description: 'An application' } },
    report: { readme: { numerator: 1, denominator: 1, rationale: 'It is there' } },
    ...parts,
  };
}

function listing(...reports: unknown[]) {
  return createFakeSource({ pages: [{ reports }, { reports: [] }] });
}

async function kept(parts: object) {
  const { documents, rejected } = await fetchDocuments(readinessCollector, listing(report(parts)));
  return { document: JSON.parse(JSON.stringify(documents[0] ?? null)), rejected };
}

describe('the listing of readiness reports', () => {
  test('is walked on the app host with the last report of a page as cursor', async () => {
    const source = listing(report());
    await fetchDocuments(readinessCollector, source);
    expect(source.requests).toMatchObject([
      {
        endpoint: 'readiness',
        host: 'app',
        path: '/api/organization/maturity-level-reports',
        otherPaths: ['/api/organization/agent-readiness-reports'],
        query: { limit: '100' },
        cursorParameter: 'startAfter',
      },
    ]);
  });

  test('names the cursor of the next page while a page has reports', async () => {
    const source = createFakeSource({});
    let read: ((body: unknown) => unknown) | undefined;
    await fetchDocuments(readinessCollector, {
      ...source,
      pages: (request, onItems) => {
        read = request.read;
        return source.pages(request, onItems);
      },
    });
    const reports = [{ reportId: 'a' }, { reportId: 'b' }];
    expect(read?.({ reports })).toEqual({ items: reports, next: 'b' });
    expect(read?.({ reports, nextStartAfter: 'c' })).toEqual({ items: reports, next: 'c' });
    for (const nextStartAfter of [null, '', 7, {}])
      expect(read?.({ reports, nextStartAfter })).toEqual({ items: reports, next: 'b' });
    expect(read?.({ reports: [] })).toEqual({ items: [], next: undefined });
    expect(read?.({ reports: [], nextStartAfter: null })).toEqual({ items: [], next: undefined });
    expect(read?.({ reports: [{}] })).toEqual({ items: [{}], next: undefined });
  });

  test.each([
    ['empty', true],
    ['last', false],
    ['repeated-cursor', false],
    ['repeated-items', false],
    ['page-cap', false],
  ] as const)('that ended with %s is complete: %s', async (end, complete) => {
    const source = createFakeSource({ pages: [{ reports: [report()] }], end });
    expect((await fetchDocuments(readinessCollector, source)).complete).toBe(complete);
  });

  test.each([null, [], { data: [] }, { reports: {} }])('is rejected as %j', async (body) => {
    const source = createFakeSource({ pages: [body] });
    await expect(fetchDocuments(readinessCollector, source)).rejects.toThrow(UnexpectedAnswer);
  });

  test('drops unusable reports only', async () => {
    const bad = [
      null,
      {},
      report({ reportId: '' }),
      report({ createdAt: 'soon' }),
      report({ repoUrl: '/home/x' }),
    ];
    const { documents, rejected } = await fetchDocuments(readinessCollector, listing(...bad, report()));
    expect(documents.map(({ id }) => id)).toEqual(['r1']);
    expect(rejected).toBe(5);
  });

  test('starts over with smaller pages if one is too large', async () => {
    const sizes: string[] = [];
    const source: Source = {
      get: () => Promise.reject(new Error('not used')),
      async pages({ query }, onItems) {
        sizes.push(query['limit'] ?? '');
        if (sizes.length === 1) throw Object.assign(new Error('too large'), { tooLarge: true });
        onItems([]);
        return { end: 'empty', complete: true, pages: 1, bytes: 0 };
      },
      lines: () => Promise.reject(new Error('not used')),
      inSlices: () => Promise.reject(new Error('not used')),
    };
    expect(await fetchDocuments(readinessCollector, source)).toMatchObject({ complete: true, remarks: [] });
    expect(sizes).toEqual(['100', '20']);
  });

  test('says why it is incomplete', async () => {
    const fetched = await fetchDocuments(readinessCollector, createFakeSource({ end: 'repeated-items' }));
    expect(fetched.remarks).toEqual(['incomplete listing of reports (repeated-items)']);
  });
});

describe('the stored part of a report', () => {
  test('is its facts, without rationales, descriptions and credentials', async () => {
    const { document, rejected } = await kept({
      repoUrl: 'https://ann:secret@GitHub.com/acme/app.git',
      commitHash: 'abc',
      hasLocalChanges: false,
      hasNonRemoteCommits: true,
      modelUsed: { id: 'claude-opus-4-8', reasoningEffort: 'high' },
      droidVersion: '1.2.3',
    });
    expect(document).toEqual({
      id: 'r1',
      createdAt: CREATED,
      repo: 'github.com/acme/app',
      branch: 'main',
      commit: 'abc',
      model: 'claude-opus-4-8',
      reasoningEffort: 'high',
      clientVersion: '1.2.3',
      localChanges: false,
      nonRemoteCommits: true,
      applications: 1,
      criteria: [{ id: 'readme', skipped: false, passed: 1, evaluated: 1 }],
    });
    expect(rejected).toBe(0);
  });

  test.each([
    CREATED,
    `${CREATED}`,
    '2026-03-09T12:00:00Z',
    '2026-03-09T12:00:00.000',
    '2026-03-09T14:00:00+02:00',
  ])('is the instant of createdAt %s, in UTC unless it says otherwise', async (createdAt) => {
    expect((await kept({ createdAt })).document.createdAt).toBe(CREATED);
  });

  test.each([0, -1, 1e17, '2026-13-09', '', null, true])(
    'is undefined if createdAt is %j',
    async (createdAt) => {
      expect(await kept({ createdAt })).toEqual({ document: null, rejected: 1 });
    },
  );

  test('is a model that is only named', async () => {
    expect((await kept({ modelUsed: 'gpt-5.4-mini' })).document.model).toBe('gpt-5.4-mini');
  });

  test('omits optional fields of the wrong type', async () => {
    const wrong = {
      branch: 5,
      commitHash: {},
      hasLocalChanges: 'perhaps',
      modelUsed: 7,
      apps: [],
      report: 'none',
    };
    const { document, rejected } = await kept(wrong);
    expect(document).toEqual({
      ...{ id: 'r1', createdAt: CREATED, repo: 'github.com/acme/app' },
      ...{ applications: null, criteria: null },
    });
    expect(rejected).toBe(6);
  });

  test('takes a null numerator for a skipped criterion and rejects impossible ones', async () => {
    const results = JSON.parse(`{
      "skipped": {"numerator": null, "denominator": 1},
      "bare": {"numerator": null},
      "__proto__": {"numerator": "1", "denominator": "2"},
      "more": {"numerator": 3, "denominator": 2},
      "negative": {"numerator": -1, "denominator": 2},
      "nothing": {"numerator": 0, "denominator": 0},
      "words": {"numerator": "all", "denominator": 2},
      "missing": {"denominator": 2},
      "none": null,
      "text": "passed"
    }`);
    const { document, rejected } = await kept({ report: results });
    const isUsable = ({ skipped }: { skipped: boolean | null }) => skipped !== null;
    expect(document.criteria.filter(isUsable)).toEqual([
      { id: '__proto__', skipped: false, passed: 1, evaluated: 2 },
      { id: 'bare', skipped: true },
      { id: 'skipped', skipped: true },
    ]);
    expect(document.criteria).toHaveLength(10);
    expect(rejected).toBe(7);
  });
});

describe('the readiness of a repository', () => {
  const older = report({
    reportId: 'r0',
    createdAt: CREATED - 1000,
    commitHash: 'a',
    report: {
      better: { numerator: 0, denominator: 2 },
      worse: { numerator: 2, denominator: 2 },
      gone: { numerator: 1, denominator: 1 },
      skipped: { numerator: 1, denominator: 1 },
    },
  });
  const newer = report({
    commitHash: 'b',
    apps: { web: {}, api: {} },
    report: {
      better: { numerator: 2, denominator: 2 },
      worse: { numerator: 1, denominator: 2 },
      appeared: { numerator: 0, denominator: 2 },
      skipped: { numerator: null, denominator: 2 },
    },
  });

  test('is that of its current report, and the criteria that regressed', async () => {
    expect(await exposedDocuments(readinessCollector, listing(newer, older))).toEqual([
      'readiness_ratio{repo="github.com/acme/app"} 0.5',
      'readiness_ratio_previous{repo="github.com/acme/app"} 0.75',
      'readiness_criterion_ratio{repo="github.com/acme/app",criterion="appeared"} 0',
      'readiness_criterion_ratio{repo="github.com/acme/app",criterion="better"} 1',
      'readiness_criterion_ratio{repo="github.com/acme/app",criterion="worse"} 0.5',
      'readiness_criterion_ratio_previous{repo="github.com/acme/app",criterion="better"} 0',
      'readiness_criterion_ratio_previous{repo="github.com/acme/app",criterion="worse"} 1',
      'readiness_criterion_passed{repo="github.com/acme/app",criterion="appeared"} 0',
      'readiness_criterion_passed{repo="github.com/acme/app",criterion="better"} 2',
      'readiness_criterion_passed{repo="github.com/acme/app",criterion="worse"} 1',
      'readiness_criterion_evaluated{repo="github.com/acme/app",criterion="appeared"} 2',
      'readiness_criterion_evaluated{repo="github.com/acme/app",criterion="better"} 2',
      'readiness_criterion_evaluated{repo="github.com/acme/app",criterion="worse"} 2',
      'readiness_criteria{repo="github.com/acme/app",status="passed"} 1',
      'readiness_criteria{repo="github.com/acme/app",status="partial"} 1',
      'readiness_criteria{repo="github.com/acme/app",status="failed"} 1',
      'readiness_criteria{repo="github.com/acme/app",status="skipped"} 1',
      'readiness_criteria_regressed{repo="github.com/acme/app"} 1',
      'readiness_applications{repo="github.com/acme/app"} 2',
      `readiness_report_timestamp_seconds{repo="github.com/acme/app"} ${CREATED / 1000}`,
      'readiness_report_info{repo="github.com/acme/app",branch="main",commit="b",model="",reasoning_effort="",client_version="",local_changes="",non_remote_commits=""} 1',
      'readiness_ratio_lower{repo="github.com/acme/app"} 0.65',
    ]);
  });

  test('has the previous ratio of a criterion only where it differs, however the numbers of applications do', async () => {
    const evaluated = (numerator: number, denominator: number) => ({ same: { numerator, denominator } });
    const former = async (parts: object) => {
      const before = report({
        reportId: 'r0',
        createdAt: CREATED - 1000,
        commitHash: 'a',
        report: evaluated(1, 2),
      });
      const lines = await exposedDocuments(
        readinessCollector,
        listing(report({ commitHash: 'b', ...parts }), before),
      );
      return lines.filter((line) => line.startsWith('readiness_criterion_ratio_previous'));
    };
    expect(await former({ report: evaluated(2, 4) })).toEqual([]);
    expect(await former({ report: evaluated(1, 4) })).toHaveLength(1);
    expect(await former({ report: evaluated(1, 4), commitHash: 'a' })).toEqual([]);
  });

  test('has a lower bound that the noise of the earlier reports explains', async () => {
    const scored = (index: number, percent: number) =>
      report({
        reportId: `r${index}`,
        createdAt: CREATED - index * 86_400_000,
        commitHash: `c${index}`,
        report: { one: { numerator: percent, denominator: 100 } },
      });
    const lower = async (...percents: readonly number[]) => {
      const lines = await exposedDocuments(
        readinessCollector,
        listing(...percents.map((percent, index) => scored(index, percent))),
      );
      return Number(lines.find((line) => line.startsWith('readiness_ratio_lower'))?.split(' ')[1]);
    };
    expect(await lower(30, 80, 79, 80, 81)).toBeCloseTo(0.7555, 4);
    expect(await lower(30, 80, 80, 80, 80)).toBeCloseTo(0.78, 12);
    expect(await lower(30, 80, 60, 20)).toBeCloseTo(0.7, 12);
    expect(await lower(30, 5, 80, 5, 80)).toBe(0);
    expect(await lower(30)).toBeNaN();
  });

  test('omits the per-criterion counts if so configured', async () => {
    const view = { readiness: { criterionCounts: false } };
    const lines = await exposedDocuments(readinessCollector, listing(newer), view);
    expect(lines.filter((line) => line.startsWith('readiness_criterion_'))).toHaveLength(3);
  });

  test('has no ratio where every criterion was skipped, and no statuses without results', async () => {
    const skipped = report({ report: { readme: { numerator: null } } });
    const lines = await exposedDocuments(readinessCollector, listing(skipped), {
      readiness: { levelRule: 'bands' },
    });
    expect(lines.filter((line) => /_ratio|_level/.test(line))).toEqual([]);
    const bare = await exposedDocuments(readinessCollector, listing(report({ report: null })));
    expect(bare.filter((line) => line.startsWith('readiness_criteria'))).toEqual([]);
  });

  test.each([
    [0, 1],
    [19, 1],
    [20, 2],
    [60, 4],
    [79, 4],
    [80, 5],
    [100, 5],
  ])('at %s %% is level %s with the bands', async (numerator, level) => {
    const source = listing(report({ report: { readme: { numerator, denominator: 100 } } }));
    const lines = await exposedDocuments(readinessCollector, source, { readiness: { levelRule: 'bands' } });
    expect(lines).toContain(`readiness_level{repo="github.com/acme/app"} ${level}`);
  });

  test('shows local changes and unpushed commits as yes or no', async () => {
    const source = listing(report({ hasLocalChanges: true, hasNonRemoteCommits: false }));
    const lines = await exposedDocuments(readinessCollector, source);
    expect(lines.at(-1)).toContain('local_changes="true",non_remote_commits="false"');
  });
});
