import { describe, expect, test } from 'vitest';
import type { DocumentCollector } from '../../src/catalog/collector.ts';
import { startOf } from '../../src/catalog/day.ts';
import { readinessCollector } from '../../src/collectors/readiness/collector.ts';
import { wikiCollector } from '../../src/collectors/wiki/collector.ts';
import { measureCardinality, projectFamily } from '../../src/pipeline/cardinality.ts';
import { createFakeSource, createFakeView, DAY, inSlices } from '../collectors/fakes.ts';
import { fetchDocuments } from '../support/readers.ts';
import { createMemoryStore } from '../support/store.ts';

/** What is published after these listings, one after the other, as `family{values}`. */
async function publishedAfter<Document>(
  collector: DocumentCollector<Document>,
  listings: readonly (readonly object[])[],
  limit = 200,
): Promise<Readonly<Record<string, number>>> {
  const { dataset } = collector;
  const history = createMemoryStore();
  for (const listed of listings) {
    const source = createFakeSource({ get: () => listed, pages: [{ reports: listed }] });
    const { documents, damaged = [], complete } = await fetchDocuments(collector, source);
    await history.putDocuments('acme', dataset.name, {
      documents: new Map(documents.map((document) => [dataset.idOf(document), document])),
      damaged: new Set(damaged.map(dataset.idOf)),
      ...{ complete, orgId: undefined, at: 1 },
    });
  }
  const view = createFakeView({ documents: (await history.read('acme')).documents(dataset.name) });
  const cardinality = await inSlices(measureCardinality(collector.families, undefined, view, () => limit));
  const published: Record<string, number> = {};
  for (const measured of cardinality.families) {
    for (const { labels, value } of projectFamily(measured, cardinality.kept, undefined, view)) {
      const values = measured.family.labels.map((label) => labels[label]);
      published[`${measured.family.name.replace('agent_platform_', '')}{${values.join()}}`] = value;
    }
  }
  return published;
}

/** The figures of a family, by label values. */
function only(published: Readonly<Record<string, number>>, family: string): Readonly<Record<string, number>> {
  const own = Object.entries(published).filter(([key]) => key.startsWith(`${family}{`));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(family.length + 1, -1), value]));
}

const passed = { numerator: 1, denominator: 1 };
const failed = { numerator: 0, denominator: 1 };

function report(repo: string, results: unknown, parts: object = {}) {
  return {
    reportId: `${repo}-new`,
    createdAt: startOf(DAY),
    repoUrl: `https://host.example/${repo}`,
    branch: 'main',
    commitHash: 'new',
    apps: { '.': {} },
    report: results,
    ...parts,
  };
}

function former(repo: string, results: unknown) {
  return report(repo, results, {
    reportId: `${repo}-old`,
    createdAt: startOf(DAY) - 1000,
    commitHash: 'old',
  });
}

describe('a report with an unusable result', () => {
  const results = { docs: passed, lint: failed, tests: passed };
  const partial = { docs: passed, lint: { numerator: 5, denominator: 1 }, tests: failed };

  test('has neither a mean nor counts of all criteria, but those of each usable one', async () => {
    const published = await publishedAfter(readinessCollector, [
      [report('a', partial), former('a', results), report('b', results), former('b', results)],
    ]);
    expect(only(published, 'readiness_ratio')).toEqual({ 'host.example/b': 2 / 3 });
    expect(only(published, 'readiness_ratio_previous')).toEqual({
      'host.example/a': 2 / 3,
      'host.example/b': 2 / 3,
    });
    expect(Object.keys(only(published, 'readiness_criteria')).filter((key) => key.includes('/a'))).toEqual(
      [],
    );
    expect(only(published, 'readiness_criteria_regressed')).toEqual({ 'host.example/b': 0 });
    expect(only(published, 'readiness_criterion_ratio')).toMatchObject({
      'host.example/a,docs': 1,
      'host.example/a,tests': 0,
    });
    expect(only(published, 'readiness_criterion_passed')).not.toHaveProperty(['host.example/a,lint']);
  });

  test('as the previous one gives no bound and no regressions', async () => {
    const published = await publishedAfter(readinessCollector, [
      [report('a', results), former('a', partial)],
    ]);
    expect(only(published, 'readiness_ratio')).toEqual({ 'host.example/a': 2 / 3 });
    for (const family of ['ratio_previous', 'ratio_lower', 'criteria_regressed'])
      expect(only(published, `readiness_${family}`), family).toEqual({});
  });

  test('leaves the sums over repositories or criteria that it is part of unknown', async () => {
    const large = { docs: passed, lint: passed, tests: passed, types: passed };
    const reports = [
      report('a', large, { apps: { x: {}, y: {} } }),
      report('b', partial),
      report('c', results),
    ];
    const byRepository = await publishedAfter(readinessCollector, [reports], 1);
    const statuses = only(byRepository, 'readiness_criteria');
    expect(Object.keys(statuses).filter((key) => key.startsWith('other'))).toEqual([]);
    expect(Object.keys(only(byRepository, 'readiness_criterion_passed'))).not.toContain('other,other');
  });

  test('does not replace its better version, and is replaced by one', async () => {
    const good = await publishedAfter(readinessCollector, [[report('a', results)]]);
    const worse = await publishedAfter(readinessCollector, [[report('a', results)], [report('a', partial)]]);
    expect(worse).toEqual(good);
    const better = await publishedAfter(readinessCollector, [[report('a', partial)], [report('a', results)]]);
    expect(better).toEqual(good);
  });
});

