import { crc32, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Sample } from '../../src/catalog/family.ts';
import { createPublication, type Publication } from '../../src/exposition/publication.ts';
import type { Page } from '../../src/exposition/published.ts';
import { createSegmentRenderer, type Segment } from '../../src/exposition/segment.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { waitFor } from '../support/wait-for.ts';
import { identityOf, parsePage } from './parse.ts';

const families = [
  { name: 'credits', help: 'Credits.', collector: 'tokens' },
  { name: 'tokens', help: 'Tokens.', collector: 'tokens' },
  { name: 'tools', help: 'Tools.', collector: 'tools' },
  { name: 'day', help: 'Day.' },
];

const renderSegment = createSegmentRenderer({ clock: createFakeClock(0) });

async function segment(name: string, org: string, ...values: number[]): Promise<Segment> {
  const samples: Sample[] = values.map((value, index) => ({ labels: { n: String(index) }, value }));
  const rendered = await renderSegment({ name, labels: ['n'] }, org, samples);
  if (rendered === undefined) throw new Error('no samples');
  return rendered;
}

function textOf(page: Page): string {
  const text = inflateRawSync(Buffer.concat([...page.parts, Buffer.from([3, 0])]));
  expect(page).toMatchObject({ crc: crc32(text), length: text.length });
  expect(page.deflated).toBe(page.parts.reduce((sum, part) => sum + part.length, 0));
  return text.toString();
}

function fed(...segments: [collector: string, ...Segment[]][]): ReadonlyMap<string, readonly Segment[]> {
  return new Map(segments.map(([collector, ...those]) => [collector, those]));
}

/** The page as it is, without publishing. */
function textNow(publication: Publication): string {
  return textOf(publication.current().whole('text'));
}

/** The page with everything given so far. */
async function textNext(publication: Publication): Promise<string> {
  await publication.flush();
  return textNow(publication);
}

