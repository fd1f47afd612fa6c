import { expect, test } from 'vitest';
import type { Source } from '../../src/catalog/source.ts';
import { createRunStates } from '../../src/pipeline/run-states.ts';
import { beginWatch } from '../../src/pipeline/watched.ts';
import { PlatformError } from '../../src/runtime/errors.ts';

const answer = { body: { rows: [] } };

/** A source of pages with these numbers of elements. */
function sourceOf(sizes: readonly number[]): Source {
  return {
    get: async () => answer,
    async pages(_request: unknown, onItems: (items: readonly unknown[]) => void) {
      for (const size of sizes) onItems(Array.from({ length: size }, (_, index) => index));
    },
    inSlices: async (work: () => unknown) => work(),
  } as unknown as Source;
}

/** What of the answers is compared with a contract. */
function createWatch() {
  const [bodies, elements]: [unknown[], number[]] = [[], []];
  const watch = {
    lookInto: (body: unknown) => void bodies.push(body),
    lookAt: (items: readonly unknown[]) => void elements.push(items.length),
    unknown: () => [],
    days: () => new Map(),
  };
  return { bodies, elements, collector: { apiContract: async () => ({ watch: () => watch }) } };
}

test.each([
  [
    [60, 30, 20, 50],
    [60, 30, 10, 0],
  ],
  [
    [250, 10],
    [100, 0],
  ],
])('of a listing, a hundred elements are compared, and all are passed on: %j', async (sizes, compared) => {
  const { elements, collector } = createWatch();
  const { source } = await beginWatch(collector, sourceOf(sizes));
  const passed: number[] = [];
  await source.pages({ path: '/x', query: {} } as never, (items) => void passed.push(items.length));
  expect([elements, passed]).toEqual([compared, sizes]);
});

test('answers by day are compared, those by group are not', async () => {
  const { bodies, collector } = createWatch();
  const { source } = await beginWatch(collector, sourceOf([]));
  expect(await source.get({ path: '/x', query: { group_by: 'user' } } as never)).toBe(answer);
  expect(bodies).toEqual([]);
  expect(await source.get({ path: '/x', query: {} } as never)).toBe(answer);
  expect(bodies).toEqual([answer.body]);
});

test('without a contract, nothing is compared', async () => {
  const source = sourceOf([]);
  expect(await beginWatch({}, source)).toEqual({ source, watch: undefined });
});

test("an organization's failures are those of its other collectors that still run", () => {
  const states = createRunStates();
  const failed = (text: string) => ({ failure: { error: new PlatformError('network', text), since: 1 } });
  states.update('acme', 'one', failed('first'));
  states.update('acme', 'two', failed('second'));
  states.update('globex', 'three', failed('third'));
  states.update('acme', 'one', { running: true });
  const failures = (except: string) => states.failuresOf('acme', except).map(({ message }) => message);
  expect([failures('one'), failures('two'), failures('three')]).toEqual([
    ['second'],
    ['first'],
    ['first', 'second'],
  ]);
  expect(states.get('acme', 'one')).toMatchObject({ running: true, failure: { since: 1 } });
  expect(states.failuresOf('nobody', 'one')).toEqual([]);
  states.forget('acme', 'two');
  expect(failures('none')).toEqual(['first']);
  expect(states.get('acme', 'two')).toEqual(states.get('nobody', 'two'));
  states.forget('nobody', 'two');
});
