import { describe, expect, test } from 'vitest';
import {
  type ApiRequest,
  IncompleteListing,
  type PagedRequest,
  type Source,
  UnexpectedAnswer,
} from '../../src/catalog/source.ts';
import { failureOf, withRequests } from '../../src/pipeline/run.ts';
import { NotStored } from '../../src/store/database.ts';
import { ForeignAnswer } from '../../src/store/store.ts';
import { PlatformError } from '../../src/text/errors.ts';
import { inSlices } from '../collectors/fakes.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

describe('the failure of a run', () => {
  const full = { reason: 'full', detail: 'the disk is full', hint: 'free some space' };

  test.each([
    [new NotStored('cannot be stored', full), 'store', 'the disk is full', 'free some space'],
    [new UnexpectedAnswer('a list', {}), 'schema', 'expected a list, got another object', 'proxy'],
    [new IncompleteListing('people', 'page-cap', 2), 'limit', 'too many pages', 'pages incorrectly'],
    [new IncompleteListing('people', 'empty', 1), 'schema', 'an empty page', 'pages incorrectly'],
    [new ForeignAnswer('org_1', 'org_2'), 'organization', 'org_2', ''],
  ])('has a reason, and a hint for the operator: %s', (thrown, reason, message, hint) => {
    const log = createFakeLogger();
    const failure = failureOf(thrown, log);
    expect(failure).toBeInstanceOf(PlatformError);
    expect(failure.reason).toBe(reason);
    expect(failure.message).toContain(message);
    expect(failure.hint ?? '').toContain(hint);
    expect(log.events).toEqual([]);
  });

  test('that the platform client has named stays as it is', () => {
    const error = new PlatformError('auth', '401');
    expect(failureOf(error, createFakeLogger())).toBe(error);
  });

  test('that nobody expected is logged with the error itself', () => {
    const log = createFakeLogger();
    const error = new TypeError('x is undefined');
    expect(failureOf(error, log)).toMatchObject({ reason: 'schema', message: 'unforeseen: x is undefined' });
    expect(log.events).toMatchObject([{ level: 'error', fields: { error } }]);
  });
});

test('the source of a run passes on what is asked and answered, with a signal', async () => {
  const request = { endpoint: 'tokens', host: 'api', path: '/x', query: {} } as const;
  const paged: PagedRequest = {
    ...request,
    cursorParameter: 'cursor',
    read: () => ({ items: [], next: undefined }),
    idOf: () => undefined,
  };
  const outcome = { end: 'last', complete: true, pages: 1, bytes: 1 } as const;
  const asked: ApiRequest[] = [];
  const source: Source = {
    async get(given) {
      asked.push(given);
      return { body: 'answer', bytes: 1 };
    },
    async pages(given, onItems) {
      asked.push(given);
      onItems(['one', 'two']);
      return outcome;
    },
    async lines(given) {
      asked.push(given);
      const sum = given.start();
      given.add(sum, 'row');
      return { sums: [sum], bytes: 1 };
    },
    inSlices,
  };
  const { signal } = new AbortController();
  const given = withRequests(source, { signal });
  expect(await given.get(request)).toEqual({ body: 'answer', bytes: 1 });
  const items: unknown[] = [];
  expect(await given.pages(paged, (more) => void items.push(...more))).toEqual(outcome);
  expect(items).toEqual(['one', 'two']);
  const rows = {
    ...request,
    start: (): unknown[] => [],
    add: (sum: unknown[], row: unknown) => void sum.push(row),
  };
  expect(await given.lines(rows)).toEqual({ sums: [['row']], bytes: 1 });
  expect(asked).toEqual([
    { ...request, signal },
    { ...paged, signal },
    { ...rows, signal },
  ]);
  expect(await given.inSlices(made())).toBe('made');
});

function* made(): Generator<unknown, string> {
  yield;
  return 'made';
}
