import { describe, expect, test } from 'vitest';
import type { Project } from '../../scripts/project/project.ts';
import { checksumLines, imageTags, releaseNotes, releaseProblems } from '../../scripts/release/plan.ts';

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
const good = { tag: 'v1.2.3', version: '1.2.3', changelog, project };

describe('a release', () => {
  test('goes on where tag, version, changelog and addresses agree', () => {
    expect(releaseProblems(good)).toEqual([]);
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
      { project: { ...project, image: 'registry.example.com/a' } },
      /project\.json: image is still a placeholder/,
    ],
  ])('fails with a sentence for %s', (_, change, message) => {
    expect(releaseProblems({ ...good, ...change })).toEqual([expect.stringMatching(message)]);
  });

  test('has the notes of its own section', () => {
    expect(releaseNotes(changelog, '1.2.3')).toBe('### Fixed\n\n- This.\n');
    expect(releaseNotes(changelog, '1.2.30')).toBe('- That.\n');
    expect(releaseNotes(changelog, '1.2')).toBeUndefined();
  });

  test('moves the tags of its line, but not for a pre-release', () => {
    expect(imageTags('1.2.3')).toEqual(['1.2.3', '1.2', '1']);
    expect(imageTags('2.0.0-rc.1')).toEqual(['2.0.0-rc.1']);
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
