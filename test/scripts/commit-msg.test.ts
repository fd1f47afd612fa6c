import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';

const hook = path.resolve(import.meta.dirname, '../../.githooks/commit-msg');
const folder = mkdtempSync(path.join(tmpdir(), 'commit-'));
afterAll(() => rmSync(folder, { recursive: true }));

const LONG = 'commit-msg: the subject must have at most 72 characters\n';
const SCOPE = 'commit-msg: the subject must begin with a scope, as in "exposition: …"\n';

test.each([
  ['exposition: serialize page writes', ''],
  [`web-config: take client certificates\n\n${'The body may be long. '.repeat(9)}`, ''],
  ["Merge branch 'fix'", ''],
  [`app: ${'x'.repeat(67)}`, ''],
  [`app: ${'é'.repeat(67)}`, ''],
  [`app: ${'x'.repeat(68)}`, LONG],
  ['Serialize page writes', SCOPE],
  ['Exposition: serialize page writes', SCOPE],
  ['exposition: ', SCOPE],
])('the hook judges the subject of a commit: %s', (message, fault) => {
  const file = path.join(folder, 'COMMIT_EDITMSG');
  writeFileSync(file, message);
  const { status, stderr } = spawnSync(hook, [file], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([fault === '' ? 0 : 1, fault]);
});