describe('the page', () => {
  test('has families as declared, each once, then organizations and collectors by name', async () => {
    const publication = createPublication({ families, clock: createFakeClock(0) });
    publication.replaceAll(
      'b',
      fed(
        ['tools', await segment('tools', 'b', 4), await segment('day', 'b', 7)],
        ['tokens', await segment('tokens', 'b', 3), await segment('day', 'b', 6)],
      ),
    );
    publication.replaceAll(
      'a',
      fed([
        'tokens',
        await segment('tokens', 'a', 2),
        await segment('credits', 'a', 1),
        await segment('day', 'a', 5),
      ]),
    );
    expect(await textNext(publication)).toBe(
      `${[
        ['# HELP credits Credits.', '# TYPE credits gauge', 'credits{org="a",n="0"} 1'],
        ['# HELP tokens Tokens.', '# TYPE tokens gauge'],
        ['tokens{org="a",n="0"} 2', 'tokens{org="b",n="0"} 3'],
        ['# HELP tools Tools.', '# TYPE tools gauge', 'tools{org="b",n="0"} 4'],
        ['# HELP day Day.', '# TYPE day gauge'],
        ['day{org="a",n="0"} 5', 'day{org="b",n="0"} 6', 'day{org="b",n="0"} 7'],
      ]
        .flat()
        .join('\n')}\n`,
    );
    await publication.close();
  });

  test('is empty before anything is fed', () => {
    const publication = createPublication({ families, clock: createFakeClock(0) });
    expect(textNow(publication)).toBe('');
    expect(publication.current().version).toBe(0);
  });

  test('keeps the segments of a collector that come again, and replaces the others', async () => {
    const publication = createPublication({ families, clock: createFakeClock(0) });
    const tokens = [await segment('tokens', 'a', 1, 2)];
    publication.replaceAll(
      'a',
      new Map([['tokens', tokens], ...fed(['tools', await segment('tools', 'a', 3)])]),
    );
    await publication.flush();
    publication.replaceAll(
      'a',
      new Map([['tokens', tokens], ...fed(['tools', await segment('tools', 'a', 4, 5, 6)])]),
    );
    expect(parsePage(await textNext(publication)).samples.map(({ value }) => Number(value))).toEqual([
      1, 2, 4, 5, 6,
    ]);
    expect([...publication.current().series]).toEqual([
      ['tokens', 2],
      ['tools', 3],
    ]);
    await publication.close();
  });

  test('omits a family that overflowed, and keeps the others', async () => {
    const publication = createPublication({ families, clock: createFakeClock(0) });
    const overflowed: Segment = { ...(await segment('tokens', 'a', 1, 2)), overflow: true };
    publication.replaceAll('a', fed(['tokens', await segment('credits', 'a', 1), overflowed]));
    expect(parsePage(await textNext(publication)).samples.map(({ name }) => name)).toEqual(['credits']);
    await publication.close();
  });

  test('of any organizations and any selection is legal, complete and without duplicates', async () => {
    const orgs = ['a', 'b', 'c'];
    const pool = new Map<string, Segment>();
    for (const org of orgs) {
      for (const { name } of families.slice(0, 3))
        pool.set(`${org} ${name}`, await segment(name, org, 1, 2, 3));
    }
    const choice = fc.uniqueArray(fc.constantFrom(...pool.keys()));
    const collect = fc.uniqueArray(fc.constantFrom('tokens', 'tools'));
    await fc.assert(
      fc.asyncProperty(
        choice,
        collect,
        fc.option(fc.constantFrom(...orgs), { nil: undefined }),
        async (chosen, names, org) => {
          const publication = createPublication({ families, clock: createFakeClock(0) });
          const segments = chosen.flatMap((key) => pool.get(key) ?? []);
          for (const each of orgs) {
            const own = segments.filter((candidate) => candidate.org === each);
            const tools = own.filter(({ family }) => family === 'tools');
            publication.replaceAll(
              each,
              fed(['tools', ...tools], ['tokens', ...own.filter((s) => !tools.includes(s))]),
            );
          }
          const part = await (await publication.flush()).part({ collect: names, org }, 'text');
          const page = parsePage(textOf(part));
          const selected = segments.filter(
            (s) =>
              (org === undefined || s.org === org) &&
              (names.length === 0 || names.includes(s.family === 'tools' ? 'tools' : 'tokens')),
          );
          const identities = page.samples.map(identityOf);
          expect(new Set(identities).size).toBe(identities.length);
          expect(identities.length).toBe(3 * selected.length);
          expect([...page.types.keys()].sort()).toEqual([...new Set(selected.map((s) => s.family))].sort());
          await publication.close();
        },
      ),
    );
  });
});

describe('a narrowed page', () => {
  test('has the named collectors and everything without a selectable collector', async () => {
    const publication = createPublication({ families, clock: createFakeClock(0) });
    publication.replaceAll(
      'a',
      fed(
        ['tokens', await segment('tokens', 'a', 1)],
        ['tools', await segment('tools', 'a', 1), await segment('day', 'a', 1)],
        ['about', await segment('day', 'a', 2)],
      ),
    );
    const part = await (await publication.flush()).part({ collect: ['tokens'] }, 'text');
    const { samples } = parsePage(textOf(part));
    expect(samples.map(({ name, value }) => `${name} ${value}`)).toEqual(['tokens 1', 'day 2']);
    expect([...publication.collectors]).toEqual(['tokens', 'tools']);
    await publication.close();
  });

  test('is deflated once per state, whatever the order of the names', async () => {
    const publication = createPublication({ families, clock: createFakeClock(0) });
    publication.replaceAll('a', fed(['tokens', await segment('tokens', 'a', 1)]));
    const published = await publication.flush();
    const collected = async (...collect: string[]) => (await published.part({ collect }, 'text')).crc;
    const first = await collected('tokens', 'tools');
    expect(await collected('tools', 'tokens', 'tools')).toBe(first);
    for (let org = 0; org < 100; org++) await published.part({ org: String(org) }, 'text');
    expect(await collected('tokens', 'tools')).toBe(first);
    await publication.close();
  });
});

