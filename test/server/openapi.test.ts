import { readFileSync } from 'node:fs';
import type { Express } from 'express';
import { expect, test } from 'vitest';
import { createTestApp } from './fixtures.ts';
import { describedVersion, operations } from './openapi.ts';

/** The routes of the app: paths, each with its method; none if it looks at the method itself. */
function routes(): ReadonlyMap<string, readonly string[]> {
  const { router } = createTestApp().app as Express;
  return new Map(
    router.stack.flatMap(({ route }) => {
      if (route === undefined) return [];
      const path = String(new RegExp(route.path).source).replaceAll(/^\^|\$$|\\/g, '');
      const methods = route.stack.flatMap(({ method }) => (method === undefined ? [] : [method]));
      // An answer to every method is one that looks at the method itself.
      return [[path, methods.includes('delete') ? [] : methods] as const];
    }),
  );
}

test('describes every route, and nothing else', () => {
  expect(operations.map(({ path }) => path).toSorted()).toEqual([...routes().keys()].toSorted());
});

test.each(operations)('has the method of the route: $method $path', ({ method, path }) => {
  const methods = routes().get(path);
  expect(methods?.length === 0 ? [method] : methods).toEqual([method]);
});

test('is of the version of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(describedVersion).toBe(version);
});
