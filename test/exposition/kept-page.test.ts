import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deflateShort } from '../../src/exposition/deflated-chunk.ts';
import {
  decodePage,
  encodePage,
  isSameOrigin,
  type KeptOrg,
  type KeptPage,
} from '../../src/exposition/kept-page.ts';

const ORIGIN = { release: '1', settings: 's', store: 'm' };
const HEAD = { origin: ORIGIN, at: 1, until: 2, storeId: 'id' };

function orgOf(org: string, texts: readonly string[]): KeptOrg {
  const segments = texts.map((text, index) => ({
    ...{ family: `f${index}`, org, series: index, overflow: false },
    body: index % 2 === 0 ? Buffer.from(text) : deflateShort(text),
  }));
  return {
    org,
    segments: new Map([['tokens', segments]]),
    ...{ succeededAt: { tokens: 5 }, folded: { f0: 3 }, dropped: { tokens: 1 } },
  };
}

function bytesOf(page: KeptPage): Buffer {
  return Buffer.concat([...encodePage(page)]);
}

function read(bytes: Buffer, accepts = (_page: Omit<KeptPage, 'orgs'>) => true): KeptPage | undefined {
  const reading = decodePage(bytes, accepts);
  for (;;) {
    const step = reading.next();
    if (step.done === true) return step.value;
  }
}

describe('the page that is kept for the next start', () => {
  test('is read as it was written, whatever its texts contain', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), texts), { maxLength: 5 }), (orgs) => {
        const page = { ...HEAD, orgs: orgs.map(([org, its]) => orgOf(org, its)) };
        const filled = page.orgs.map((org) =>
          org.segments.get('tokens')?.length === 0 ? { ...org, segments: new Map() } : org,
        );
        expect(read(bytesOf(page))).toEqual({ ...page, orgs: filled });
      }),
    );
  });

  test('has no segment that overflowed', () => {
    const org = orgOf('acme', ['a', 'b']);
    const [first, ...others] = org.segments.get('tokens') ?? [];
    if (first === undefined) throw new Error('no segment');
    const segments = new Map([['tokens', [{ ...first, overflow: true }, ...others]]]);
    const kept = read(bytesOf({ ...HEAD, orgs: [{ ...org, segments }] }));
    expect(kept?.orgs[0]?.segments.get('tokens')?.map(({ family }) => family)).toEqual(['f1']);
  });

  test('without an end and a store has neither', () => {
    const page = { ...HEAD, until: undefined, storeId: undefined, orgs: [] };
    expect(read(bytesOf(page))).toEqual({ origin: ORIGIN, at: 1, orgs: [] });
  });

  test('is not read beyond its first line if that is refused', () => {
    const [line = ''] = bytesOf({ ...HEAD, orgs: [orgOf('acme', ['a'])] })
      .toString()
      .split('\n');
    const seen: unknown[] = [];
    const refuse = (page: unknown) => seen.push(page) === 0;
    expect(read(Buffer.from(`${line}\nnot what it says`), refuse)).toBeUndefined();
    expect(seen).toEqual([HEAD]);
  });

  test('is refused wherever it is cut off', () => {
    const bytes = bytesOf({ ...HEAD, orgs: [orgOf('acme', ['abc', 'def'])] });
    for (let end = 0; end < bytes.length; end++) expect(() => read(bytes.subarray(0, end))).toThrow();
  });

  test('is passed on in large pieces', () => {
    const many = Array.from({ length: 500 }, (_, index) => 'x'.repeat(index));
    const pieces = [...encodePage({ ...HEAD, orgs: [orgOf('acme', many), orgOf('other', many)] })];
    expect(pieces.slice(0, -1).every(({ length }) => length >= 64 * 1024)).toBe(true);
    expect(pieces.length).toBeGreaterThan(1);
  });

  test.each(['release', 'settings', 'store'])('is of another origin with another %s', (part) => {
    expect(isSameOrigin(ORIGIN, { ...ORIGIN })).toBe(true);
    expect(isSameOrigin(ORIGIN, { ...ORIGIN, [part]: 'other' })).toBe(false);
  });
});
