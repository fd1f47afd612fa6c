import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

test('no folder of sources is ignored, so that a new file in it is not forgotten', () => {
  const ignored = new Set(
    readFileSync(path.join(ROOT, '.gitignore'), 'utf8')
      .split('\n')
      .filter((line) => /^[^/!*]+\/$/.test(line))
      .map((line) => line.slice(0, -1)),
  );
  const folders = globSync('{src,test,scripts,dashboards,alerts,bench}/**/*.ts', { cwd: ROOT }).flatMap(
    (file) => path.dirname(file).split(path.sep),
  );
  expect([...new Set(folders)].filter((folder) => ignored.has(folder))).toEqual([]);
});
