import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReadinessReport } from '../../../src/collectors/readiness/dataset.ts';
import { selectReports } from '../../../src/collectors/readiness/selection.ts';

const NO_PREFERENCE: Parameters<typeof selectReports>[1] = { branches: [], cleanOnly: false };
const LATER = 1_000;

/** Reports written as `branch:time:commit`; `-` for an unknown branch or commit. */
function reports(...lines: string[]): ReadinessReport[] {
  return lines.map((line) => {
    const [branch = '-', createdAt = '0', commit = '-'] = line.split(':');
    return {
      id: line,
      repo: 'github.com/acme/app',
      createdAt: Number(createdAt),
      branch: branch === '-' ? undefined : branch,
      commit: commit === '-' ? undefined : commit,
    };
  });
}

function chosen(listed: readonly ReadinessReport[], settings = NO_PREFERENCE, asOf = LATER) {
  const [selected] = selectReports(listed, settings, asOf);
  return selected && [selected.current.id, selected.previous?.id];
}

describe('the current report of a repository', () => {
  test('is the newest on main, in whatever order they are listed', () => {
    expect(chosen(reports('main:1:a', 'dev:3:c', 'main:2:b'))?.[0]).toBe('main:2:b');
  });

  test('is on master where main has none', () => {
    expect(chosen(reports('master:1:a', 'dev:3:b', 'dev:4:c'))?.[0]).toBe('master:1:a');
  });

  test('is on the most frequent branch where neither has one', () => {
    expect(chosen(reports('x:9:a', 'dev:1:b', 'dev:2:c'))?.[0]).toBe('dev:2:c');
  });

  test('is on the branch with the newest report where two are equally frequent', () => {
    expect(chosen(reports('a:1:a', 'b:2:b'))?.[0]).toBe('b:2:b');
    expect(chosen(reports('b:1:a', 'a:1:b'))?.[0]).toBe('a:1:b');
  });

  test('is of no known branch only where none is known', () => {
    expect(chosen(reports('-:8:a', '-:9:b', 'dev:1:c'))?.[0]).toBe('dev:1:c');
    expect(chosen(reports('-:1:a', '-:2:b'))?.[0]).toBe('-:2:b');
  });

  test('is on the first of the given branches that has one, and on no other', () => {
    const branches = ['release', 'trunk', 'dev'];
    const listed = reports('main:9:a', 'dev:5:b', 'trunk:1:c');
    expect(chosen(listed, { branches, cleanOnly: false })?.[0]).toBe('trunk:1:c');
    expect(chosen(reports('main:9:a'), { branches, cleanOnly: false })).toBeUndefined();
  });

  test('is not one that was made after the instant', () => {
    const listed = reports('main:10:a', 'main:11:b');
    expect(chosen(listed, NO_PREFERENCE, 10)?.[0]).toBe('main:10:a');
    expect(chosen(listed, NO_PREFERENCE, 9)).toBeUndefined();
  });

  test('is a clean one where only those count', () => {
    const [clean, changed, unpushed] = reports('dev:1:a', 'main:2:b', 'main:3:c');
    const listed = [
      { ...clean, localChanges: false },
      { ...changed, localChanges: true },
      { ...unpushed, nonRemoteCommits: true },
    ] as ReadinessReport[];
    expect(chosen(listed, { branches: [], cleanOnly: true })?.[0]).toBe('dev:1:a');
    expect(chosen(listed)?.[0]).toBe('main:3:c');
  });
});

describe('the previous report of a repository', () => {
  test('is the newest older one of the same branch with another commit', () => {
    expect(chosen(reports('main:5:c', 'main:4:c', 'dev:3:x', 'main:2:b', 'main:1:a'))?.[1]).toBe('main:2:b');
  });

  test('does not exist if the commits are equal or unknown', () => {
    expect(chosen(reports('main:5:c', 'main:4:c'))?.[1]).toBeUndefined();
    expect(chosen(reports('main:5:-', 'main:4:c'))?.[1]).toBeUndefined();
    expect(chosen(reports('main:5:c', 'main:4:-', 'main:3:b'))?.[1]).toBe('main:3:b');
  });

  test('is older, not of the same instant', () => {
    expect(chosen(reports('main:5:c', 'main:5:d'))?.[1]).toBeUndefined();
  });
});

describe('the selection', () => {
  test('gives each repository once, and does not depend on the order of the listing', () => {
    const listed = fc.uniqueArray(
      fc.record({
        id: fc.string({ minLength: 1, maxLength: 3 }),
        repo: fc.constantFrom('a/x', 'b/y'),
        createdAt: fc.integer({ min: 1, max: 6 }),
        branch: fc.constantFrom('main', 'dev', 'x', undefined),
        commit: fc.constantFrom('1', '2', undefined),
      }),
      { selector: ({ id }) => id, maxLength: 12 },
    );
    fc.assert(
      fc.property(listed, (some) => {
        const selected = selectReports(some, NO_PREFERENCE, LATER);
        expect(selected).toEqual(selectReports(some.toReversed(), NO_PREFERENCE, LATER));
        expect(selected.map(({ current }) => current.repo)).toEqual(
          [...new Set(some.map(({ repo }) => repo))].sort(),
        );
      }),
    );
  });
});
