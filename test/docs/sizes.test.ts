import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const BY_HAND = /\b[\d.]+ (?:[KMG]i?B|s to build|lines of code)\b/g;

test.each(['AGENTS.md', 'README.md', 'docs/install.md', 'docs/releasing.md'])(
  '%s has no sizes of what is built, which change with every release',
  (page) => {
    const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
    expect(text.match(BY_HAND) ?? []).toEqual([]);
  },
);
