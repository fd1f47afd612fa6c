import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addDays, type Day, parseDay, startOf } from '../../src/catalog/day.ts';
import { preciseSum } from '../../src/collectors/counts.ts';
import { createFileSink, createStreamSink } from '../../src/export/sink.ts';
import { createJsonlFormat, createTidyFormat, createWideFormat } from '../../src/export/tables.ts';
import { daily, documents, orgWith } from '../backfill/days.ts';
import { dayNamed } from '../support/day.ts';
import { waitFor } from '../support/wait-for.ts';
import { exported } from './fixtures.ts';

const FIRST = dayNamed('2026-03-01');
const NOW = startOf(dayNamed('2026-03-20'));
const rows = [
  { credits: 5, models: { a: 3, '=b': 2 } },
  { credits: 7, models: { a: 7 } },
];
const org = orgWith(FIRST, rows, [{ at: startOf(dayNamed('2026-03-03')) + 1, repo: 'r' }]);

const common = {
  orgs: [org],
  collectors: [daily, documents],
  from: FIRST,
  to: addDays(FIRST, 1),
  now: NOW,
};

describe('the tidy formats', () => {
  test('have a row per figure, with zeros for models of the days before', async () => {
    const { lines, outcome } = await exported({ ...common, format: createTidyFormat('day') });
    expect(lines.join('')).toBe(`day,organization,metric,labels,value,unit,provisional,platform
2026-03-01,acme,agent_platform_test_credits,{},5,credits,false,agent-platform
2026-03-01,acme,agent_platform_test_credits_by_model,"{""model"":""a""}",3,credits,false,agent-platform
2026-03-01,acme,agent_platform_test_credits_by_model,"{""model"":""=b""}",2,credits,false,agent-platform
2026-03-02,acme,agent_platform_test_credits,{},7,credits,false,agent-platform
2026-03-02,acme,agent_platform_test_credits_by_model,"{""model"":""a""}",7,credits,false,agent-platform
2026-03-02,acme,agent_platform_test_credits_by_model,"{""model"":""=b""}",0,credits,false,agent-platform
2026-03-02,acme,agent_platform_test_reports,"{""repo"":""r""}",1,credits,false,agent-platform
`);
    expect(outcome).toMatchObject({ rows: 7, interrupted: false });
  });

  test('have the same content as JSON lines', async () => {
    const { lines } = await exported({ ...common, to: FIRST, format: createJsonlFormat('day') });
    expect(lines.slice(1, 3).map((line) => JSON.parse(line))).toEqual([
      {
        day: '2026-03-01',
        organization: 'acme',
        metric: 'agent_platform_test_credits',
        labels: {},
        value: 5,
        unit: 'credits',
      },
      {
        day: '2026-03-01',
        organization: 'acme',
        metric: 'agent_platform_test_credits_by_model',
        labels: { model: 'a' },
        value: 3,
        unit: 'credits',
      },
    ]);
  });

  test('leave an unknown day out and name it', async () => {
    const gap = orgWith(FIRST, [rows[0], undefined, rows[1]]);
    const { lines, outcome } = await exported({
      ...common,
      orgs: [gap],
      collectors: [daily],
      to: addDays(FIRST, 2),
      format: createTidyFormat('day'),
    });
    expect(lines.join('')).not.toContain('2026-03-02');
    expect(outcome.unknown).toEqual(new Map([['acme/tokens', ['2026-03-02']]]));
  });
});