test('a report whose applications are unusable leaves their sum over repositories unknown', async () => {
  const reports = ['a', 'b', 'c'].map((repo) => report(repo, { docs: passed }));
  const whole = await publishedAfter(readinessCollector, [reports], 1);
  expect(only(whole, 'readiness_applications')).toMatchObject({ other: 2 });
  const partial = reports.map((one, index) => (index === 2 ? { ...one, apps: 'one' } : one));
  const published = await publishedAfter(readinessCollector, [partial], 1);
  expect(only(published, 'readiness_applications')).not.toHaveProperty('other');
});

test('reports without results have no number of regressed criteria', async () => {
  const published = await publishedAfter(readinessCollector, [
    [report('a', null), former('a', { docs: passed })],
    [report('b', { docs: passed }), former('b', null)],
  ]);
  expect(only(published, 'readiness_criteria_regressed')).toEqual({});
});

describe('a wiki listing with an unusable run', () => {
  const run = (id: string, parts: object = {}) => ({
    wikiRunId: id,
    repoUrl: `https://host.example/${id}`,
    createdAt: startOf(DAY),
    status: 'completed',
    pageCount: 7,
    ...parts,
  });
  const counted = (published: Readonly<Record<string, number>>) => ({
    ...only(published, 'wiki_runs'),
    ...only(published, 'wiki_runs_by_status'),
  });

  test('has no number of runs, but the figures of the usable ones', async () => {
    const published = await publishedAfter(wikiCollector, [[run('a'), { pageCount: 3 }]]);
    expect(counted(published)).toEqual({});
    expect(only(published, 'wiki_pages')).toEqual({ 'host.example/a': 7 });
  });

  test('keeps the runs counted if it still lists all others, and not if it lists new ones', async () => {
    const before = [run('a'), run('b')];
    const same = await publishedAfter(wikiCollector, [before, [run('a'), { pageCount: 3 }]]);
    expect(counted(same)).toEqual({ '': 2, completed: 2 });
    const other = await publishedAfter(wikiCollector, [before, [run('c'), { pageCount: 3 }]]);
    expect(counted(other)).toEqual({});
    const healed = await publishedAfter(wikiCollector, [before, [run('c'), { pageCount: 3 }], before]);
    expect(counted(healed)).toEqual({ '': 2, completed: 2 });
  });

  test('has no number by status if that of a run is unusable, unless it is known from before', async () => {
    const damaged = [run('a'), run('b', { status: 5 })];
    expect(counted(await publishedAfter(wikiCollector, [damaged]))).toEqual({ '': 2 });
    const kept = await publishedAfter(wikiCollector, [[run('a'), run('b')], damaged]);
    expect(counted(kept)).toEqual({ '': 2, completed: 2 });
  });

  test('leaves the sum over repositories unknown that an unusable number of pages is part of', async () => {
    const runs = [run('a', { pageCount: 9 }), run('b'), run('c', { pageCount: -1 })];
    const published = await publishedAfter(wikiCollector, [runs], 1);
    expect(only(published, 'wiki_pages')).not.toHaveProperty('other');
    const whole = await publishedAfter(wikiCollector, [[...runs.slice(0, 2), run('c')]], 1);
    expect(only(whole, 'wiki_pages')).toHaveProperty('other');
  });
});
