import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { faultOf, faultySubjects } from '../../scripts/commit-subjects.ts';

const GOOD = 'exposition: serialize page writes';

test.each([
  [GOOD, undefined],
  ['web-config: take client certificates', undefined],
  [`app: ${'x'.repeat(67)}`, undefined],
  [`app: ${'x'.repeat(68)}`, 'has 73 characters, of at most 72'],
  [`app: ${'é'.repeat(67)}`, undefined],
  ['Serialize page writes', 'must begin with a scope, as in "exposition: …"'],
  ['Exposition: serialize page writes', 'must begin with a scope, as in "exposition: …"'],
  ['exposition: ', 'must begin with a scope, as in "exposition: …"'],
])('%s', (subject, fault) => {
  expect(faultOf(subject)).toBe(fault);
});

/** A repository with one commit per subject, on that day. */
function createRepository(...commits: readonly (readonly [subject: string, date: string])[]) {
  const folder = mkdtempSync(path.join(tmpdir(), 'commits-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const origin = path.join(folder, 'origin');
  mkdirSync(origin);
  const git = (args: readonly string[], date = '') =>
    execFileSync('git', args, {
      cwd: origin,
      env: {
        ...{ PATH: process.env['PATH'], HOME: folder, GIT_COMMITTER_DATE: date },
        ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' },
      },
    });
  git(['init', '--quiet']);
  for (const [subject, date] of commits) git(['commit', '--quiet', '--allow-empty', '-m', subject], date);
  return { folder, origin, git };
}

test('names the commits with a bad subject, but not those from before the rule', () => {
  const { origin } = createRepository(
    ['Written before the rule', '2026-11-24T00:00:00Z'],
    ['Without a scope', '2026-12-01T00:00:00Z'],
    [GOOD, '2026-12-02T00:00:00Z'],
  );
  expect(faultySubjects(origin)).toEqual([
    expect.stringMatching(/^[0-9a-f]+ must begin with a scope.*: Without a scope$/),
  ]);
});

test('a clone of one commit is checked as far as it goes', () => {
  const { folder, origin, git } = createRepository(
    ['Without a scope', '2026-12-01T00:00:00Z'],
    [GOOD, '2026-12-02T00:00:00Z'],
  );
  const clone = path.join(folder, 'clone');
  git(['clone', '--quiet', '--depth=1', `file://${origin}`, clone], '');
  expect(faultySubjects(clone)).toEqual([]);
});

test('an unpacked archive has no subjects', () => {
  const { folder } = createRepository();
  expect(faultySubjects(folder)).toEqual([]);
});
