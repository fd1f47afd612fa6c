import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addDays, startOf } from '../../src/catalog/day.ts';
import { createFileSink, createStreamSink } from '../../src/export/sink.ts';
import { createJsonlFormat, createTidyFormat } from '../../src/export/tidy.ts';
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
    expect(lines.join('')).toBe(`day,organization,metric,labels,value,unit
2026-03-01,acme,agent_platform_test_credits,{},5,credits
2026-03-01,acme,agent_platform_test_credits_by_model,"{""model"":""a""}",3,credits
2026-03-01,acme,agent_platform_test_credits_by_model,"{""model"":""=b""}",2,credits
2026-03-02,acme,agent_platform_test_credits,{},7,credits
2026-03-02,acme,agent_platform_test_credits_by_model,"{""model"":""a""}",7,credits
2026-03-02,acme,agent_platform_test_credits_by_model,"{""model"":""=b""}",0,credits
2026-03-02,acme,agent_platform_test_reports,"{""repo"":""r""}",1,credits
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
