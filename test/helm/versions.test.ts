import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

function textOf(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
}

const { version } = JSON.parse(textOf('package.json')) as { readonly version: string };

describe('a release has one version', () => {
  test('in the lock file', () => {
    const lock = JSON.parse(textOf('package-lock.json')) as {
      readonly version: string;
      readonly packages: Readonly<Record<string, { readonly version?: string }>>;
    };
    expect([lock.version, lock.packages['']?.version]).toEqual([version, version]);
  });

  test('in the chart', () => {
    expect(parse(textOf('helm/Chart.yaml'))).toMatchObject({ version, appVersion: version });
    expect(textOf('helm/Chart.yaml')).toContain(`artifacthub.io/prerelease: '${version.includes('-')}'\n`);
    expect(textOf('helm/Chart.yaml')).toContain(`agent-platform-exporter:${version}\n`);
  });

  test('in the image', () => {
    expect([...textOf('Dockerfile').matchAll(/^ARG VERSION=(.*)$/gm)].map(([, found]) => found)).toEqual([
      version,
      version,
    ]);
  });

  test('in the changelog, which has unreleased changes above it', () => {
    const headings = [...textOf('CHANGELOG.md').matchAll(/^## \[([^\]]+)\](.*)$/gm)];
    expect(headings[0]?.[1]).toBe('Unreleased');
    // Until the first release, the only heading is the one for it.
    if (headings.length > 1)
      expect(headings[1]?.slice(1)).toEqual([version, expect.stringMatching(/^ - \d{4}-\d\d-\d\d$/)]);
  });
});
