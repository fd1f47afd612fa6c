import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { Instruments } from '../../src/exposition/instruments.ts';
import { makeCounter, makeGauge } from '../../src/exposition/own-metric.ts';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';
import { failureReasons } from '../../src/text/errors.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { parsePage } from './parse.ts';
import { ReadInstruments } from './read-instruments.ts';

const PREFIX = 'agent_platform_exporter_';
const build = { version: '1.2.3', revision: 'abc', clock: createFakeClock(1_700_000_000_500) };

function create(series?: () => ReadonlyMap<string, number>): ReadInstruments {
  return new ReadInstruments({ ...build, page: series && { series }, processMetrics: false });
}

function linesOf(instruments: ReadInstruments): Promise<readonly string[]> {
  return instruments.lines();
}

describe('the metrics about the exporter', () => {
  test('are absent until known, except for the build and the configuration', async () => {
    expect(await linesOf(create())).toEqual([
      `${PREFIX}build_info{version="1.2.3",revision="abc",node_version="${process.version}"} 1`,
      `${PREFIX}config_last_reload_successful 1`,
      `${PREFIX}config_last_reload_success_timestamp_seconds 1700000000.5`,
    ]);
  });

  test('start at 0 where what they count can be foreseen', async () => {
    const instruments = create();
    instruments.initCounters('acme', { endpoints: ['tokens', 'wiki'], dayDatasets: ['tokens'] });
    const lines = await linesOf(instruments);
    expect(lines.filter((line) => line.startsWith(`${PREFIX}api_requests_total`))).toEqual(
      ['tokens', 'wiki'].flatMap((endpoint) =>
        ['200', '401', '403', '429', '500', '503', 'timeout', 'network'].map(
          (code) => `${PREFIX}api_requests_total{org="acme",endpoint="${endpoint}",code="${code}"} 0`,
        ),
      ),
    );
    expect(lines).toContain(`${PREFIX}api_retries_total{org="acme",endpoint="wiki"} 0`);
    expect(lines).toContain(`${PREFIX}records_rejected_total{org="acme",dataset="wiki"} 0`);
    expect(lines).toContain(`${PREFIX}day_revisions_total{org="acme",dataset="tokens"} 0`);
    expect(lines).not.toContain(`${PREFIX}day_revisions_total{org="acme",dataset="wiki"} 0`);
  });

  test('report a successful run, and the failure of the next one', async () => {
    const instruments = create();
    const labels = 'org="acme",collector="tokens"';
    instruments.collectorRun({ org: 'acme', collector: 'tokens', at: 1_700_000_000_500, seconds: 1.5 });
    const good = await linesOf(instruments);
    expect(good).toContain(`${PREFIX}collector_success{${labels}} 1`);
    expect(good).toContain(`${PREFIX}collector_last_success_timestamp_seconds{${labels}} 1700000000.5`);
    expect(good).toContain(`${PREFIX}collector_duration_seconds{${labels}} 1.5`);
    expect(good.filter((line) => line.startsWith(`${PREFIX}collector_failing`))).toEqual(
      failureReasons.map((reason) => `${PREFIX}collector_failing{${labels},reason="${reason}"} 0`),
    );
    instruments.collectorRun({
      org: 'acme',
      collector: 'tokens',
      at: 1_700_000_000_500,
      seconds: 2,
      failure: 'auth',
    });
    const bad = await linesOf(instruments);
    expect(bad).toContain(`${PREFIX}collector_success{${labels}} 0`);
    expect(bad).toContain(`${PREFIX}collector_last_run_timestamp_seconds{${labels}} 1700000000.5`);
    expect(bad).toContain(`${PREFIX}collector_failing{${labels},reason="auth"} 1`);
    expect(bad).toContain(`${PREFIX}collector_failing{${labels},reason="server"} 0`);
  });

  test('have no last success after a first run that failed, unless an earlier process had one', async () => {
    const instruments = create();
    instruments.collectorRun({
      org: 'acme',
      collector: 'tokens',
      at: 1_700_000_000_500,
      seconds: 1,
      failure: 'network',
    });
    expect((await linesOf(instruments)).join()).not.toContain('last_success');
    instruments.restoreLastSuccess({ org: 'acme', collector: 'tokens', at: 5000 });
    expect((await linesOf(instruments)).join()).toContain(
      'last_success_timestamp_seconds{org="acme",collector="tokens"} 5,',
    );
  });

  test('count requests by code and observe their duration', async () => {
    const instruments = create();
    instruments.apiRequest({ org: 'acme', endpoint: 'tokens', code: '200', seconds: 0.3 });
    instruments.retry({ org: 'acme', endpoint: 'tokens' });
    const lines = await linesOf(instruments);
    expect(lines).toContain(`${PREFIX}api_requests_total{org="acme",endpoint="tokens",code="200"} 1`);
    expect(lines).toContain(`${PREFIX}api_retries_total{org="acme",endpoint="tokens"} 1`);
    const duration = `${PREFIX}api_request_duration_seconds`;
    expect(lines).toContain(`${duration}_bucket{org="acme",le="0.25",endpoint="tokens"} 0`);
    expect(lines).toContain(`${duration}_bucket{org="acme",le="0.5",endpoint="tokens"} 1`);
    expect(lines).toContain(`${duration}_sum{org="acme",endpoint="tokens"} 0.3`);
  });

  test('show the stored lags of days, each bucket with those below it, over all organizations', async () => {
    const instruments = create();
    instruments.dayLags('acme', 'tokens', {
      'published 7200': [2, 9_000_000],
      'published Infinity': [2, 4_000_000_000],
    });
    instruments.dayLags('globex', 'tokens', { 'published 7200': [2, 1_000_000] });
    const lines = await linesOf(instruments);
    const published = `${PREFIX}day_published_lag_seconds`;
    expect(lines).toContain(`${published}_bucket{le="3600",dataset="tokens"} 0`);
    expect(lines).toContain(`${published}_bucket{le="7200",dataset="tokens"} 4`);
    expect(lines).toContain(`${published}_bucket{le="1209600",dataset="tokens"} 4`);
    expect(lines).toContain(`${published}_bucket{le="+Inf",dataset="tokens"} 6`);
    expect(lines).toContain(`${published}_sum{dataset="tokens"} 4010000`);
    expect(lines).toContain(`${published}_count{dataset="tokens"} 6`);
    expect(lines).toContain(`${PREFIX}day_settled_lag_seconds_count{dataset="tokens"} 0`);
    instruments.forgetOrg('globex');
    expect(await linesOf(instruments)).toContain(`${published}_count{dataset="tokens"} 4`);
  });

  test('show the published series, and no removed collector', async () => {
    let series = new Map([['tokens', 3]]);
    const instruments = create(() => series);
    expect(await linesOf(instruments)).toContain(`${PREFIX}series{collector="tokens"} 3`);
    series = new Map([['tools', 4]]);
    const lines = await linesOf(instruments);
    expect(lines).toContain(`${PREFIX}series{collector="tools"} 4`);
    expect(lines.join()).not.toContain('tokens');
  });

  test('forget an organization whole, and no other', async () => {
    const instruments = create();
    for (const org of ['acme', 'beta']) {
      instruments.initCounters(org, { endpoints: ['tokens'], dayDatasets: ['tokens'] });
      instruments.apiRequest({ org, endpoint: 'tokens', code: '200', seconds: 1 });
      instruments.collectorRun({ org, collector: 'tokens', at: 1_700_000_000_500, seconds: 1 });
      instruments.recordsRejected({ org, dataset: 'tokens', count: 2 });
      instruments.fields({ org, dataset: 'tokens' }, 2, 1);
      instruments.dayRevisions({ org, dataset: 'tokens', count: 2 });
      instruments.valuesFolded({ org, metric: 'm', count: 2 });
      instruments.familiesDropped({ org, collector: 'tokens', count: 2 });
    }
    const ofBeta = (await linesOf(instruments)).filter((line) => /org="beta"|config_last_reload/.test(line));
    instruments.forgetOrg('acme');
    expect((await linesOf(instruments)).slice(1).sort()).toEqual(ofBeta.sort());
  });
});

