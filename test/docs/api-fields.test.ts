import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('every family that the demo publishes has the fields that it is read from', () => {
  const published = new Set(read('test/e2e/golden/demo.prom').match(/^agent_platform_\w+(?=\{)/gm));
  const rows = read('docs/METRICS.md').match(/^\| `agent_platform_.*/gm) ?? [];
  const cells = rows.map((row) => row.split(' | ').map((cell) => cell.replaceAll(/[|`]/g, '').trim()));
  expect(published.size).toBeGreaterThan(50);
  const fieldless = cells.filter(([name = '', , , , fields]) => published.has(name) && fields === '');
  expect(fieldless.map(([name]) => name)).toEqual([]);
});