describe('publishing', () => {
  test('happens at once, then at most once a second, and never forgets the last change', async () => {
    const clock = createFakeClock(0);
    const publication = createPublication({ families, clock });
    const values = () => parsePage(textNow(publication)).samples.map(({ value }) => value);
    const give = async (value: number) => {
      publication.replaceAll('a', fed(['tokens', await segment('tokens', 'a', value)]));
    };
    await give(1);
    await waitFor(() => expect(values()).toEqual(['1']));
    await give(2);
    await give(3);
    await clock.advance(999);
    expect(values()).toEqual(['1']);
    await clock.advance(1);
    await waitFor(() => expect(values()).toEqual(['3']));
    await give(4);
    expect(values()).toEqual(['3']);
    await clock.advance(1000);
    await waitFor(() => expect(values()).toEqual(['4']));
    await clock.advance(1000);
    await give(5);
    await waitFor(() => expect(values()).toEqual(['5']));
    expect(publication.current().version).toBe(4);
    await publication.close();
  });

  test('can be requested at once, and changes nothing if nothing changed', async () => {
    const publication = createPublication({ families, clock: createFakeClock(0) });
    publication.replaceAll('a', fed(['tokens', await segment('tokens', 'a', 1)]));
    publication.remove('a');
    expect(await textNext(publication)).toBe('');
    expect(await publication.flush()).toBe(publication.current());
    await publication.close();
  });

  test('leaves the state before untouched', async () => {
    const publication = createPublication({ families, clock: createFakeClock(0) });
    publication.replaceAll('a', fed(['tokens', await segment('tokens', 'a', 1)]));
    const before = await publication.flush();
    const text = textOf(before.whole('text'));
    publication.replaceAll('a', fed(['tools', await segment('tools', 'a', 2)]));
    await publication.flush();
    expect(textOf(before.whole('text'))).toBe(text);
    expect(textOf(await before.part({ collect: ['tools'] }, 'text'))).toBe('');
    await publication.close();
  });

  test('ends with close, which publishes pending changes', async () => {
    const publication = createPublication({ families, clock: createFakeClock(0) });
    publication.replaceAll('a', fed(['tokens', await segment('tokens', 'a', 1)]));
    publication.replaceAll('a', fed(['tokens', await segment('tokens', 'a', 2)]));
    await publication.close();
    expect(textNow(publication)).toContain('} 2\n');
    expect(() => publication.replaceAll('a', new Map())).toThrow('closed');
  });

  test('counts series by collector and by family', async () => {
    const publication = createPublication({ families, clock: createFakeClock(0) });
    publication.replaceAll(
      'a',
      fed(['tokens', await segment('tokens', 'a', 1, 2), await segment('day', 'a', 1)]),
    );
    publication.replaceAll('b', fed(['tokens', await segment('tokens', 'b', 1)], ['tools']));
    expect((await publication.flush()).series).toEqual(
      new Map([
        ['tokens', 4],
        ['tools', 0],
      ]),
    );
    expect(publication.seriesOf('a')).toEqual(
      new Map([
        ['tokens', 2],
        ['day', 1],
      ]),
    );
    expect(publication.seriesOf('c')).toEqual(new Map());
    await publication.close();
  });
});

