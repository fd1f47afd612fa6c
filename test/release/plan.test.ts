import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Project } from '../../scripts/project/project.ts';
import { channelsOf, checksumLines, releaseNotes, releaseProblems } from '../../scripts/release/plan.ts';

const project: Project = {
  repository: 'https://github.com/acme/exporter',
  package: '@acme/agent-platform-exporter',
  image: 'ghcr.io/acme/exporter',
  charts: 'ghcr.io/acme/charts',
  author: 'ACME',
  contact: 'oss@acme.dev',
};
const changelog = `# Changelog

## [Unreleased]

## [1.2.3] - 2026-11-22

### Fixed

- This.

## [1.2.30] - 2026-10-01

- That.
`;
const good = {
  ...{ tag: 'v1.2.3', version: '1.2.3', changelog, project },
  ...{ repository: project.repository, published: ['1.2.2', '1.2.4-rc.1', '1.3.0', '1.20.0'] },
};

describe('a release', () => {
  test('goes on where tag, version, changelog and addresses agree', () => {
    expect(releaseProblems(good)).toEqual([]);
  });

  test('goes on where npm has only a candidate of it, published by hand', () => {
    expect(releaseProblems({ ...good, published: ['1.2.3-rc.0'] })).toEqual([]);
    expect(channelsOf('1.2.3', ['1.2.3-rc.0'])).toMatchObject({ distTag: 'latest', isLatest: true });
  });

  test.each([
    ['another tag', { tag: 'v1.2.4' }, /tag is v1\.2\.4, but package\.json has version 1\.2\.3/],
    ['a version without a section', { tag: 'v1.2.4', version: '1.2.4' }, /no section "## \[1\.2\.4\]/],
    [
      'an empty section',
      { tag: 'v0.1.0', version: '0.1.0', changelog: '## [0.1.0] - 2026-01-01\n\n' },
      /no section/,
    ],
    [
      'a placeholder',
      { project: { ...project, contact: 'oss@example.com' } },
      /project\.json: contact is still a placeholder/,
    ],
    [
      'a chart in another registry than the image, where the release has no login',
      { project: { ...project, charts: 'charts.acme.dev/charts' } },
      /^project\.json: image and charts are in different registries/,
    ],
    [
      'a fork',
      { repository: 'https://github.com/me/exporter' },
      /^this is https:\/\/github\.com\/me\/exporter, but/,
    ],
    [
      'a version that is published',
      { published: ['1.2.3'] },
      /npm has version 1\.2\.3, and 1\.2\.3 is not newer/,
    ],
    [
      'an older version of a line',
      { published: ['1.2.9', '1.2.10'] },
      /npm has version 1\.2\.10, and 1\.2\.3 is not/,
    ],
    [
      'a version that is none',
      { tag: 'v1.2.3.4', version: '1.2.3.4', changelog: '## [1.2.3.4] - 2026-01-01\n\n- This.\n' },
      /neither like 1\.2\.3 nor like 1\.2\.3-rc\.1/,
    ],
    [
      'a candidate of what is released',
      {
        tag: 'v1.2.3-rc.1',
        version: '1.2.3-rc.1',
        changelog: '## [1.2.3-rc.1] - 2026-01-01\n\n- This.\n',
        published: ['1.2.3'],
      },
      /npm has version 1\.2\.3, and 1\.2\.3-rc\.1 is not newer/,
    ],
  ])('fails with a sentence for %s', (_, change, message) => {
    expect(releaseProblems({ ...good, ...change })).toEqual([expect.stringMatching(message)]);
  });

  test('has the notes of its own section', () => {
    expect(releaseNotes(changelog, '1.2.3')).toBe('### Fixed\n\n- This.\n');
    expect(releaseNotes(changelog, '1.2.30')).toBe('- That.\n');
    expect(releaseNotes(changelog, '1.2')).toBeUndefined();
  });

  test.each([
    ['the first', '1.2.3', [], '1.2.3 1.2 1', 'latest', true],
    ['the newest', '1.10.0', ['1.9.0', '0.1.0', '1.10.0-rc.1'], '1.10.0 1.10 1', 'latest', true],
    ['the newest beside a candidate of the next', '1.10.0', ['2.0.0-rc.1'], '1.10.0 1.10 1', 'latest', true],
    ['one for the major version before', '1.10.1', ['1.10.0', '2.0.0'], '1.10.1 1.10 1', 'latest-1', false],
    ['one for an older minor version', '1.9.4', ['1.9.3', '1.10.0'], '1.9.4 1.9', 'latest-1.9', false],
    ['a candidate', '2.0.0-rc.10', ['1.10.0', '2.0.0-rc.9'], '2.0.0-rc.10', 'next', false],
    ['a candidate of an older one', '1.9.4-rc.1', ['1.9.3', '1.10.0'], '1.9.4-rc.1', 'next-1.9', false],
    [
      'a candidate of the major version before',
      '1.11.0-rc.1',
      ['1.10.0', '2.0.0'],
      '1.11.0-rc.1',
      'next-1',
      false,
    ],
  ])('moves only names that it leads: %s', (_, version, published, tags, distTag, isLatest) => {
    const isCandidate = version.includes('-');
    expect(channelsOf(version, published)).toEqual({ tags: tags.split(' '), distTag, isCandidate, isLatest });
  });

  test('has the names that docs/releasing.md gives as examples', () => {
    const page = readFileSync(new URL('../../docs/releasing.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| (\d\S*) \| (\d\S*) \| `(.*)` \| `(.*)` \| /gm)];
    expect(rows).toHaveLength(4);
    for (const [, version = '', published = '', tags = '', distTag] of rows)
      expect(channelsOf(version, [published])).toMatchObject({ tags: tags.split('`, `'), distTag });
  });

  test('is newer by the precedence of semantic versions', () => {
    const rising = ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2'];
    rising.push('1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.0.9', '1.0.10', '1.1.0', '1.10.0', '2.0.0-rc.1');
    for (const [index, newer] of rising.slice(1).entries()) {
      const older = rising[index] ?? '';
      expect(channelsOf(newer, [older]).distTag, newer).toMatch(/^(next|latest)$/);
      // No release waits for a candidate.
      const counts = older.includes('-') || !newer.includes('-');
      expect(channelsOf(older, [newer]).distTag, older).toMatch(counts ? /^(next|latest)-1/ : /^latest$/);
    }
  });

  test('lists checksums by file', () => {
    expect(
      checksumLines(
        new Map([
          ['b', '2'],
          ['a', '1'],
        ]),
      ),
    ).toBe('1  a\n2  b\n');
  });
});
