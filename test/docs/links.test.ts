import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const pages = [...globSync('*.md', { cwd: ROOT }), ...globSync('{docs,helm,alerts}/**/*.md', { cwd: ROOT })];

/** The anchors of a page, as a forge derives them from its headings. */
function anchorsOf(page: string): ReadonlySet<string> {
  const text = readFileSync(page, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

describe('links between the pages', () => {
  test.each(pages)('lead somewhere: %s', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const broken = targets.filter((target) => {
      if (/^[a-z]+:/.test(target)) return false;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? join(ROOT, page) : join(ROOT, dirname(page), path);
      return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).has(anchor));
    });
    expect(broken).toEqual([]);
  });

  test('reach every page of docs from its README, and that from the first one', () => {
    expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain('](docs/README.md)');
    const lists = readFileSync(join(ROOT, 'docs/README.md'), 'utf8');
    const missing = globSync('*.md', { cwd: join(ROOT, 'docs') }).filter(
      (page) => page !== 'README.md' && !lists.includes(`](${page})`),
    );
    expect(missing).toEqual([]);
  });
});

describe('metrics that the pages name', () => {
  const known = new Set(readFileSync(join(ROOT, 'docs/METRICS.md'), 'utf8').match(/\bagent_platform_\w+/g));

  test.each(pages)('exist: %s', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const named = [...text.matchAll(/(?<![\w:])agent_platform_\w*[a-z0-9](?![\w*…:{]|_[*…])/g)].map(
      ([name]) => name.replace(/_(bucket|count|sum)$/, ''),
    );
    const prefixes = [...known];
    // A prefix, such as a namespace in a configuration, is not a metric by itself.
    expect(named.filter((name) => !prefixes.some((metric) => metric.startsWith(name)))).toEqual([]);
  });
});