describe('days that a platform may still revise', () => {
  const revising = { platform: 'revising', days: { tokens: { revisedFor: 2 } } };
  const asked = orgWith(FIRST, [rows[1], rows[1]]);
  const on = (revisedOn: Day | undefined) => ({
    settings: { ...asked.settings, ...revising },
    history: { ...asked.history, dataset: () => ({ ...asked.history.dataset('tokens'), revisedOn }) },
  });
  const cellsOf = (lines: readonly string[]) => [
    ...new Set(
      lines.slice(1).map((line) => [line.slice(0, 10), ...line.trimEnd().split(',').slice(-2)].join()),
    ),
  ];
  const options = { ...common, collectors: [daily], now: startOf(dayNamed('2026-03-04')) };
  const day = { ...options, format: createTidyFormat('day') };

  test.each([
    ['2026-03-02', true, '2026-03-04', 4],
    ['2026-03-03', false, '2026-03-04', 2],
    // As the clock says it where no pass is known, or one of days to come.
    [undefined, false, undefined, 0],
    ['2026-03-05', false, undefined, 0],
  ])('are marked until the last pass, here after that of %s', async (revisedOn, isFirst, until, count) => {
    const { lines, outcome } = await exported({ ...day, orgs: [on(parseDay(revisedOn ?? ''))] });
    expect(cellsOf(lines)).toEqual([
      `2026-03-01,${isFirst},revising`,
      `2026-03-02,${until !== undefined},revising`,
    ]);
    const expected = until === undefined ? [] : [['acme', { rows: count, until }]];
    expect([...outcome.provisional]).toEqual(expected);
  });

  test('mark the month that ends with one of them', async () => {
    const { lines, outcome } = await exported({
      ...options,
      orgs: [on(dayNamed('2026-03-03'))],
      format: createWideFormat('month', [...daily.families]),
      sumOfMonth: preciseSum,
    });
    expect(lines[0]).toMatch(/,period_start,period_end,provisional,platform\n$/);
    expect(lines[1]).toMatch(/,2026-03-01,2026-03-02,true,revising\n$/);
    expect(outcome.provisional.get('acme')).toEqual({ rows: lines.length - 1, until: '2026-03-04' });
  });

  test('keep a month open, but not for what the platform does not have', async () => {
    const { settings, history } = on(dayNamed('2026-03-03'));
    const filled = (...names: string[]) => ({ settings: { ...settings, fills: new Set(names) }, history });
    const closing = { ...day, closedAfterDays: 7 };
    const days = ['2026-03-01', '2026-03-02'];
    const { outcome } = await exported({ ...closing, orgs: [filled('tokens')] });
    expect(outcome.open).toEqual(new Map([['acme/tokens', days]]));
    expect((await exported({ ...closing, orgs: [filled('users')] })).outcome.open ?? new Map()).toEqual(
      new Map(),
    );
  });

  test('are none of a platform that revises nothing', async () => {
    const { lines, outcome } = await exported({ ...day, now: startOf(dayNamed('2026-03-03')) });
    expect(cellsOf(lines)).toEqual(['2026-03-01,false,agent-platform', '2026-03-02,false,agent-platform']);
    expect(outcome.provisional.size).toBe(0);
  });
});

describe('a destination', () => {
  function folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'export-'));
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  test('that is a file appears when it is complete, and only its owner may read it', async () => {
    const path = join(folder(), 'usage.csv');
    writeFileSync(path, 'before');
    const sink = await createFileSink(path);
    await sink.write('row\n');
    expect(readFileSync(path, 'utf8')).toBe('before');
    await sink.finish();
    await sink.abandon();
    expect(readFileSync(path, 'utf8')).toBe('row\n');
  });

  test('that is a file stays as it was if the export is interrupted', async () => {
    const path = join(folder(), 'usage.csv');
    const stop = new AbortController();
    const sink = await createFileSink(path);
    stop.abort();
    const { outcome } = await exported({
      ...common,
      format: createTidyFormat('day'),
      sink,
      signal: stop.signal,
    });
    expect(outcome.interrupted).toBe(true);
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  test('that is slow holds the export up, so that no more than a chunk is in memory', async () => {
    let written = 0;
    const waiting: (() => void)[] = [];
    const slow = new Writable({
      highWaterMark: 1,
      write(chunk: Buffer, _encoding, done) {
        written += chunk.length;
        waiting.push(done);
      },
    });
    const many = orgWith(
      FIRST,
      Array.from({ length: 15 }, () => ({
        credits: 1,
        models: Object.fromEntries(Array.from({ length: 190 }, (_, index) => [`model-${index}`, index])),
      })),
    );
    let isDone = false;
    const run = exported({
      ...common,
      orgs: [many],
      collectors: [daily],
      to: addDays(FIRST, 14),
      format: createJsonlFormat('day'),
      sink: createStreamSink(slow),
    }).then(({ outcome }) => {
      isDone = true;
      return outcome;
    });
    let chunks = 0;
    while (!isDone) {
      await waitFor(() => expect(isDone || waiting.length > 0).toBe(true));
      expect(slow.writableLength).toBeLessThan(100_000);
      const next = waiting.pop();
      if (next !== undefined) chunks++;
      next?.();
    }
    expect((await run).rows).toBe(15 * 191);
    expect(chunks).toBeGreaterThan(3);
    expect(written / chunks).toBeLessThan(100_000);
    expect(written / chunks).toBeGreaterThan(40_000);
  });
});