test('a disabled collector leaves no figure, and another one with the same dataset keeps those of the dataset', async () => {
  const instruments = create();
  for (const [collector, dataset, metric] of [
    ['tokens', 'tokens', 'of_tokens'],
    ['tools', 'tools', 'of_tools'],
  ] as const) {
    instruments.initCounters('acme', { endpoints: [dataset], dayDatasets: [dataset] });
    instruments.collectorRun({ org: 'acme', collector, at: 1_000, seconds: 1 });
    instruments.recordsRejected({ org: 'acme', dataset, count: 3 });
    instruments.valuesFolded({ org: 'acme', metric, count: 2 });
    instruments.dayLags('acme', dataset, { 'published 3600': [1, 7_000] });
  }
  const before = await linesOf(instruments);
  expect(before).toContain(`${PREFIX}records_rejected_total{org="acme",dataset="tokens"} 3`);
  expect(before).toContain(`${PREFIX}day_published_lag_seconds_count{dataset="tokens"} 1`);
  const gone = { org: 'acme', collector: 'tokens', metrics: new Set(['of_tokens']) };
  instruments.forgetCollector({ ...gone, dataset: undefined });
  const shared = before.filter((line) => !/collector="tokens"|of_tokens/.test(line));
  expect(await linesOf(instruments)).toEqual(shared);
  instruments.forgetCollector({ ...gone, dataset: 'tokens' });
  expect(await linesOf(instruments)).toEqual(shared.filter((line) => !/"tokens"/.test(line)));
  instruments.forgetCollector({ ...gone, org: 'nobody', dataset: 'tokens' });
});