describe('a scrape', () => {
  /**
   * A publication in which this many organizations have so many segments together, and then one of them has another
   * value.
   */
  async function changedOf(orgs: number, segments: number) {
    const names = Array.from({ length: segments - orgs }, (_, index) => `more_${index}`);
    const more = names.map((name) => ({ name, help: 'More.', collector: 'more' }));
    const publication = createPublication({ families: [...families, ...more], clock: createFakeClock(0) });
    for (let org = 0; org < orgs; org += 1)
      publication.replaceAll(`${org}`, fed(['tokens', await segment('tokens', `${org}`, 1)]));
    const others = await Promise.all(names.map((name) => segment(name, '1', 1)));
    const ofSecond = fed(['tokens', await segment('tokens', '1', 1)], ['more', ...others]);
    if (orgs > 1) publication.replaceAll('1', ofSecond);
    await publication.flush();
    publication.replaceAll('0', fed(['tokens', await segment('tokens', '0', 2)]));
    return publication;
  }

  test('of a short page contains every change', async () => {
    const publication = await changedOf(4, 300);
    expect(publication.ready()).toBeUndefined();
    expect(textOf((await publication.fresh()).whole('text'))).toContain('tokens{org="0",n="0"} 2');
    await publication.close();
  });

  test.each([
    [4, 301],
    [5, 5],
  ])('of a longer page waits for nothing: %i organizations, %i segments', async (orgs, segments) => {
    const publication = await changedOf(orgs, segments);
    const now = publication.current();
    expect(publication.ready()).toBe(now);
    expect(await publication.fresh()).toBe(now);
    expect(textOf(now.whole('text'))).toContain('tokens{org="0",n="0"} 1');
    await publication.close();
  });
});

describe('while it is held', () => {
  /** The same changes at the same time, without a hold: once it has published, the held one would have, too. */
  async function createPair() {
    const clock = createFakeClock(0);
    const [held, other] = [createPublication({ families, clock }), createPublication({ families, clock })];
    return {
      held,
      async change(value: number, version: number) {
        for (const publication of [held, other]) {
          publication.replaceAll('a', fed(['tokens', await segment('tokens', 'a', value)]));
        }
        await clock.advance(60_000);
        await waitFor(() => other.current().version === version);
      },
      close: () => Promise.all([held.close(), other.close()]),
    };
  }

  test('nothing is assembled until it is flushed or released', async () => {
    const { held, change, close } = await createPair();
    const release = held.hold();
    await change(1, 1);
    expect(held.current().version).toBe(0);
    expect(await textNext(held)).toContain('tokens{org="a",n="0"} 1');
    await change(2, 2);
    expect(held.current().version).toBe(1);
    release();
    await waitFor(() => textNow(held).includes('tokens{org="a",n="0"} 2'));
    await change(3, 3);
    expect(textNow(held)).toContain('tokens{org="a",n="0"} 3');
    await close();
  });

  test('publishing that has begun pauses, and a release without changes publishes nothing', async () => {
    const { held, change, close } = await createPair();
    await change(1, 1);
    expect(held.current().version).toBe(1);
    const release = held.hold();
    await change(2, 2);
    expect(held.current().version).toBe(1);
    await held.flush();
    release();
    await held.flush();
    expect(held.current().version).toBe(2);
    await close();
  });
});

describe('programming errors of its caller are reported', () => {
  const [tokens] = families;
  test.each([
    ['declared twice', [tokens, tokens]],
    ['double quote', [{ name: 'a', help: 'a "b"' }]],
  ])('%s', (message, wrong) => {
    const declared = wrong.flatMap((family) => family ?? []);
    expect(() => createPublication({ families: declared, clock: createFakeClock(0) })).toThrow(message);
  });

  test('segments out of place', async () => {
    const publication = createPublication({ families, clock: createFakeClock(0) });
    const own = await segment('tokens', 'a', 1);
    const feed = (org: string, ...segments: [string, ...Segment[]][]) =>
      publication.replaceAll(org, fed(...segments));
    expect(() => feed('a', ['tools', own])).toThrow('belongs to tokens');
    expect(() => feed('a', ['tokens', own, own])).toThrow('has the family');
    expect(() => feed('b', ['tokens', own])).toThrow('a segment of b belongs to a');
    expect(() => feed('a', ['tokens', { ...own, family: 'other' }])).toThrow('not declared');
    expect(publication.current().version).toBe(0);
  });
});
