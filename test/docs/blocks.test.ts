import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');
const pages = [...globSync('*.md', { cwd: ROOT }), ...globSync('{docs,helm,alerts}/**/*.md', { cwd: ROOT })];

describe('YAML to copy', () => {
  const blocks = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^( *)```ya?ml\n([\s\S]*?)^\1```/gm)].map(
      ([, indent = '', text = ''], index) => ({
        name: `${page}, block ${index + 1}`,
        text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      }),
    ),
  );

  test('is on many pages', () => expect(blocks.length).toBeGreaterThan(15));

  test('keeps the exporter’s labels wherever it is scraped', () => {
    const files = [
      ...blocks,
      { name: 'compose', text: readFileSync(join(ROOT, 'compose/prometheus.yml'), 'utf8') },
    ];
    const jobs = files.flatMap(({ name, text }) =>
      [...text.matchAll(/^( *)- job_name: (agent-platform\S*)\n(?:\1 {2}.*\n)*/gm)].map(([job, , title]) => ({
        where: `${name}: ${title}`,
        honors: /^ +honor_labels: true\b/m.test(job),
      })),
    );
    expect(jobs.length).toBeGreaterThan(6);
    expect(jobs.filter(({ honors }) => !honors)).toEqual([]);
  });

  test.each(blocks)('is YAML without a warning: $name', ({ text }) => {
    const said = [parseAllDocuments(text)].flat().flatMap((part) => [...part.errors, ...part.warnings]);
    expect(said).toEqual([]);
  });
});