test('a reload says whether it succeeded, and when one last did', async () => {
  const clock = createFakeClock(1_700_000_000_000);
  const instruments = new ReadInstruments({ ...build, clock, processMetrics: false });
  const reloads = async () =>
    (await linesOf(instruments)).filter((line) => line.includes('reload')).map((line) => line.split(' ')[1]);
  clock.set(1_700_000_060_000);
  instruments.configReload(false);
  expect(await reloads()).toEqual(['0', '1700000000']);
  instruments.configReload(true);
  expect(await reloads()).toEqual(['1', '1700000060']);
});

test('the organizations of the last configuration have the time at which it was applied', async () => {
  const clock = createFakeClock(1_700_000_000_000);
  const instruments = new ReadInstruments({ ...build, clock, processMetrics: false });
  instruments.configOrgs(['acme', 'globex']);
  clock.set(1_700_000_060_000);
  instruments.configOrgs(['acme']);
  const configured = (await linesOf(instruments)).filter((line) => line.includes('config_org'));
  expect(configured).toEqual([expect.stringMatching(/\{org="acme"\} 1700000060$/)]);
});

test('the excluded families are those of the last configuration', async () => {
  const instruments = create();
  for (const families of [['a', 'b'], ['b']]) instruments.familiesExcluded(families);
  const excluded = (await linesOf(instruments)).filter((line) => line.includes('excluded'));
  expect(excluded).toEqual([expect.stringMatching(/\{family="b"\} 1$/)]);
});

test('a metric is what it is declared as, and a store that is no database is neither up nor down', async () => {
  const registry = new Registry();
  makeCounter(registry, ownMetrics.dayRevisions);
  expect(() => makeGauge(registry, ownMetrics.apiRetries)).toThrow('is declared as a counter');
  expect(() => makeCounter(registry, ownMetrics.buildInfo)).toThrow('is declared as a gauge');
  const store = { databases: [], named: { storeId: 'a' } };
  const instruments = new ReadInstruments({ ...build, store, processMetrics: false });
  expect((await linesOf(instruments)).join()).not.toContain('store_up');
});

test('whether the history is in its file is asked for with each scrape, and absent where it needs none', async () => {
  let persistent = true;
  const files = { databases: [{ isUp: () => true }, { isUp: () => persistent }], areFiles: true };
  const parts = { store: { ...files, named: { storeId: 'a' } }, processMetrics: false };
  const instruments = new ReadInstruments({ ...build, ...parts });
  expect(await linesOf(instruments)).toContain(`${PREFIX}history_persistent 1`);
  persistent = false;
  expect(await linesOf(instruments)).toContain(`${PREFIX}history_persistent 0`);
  expect((await linesOf(create())).join()).not.toContain('history_persistent');
});

