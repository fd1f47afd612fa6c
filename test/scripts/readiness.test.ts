import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { checks } from '../../scripts/readiness/checks.ts';
import { judge, shareOf } from '../../scripts/readiness/evidence.ts';
import { criteriaOf } from '../../src/sandbox/readiness/criteria.ts';

const empty = mkdtempSync(path.join(tmpdir(), 'readiness-'));
afterAll(() => rmSync(empty, { recursive: true }));

describe('the readiness of this repository', () => {
  test('is judged by every criterion of the newest reports, and by no other', () => {
    const newest = criteriaOf(Number.MAX_SAFE_INTEGER).map(({ id }) => id);
    expect(newest.length).toBeGreaterThan(60);
    expect(Object.keys(checks).toSorted()).toEqual(newest.toSorted());
  });

  test('is at least nine tenths of what applies', () => {
    const verdicts = judge(path.resolve(import.meta.dirname, '../..'), checks);
    const failed = verdicts.filter(({ verdict }) => verdict === 'fail');
    expect(shareOf(verdicts), JSON.stringify(failed, undefined, 2)).toBeGreaterThanOrEqual(0.9);
    expect(verdicts.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(50);
  });

  test('asks for something by each criterion that applies: an empty folder passes none', () => {
    const verdicts = judge(empty, checks);
    expect(verdicts.filter(({ verdict }) => verdict === 'pass')).toEqual([]);
    expect(verdicts.filter(({ because }) => because === '')).toEqual([]);
    expect(shareOf(verdicts)).toBe(0);
  });
});
