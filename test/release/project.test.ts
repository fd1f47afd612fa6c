import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { edited, projectFiles, withRunbook } from '../../scripts/project/applied.ts';
import { type Project, placeholders, project } from '../../scripts/project/project.ts';

const ROOT = new URL('../../', import.meta.url);
const fork: Project = {
  repository: 'https://github.com/acme/exporter',
  package: '@acme/agent-platform-exporter',
  image: 'ghcr.io/acme/exporter',
  charts: 'ghcr.io/acme/charts',
  author: 'ACME',
  contact: 'oss@acme.dev',
};

function textOf(file: string): string {
  return readFileSync(new URL(file, ROOT), 'utf8');
}

describe('the license', () => {
  test('is named by the package, its lock, the image and the chart, and goes along with the first and the image', () => {
    const described = JSON.parse(textOf('package.json')) as { license: string; files: readonly string[] };
    expect(described.license).toBe('Apache-2.0');
    expect(described.files).toEqual(expect.arrayContaining(['LICENSE', 'NOTICE']));
    const lock = JSON.parse(textOf('package-lock.json')) as {
      readonly packages: Readonly<Record<string, { readonly license?: string }>>;
    };
    expect(lock.packages['']?.license).toBe('Apache-2.0');
    expect(textOf('Dockerfile')).toContain('org.opencontainers.image.licenses="Apache-2.0"');
    expect(textOf('Dockerfile')).toMatch(/^COPY LICENSE NOTICE /m);
    expect(parse(textOf('helm/Chart.yaml'))).toMatchObject({
      annotations: { 'artifacthub.io/license': 'Apache-2.0' },
    });
  });
});

describe('project.json', () => {
  test('is all that a fork changes: no other file keeps an old name', () => {
    for (const [file, edits] of Object.entries(projectFiles(fork))) {
      const text = edited(file, textOf(file), edits);
      expect(text, file).not.toContain(project.repository);
      expect(text, file).not.toContain(project.image);
      expect(text, file).not.toContain(project.contact);
      expect(text, file).toMatch(/acme/i);
    }
    for (const file of globSync('alerts/tests/*.yaml', { cwd: ROOT })) {
      expect(withRunbook(textOf(file), fork), file).not.toContain(project.repository);
    }
  });

  test('gives the npm package a scope', () => {
    expect(project.package).toMatch(/^@[a-z0-9-]+\/[a-z0-9-]+$/);
  });

  test('is recognized as a placeholder if no one can own its host', () => {
    expect(placeholders(fork)).toEqual([]);
    expect(placeholders({ ...fork, image: 'registry.example.com/acme/exporter' })).toEqual(['image']);
    expect(placeholders({ ...fork, repository: 'https://example.org/a', contact: 'a@example.com' })).toEqual([
      'repository',
      'contact',
    ]);
    expect(placeholders({ ...fork, repository: 'https://github.com/acme/example.com' })).toEqual([]);
  });
});

describe('the documentation', () => {
  const pages = ['README.md', 'CONTRIBUTING.md', 'helm/README.md', 'helm/values.yaml'].concat(
    globSync('docs/**/*.md', { cwd: ROOT }),
  );

  test.each(pages)('%s asks no registry for a name of this project before there is a release', (page) => {
    const text = textOf(page);
    expect(text).not.toMatch(/npx (?:-\S+ )*(?:@\S+\/)?agent-platform-exporter/);
    expect(text).not.toMatch(/npm (?:install|i|add) (?:-\S+ )*(?:@\S+\/)?agent-platform-exporter/);
    expect(text).not.toMatch(/oci:\/\/|helm repo add|docker pull|ghcr\.io|docker\.io\/agent/);
  });
});