test('the store is asked for with each scrape, and its identifier is absent until it is known', async () => {
  const named: { storeId: string | undefined } = { storeId: undefined };
  const store = { databases: [{ isUp: () => named.storeId !== undefined }], named };
  const instruments = new ReadInstruments({ ...build, store, processMetrics: false });
  expect(await linesOf(instruments)).toContain(`${PREFIX}store_up 0`);
  expect((await linesOf(instruments)).join()).not.toContain('store_info{');
  named.storeId = 'a';
  expect(await linesOf(instruments)).toContain(`${PREFIX}store_up 1`);
  expect(await linesOf(instruments)).toContain(`${PREFIX}store_info{store="a"} 1`);
});

test('a process that polls no more has no figures about runs, but its counters', async () => {
  const instruments = new ReadInstruments({
    ...build,
    leader: { isLeader: () => false, notPolled: () => 2 },
    processMetrics: false,
  });
  instruments.initCounters('acme', { endpoints: ['tokens'], dayDatasets: ['tokens'] });
  instruments.dayRevisions({ org: 'acme', dataset: 'tokens', count: 2 });
  instruments.collectorRun({ org: 'acme', collector: 'tokens', at: 1_000, seconds: 1 });
  const before = (await linesOf(instruments)).filter((line) => !line.includes('exporter_collector_'));
  instruments.forgetRuns('acme');
  expect(await linesOf(instruments)).toEqual(before);
  expect(before).toContain(`${PREFIX}day_revisions_total{org="acme",dataset="tokens"} 2`);
  expect(before).toContain(`${PREFIX}leader 0`);
  expect(before).toContain(`${PREFIX}orgs_not_polled 2`);
});

describe('the table of the metrics', () => {
  test('lists the metrics of the process and of each organization', async () => {
    const store = { databases: [{ isUp: () => true }], areFiles: true, named: { storeId: 'a' } };
    const parts = {
      ...{ page: { series: () => new Map() }, store },
      leader: { isLeader: () => true, notPolled: () => 0 },
      processMetrics: false,
    };
    const instruments = new Instruments({ ...build, ...parts });
    const ofProcess = (await instruments.registry.getMetricsAsJSON()).map(({ name, help, type }) => ({
      name,
      help,
      type: String(type),
    }));
    const labels = { org: 'acme', collector: 'tokens', at: 1, seconds: 1 };
    instruments.initCounters('acme', { endpoints: ['tokens'], dayDatasets: ['tokens'] });
    instruments.collectorRun(labels);
    instruments.apiRequest({ ...labels, endpoint: 'tokens', code: '200' });
    instruments.fields({ org: 'acme', dataset: 'tokens' }, 1, 1);
    instruments.valuesFolded({ org: 'acme', metric: 'm', count: 1 });
    instruments.dayLags('acme', 'tokens', {});
    instruments.familiesDropped({ ...labels, count: 1 });
    const { types, help } = parsePage(String(Buffer.concat([...instruments.textsOfOrgs('text')])));
    const ofOrgs = [...types].map(([name, type]) => ({ name, help: help.get(name), type }));
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    const held = [...ofProcess, ...ofOrgs].sort(byName);
    const declared = Object.values(ownMetrics).map(({ name, help, type }) => ({ name, help, type }));
    expect(held).toEqual(declared.sort(byName));
  });

  test.each(Object.values(ownMetrics))('declares $name as promtool likes it', ({ name, help, type }) => {
    expect(name.endsWith('_total')).toBe(type === 'counter');
    expect(name).toMatch(/^agent_platform_exporter_[a-z_]+$/);
    expect(name).not.toMatch(/_(count|sum|bucket)$/);
    expect(help).toMatch(/^[A-Z][^"\n]+\.$/);
  });
});

test("Node's own metrics come along, except those named like counters", async () => {
  const { registry } = new Instruments(build);
  const page = parsePage((await registry.metrics()).replaceAll('Nan', 'NaN'));
  expect([...page.types.keys()]).toContain('process_start_time_seconds');
  const misnamed = [...page.types].filter(([name, type]) => name.endsWith('_total') !== (type === 'counter'));
  expect(misnamed).toEqual([]);
  // OpenMetrics would escape them, and prom-client's text does not.
  expect([...page.help.values()].filter((help) => help.includes('"'))).toEqual([]);
});
