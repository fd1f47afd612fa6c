import { describe, expect, test } from 'vitest';
import { waitFor } from './wait-for.ts';

/** A condition is not checked again after this time. */
const AT_ONCE = { limitMs: 0 };

describe('waiting', () => {
  test('ends with the result of the condition once it neither throws nor is false', async () => {
    let looks = 0;
    const result = await waitFor(() => {
      looks += 1;
      if (looks === 1) throw new Error('not yet');
      return looks > 2 && { looks };
    });
    expect(result).toEqual({ looks: 3 });
  });

  test('treats only false as not yet', async () => {
    for (const result of [undefined, 0, '', null]) expect(await waitFor(() => result)).toBe(result);
  });

  test('that fails reports what was awaited and what was seen last', async () => {
    const options = {
      ...AT_ONCE,
      what: 'the port is open',
      seen: () => ({ ports: [1, 2] }),
      log: () => 'a log',
    };
    await expect(waitFor(() => false, options)).rejects.toThrow(
      'still awaited after 0 s: the port is open\nseen last: {"ports":[1,2]}\nlog: a log',
    );
  });

  test('that fails reports the condition and its last error by default', async () => {
    const pages = ['first'];
    const waiting = waitFor(() => expect(pages).toHaveLength(2), AT_ONCE);
    await expect(waiting).rejects.toThrow(
      /^still awaited after 0 s: .*expect\(pages\).*\nseen last: expected .*1/s,
    );
  });
});
