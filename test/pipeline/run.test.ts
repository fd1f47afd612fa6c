import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import {
  type ApiRequest,
  IncompleteListing,
  type PagedRequest,
  type Source,
  UnexpectedAnswer,
} from '../../src/catalog/source.ts';
import { failureOf, withAbort } from '../../src/pipeline/run.ts';
import { PlatformError } from '../../src/runtime/errors.ts';
import { NotStored } from '../../src/store/database.ts';
import { ForeignAnswer } from '../../src/store/store.ts';
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

describe('a source of a run that may be abandoned', () => {
  const request = { endpoint: 'tokens', host: 'api', path: '/x', query: {} } as const;
  const paged: PagedRequest = {
    ...{ ...request, cursorParameter: 'cursor' },
    read: () => ({ items: [], next: undefined }),
    idOf: () => undefined,
  };
  const outcome = { end: 'last', complete: true, pages: 1, bytes: 1 } as const;

  /** A platform that answers when it is told to. */
  function createPlatform() {
    const asked: ApiRequest[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let pass: (items: readonly unknown[]) => void = () => undefined;
    const source: Source = {
      async get(given) {
        asked.push(given);
        await promise;
        return { body: 'answer', bytes: 1 };
      },
      async pages(given, onItems) {
        asked.push(given);
        pass = onItems;
        await promise;
        return outcome;
      },
      inSlices,
    };
    const retired = new AbortController();
    return {
      ...{ asked, retired, answer: resolve, fail: reject },
      source: withAbort(source, retired.signal),
      page: (...items: readonly unknown[]) => pass(items),
    };
  }

  test('passes on what the platform answers, and leaves nothing behind', async () => {
    const { source, answer, page, retired } = createPlatform();
    const items: unknown[] = [];
    const answers = [source.get(request), source.pages(paged, (given) => void items.push(...given))];
    page('one', 'two');
    answer();
    expect(await Promise.all(answers)).toEqual([{ body: 'answer', bytes: 1 }, outcome]);
    expect(items).toEqual(['one', 'two']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(getEventListeners(retired.signal, 'abort')).toEqual([]);
    expect(await source.inSlices(made())).toBe('made');
  });

  test('passes on what the platform fails with', async () => {
    const { source, fail } = createPlatform();
    const failing = source.get(request);
    fail(new PlatformError('auth', '401'));
    await expect(failing).rejects.toThrow('401');
  });

  test('fails at once when it is abandoned, with the requests under way, and passes on nothing more', async () => {
    const { source, asked, page, retired } = createPlatform();
    const items: unknown[] = [];
    const under = [source.get(request), source.pages(paged, (given) => void items.push(...given))];
    page('one');
    retired.abort();
    page('two');
    for (const one of under) await expect(one).rejects.toMatchObject({ reason: 'network' });
    expect(items).toEqual(['one']);
    expect(asked.map(({ signal }) => signal?.aborted)).toEqual([true, true]);
    await expect(source.get(request)).rejects.toMatchObject({ reason: 'network' });
    await expect(source.pages(paged, () => undefined)).rejects.toMatchObject({ reason: 'network' });
    expect(asked).toHaveLength(2);
  });
});

function* made(): Generator<unknown, string> {
  yield;
  return 'made';
}
