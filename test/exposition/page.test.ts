import { crc32, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Sample } from '../../src/catalog/family.ts';
import type { Deflated } from '../../src/exposition/deflate.ts';
import { Page } from '../../src/exposition/page.ts';
import { createTextRenderer, type FamilyText } from '../../src/exposition/text.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { waitFor } from '../support/wait-for.ts';
import { identityOf, parsePage } from './parse.ts';

const families = [
  { name: 'credits', help: 'Credits.', collector: 'tokens' },
  { name: 'tokens', help: 'Tokens.', collector: 'tokens' },
  { name: 'tools', help: 'Tools.', collector: 'tools' },
  { name: 'day', help: 'Day.' },
];

const renderText = createTextRenderer({ clock: createFakeClock(0) });

async function text(name: string, org: string, ...values: number[]): Promise<FamilyText> {
  const samples: Sample[] = values.map((value, index) => ({ labels: { n: String(index) }, value }));
  const rendered = await renderText({ name, labels: ['n'] }, org, samples);
  if (rendered === undefined) throw new Error('no samples');
  return rendered;
}

function textOf(page: Deflated): string {
  const inflated = inflateRawSync(Buffer.concat([page.bytes, Buffer.from([3, 0])]));
  expect(page).toMatchObject({ crc: crc32(inflated), length: inflated.length });
  return inflated.toString();
}

function fed(...texts: [collector: string, ...FamilyText[]][]): ReadonlyMap<string, readonly FamilyText[]> {
  return new Map(texts.map(([collector, ...those]) => [collector, those]));
}

/** The page as it is, without publishing. */
function textNow(page: Page): string {
  return textOf(page.current());
}

/** The page with everything given so far. */
async function textNext(page: Page): Promise<string> {
  await page.flush();
  return textNow(page);
}

describe('the page', () => {
  test('has families as declared, each once, then organizations and collectors by name', async () => {
    const page = new Page({ families, clock: createFakeClock(0) });
    page.replace(
      'b',
      fed(
        ['tools', await text('tools', 'b', 4), await text('day', 'b', 7)],
        ['tokens', await text('tokens', 'b', 3), await text('day', 'b', 6)],
      ),
    );
    page.replace(
      'a',
      fed(['tokens', await text('tokens', 'a', 2), await text('credits', 'a', 1), await text('day', 'a', 5)]),
    );
    expect(await textNext(page)).toBe(
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
    await page.close();
  });

  test('is empty before anything is fed', () => {
    const page = new Page({ families, clock: createFakeClock(0) });
    expect(textNow(page)).toBe('');
  });

  test('keeps the texts of a collector that come again, and replaces the others', async () => {
    const page = new Page({ families, clock: createFakeClock(0) });
    const tokens = [await text('tokens', 'a', 1, 2)];
    page.replace('a', new Map([['tokens', tokens], ...fed(['tools', await text('tools', 'a', 3)])]));
    await page.flush();
    page.replace('a', new Map([['tokens', tokens], ...fed(['tools', await text('tools', 'a', 4, 5, 6)])]));
    expect(parsePage(await textNext(page)).samples.map(({ value }) => Number(value))).toEqual([
      1, 2, 4, 5, 6,
    ]);
    expect([...page.series()]).toEqual([
      ['tokens', 2],
      ['tools', 3],
    ]);
    await page.close();
  });

  test('omits a family that overflowed, and keeps the others', async () => {
    const page = new Page({ families, clock: createFakeClock(0) });
    const overflowed: FamilyText = { ...(await text('tokens', 'a', 1, 2)), overflow: true };
    page.replace('a', fed(['tokens', await text('credits', 'a', 1), overflowed]));
    expect(parsePage(await textNext(page)).samples.map(({ name }) => name)).toEqual(['credits']);
    await page.close();
  });

  test('of any organizations and any selection is legal, complete and without duplicates', async () => {
    const orgs = ['a', 'b', 'c'];
    const pool = new Map<string, { readonly org: string; readonly rendered: FamilyText }>();
    for (const org of orgs) {
      for (const { name } of families.slice(0, 3))
        pool.set(`${org} ${name}`, { org, rendered: await text(name, org, 1, 2, 3) });
    }
    const choice = fc.uniqueArray(fc.constantFrom(...pool.keys()));
    const collect = fc.uniqueArray(fc.constantFrom('tokens', 'tools'));
    await fc.assert(
      fc.asyncProperty(
        choice,
        collect,
        fc.option(fc.constantFrom(...orgs), { nil: undefined }),
        async (chosen, names, org) => {
          const page = new Page({ families, clock: createFakeClock(0) });
          const given = chosen.flatMap((key) => pool.get(key) ?? []);
          for (const each of orgs) {
            const own = given.filter((one) => one.org === each).map(({ rendered }) => rendered);
            const tools = own.filter(({ family }) => family === 'tools');
            page.replace(
              each,
              fed(['tools', ...tools], ['tokens', ...own.filter((one) => !tools.includes(one))]),
            );
          }
          const parsed = parsePage(textOf(await page.select({ collect: names, org })));
          const selected = given
            .filter((one) => org === undefined || one.org === org)
            .map(({ rendered }) => rendered.family)
            .filter(
              (family) => names.length === 0 || names.includes(family === 'tools' ? 'tools' : 'tokens'),
            );
          const identities = parsed.samples.map(identityOf);
          expect(new Set(identities).size).toBe(identities.length);
          expect(identities.length).toBe(3 * selected.length);
          expect([...parsed.types.keys()].sort()).toEqual([...new Set(selected)].sort());
          await page.close();
        },
      ),
    );
  });
});

describe('a narrowed page', () => {
  test('has the named collectors and everything without a selectable collector', async () => {
    const page = new Page({ families, clock: createFakeClock(0) });
    page.replace(
      'a',
      fed(
        ['tokens', await text('tokens', 'a', 1)],
        ['tools', await text('tools', 'a', 1), await text('day', 'a', 1)],
        ['about', await text('day', 'a', 2)],
      ),
    );
    const part = await page.select({ collect: ['tokens'] });
    const { samples } = parsePage(textOf(part));
    expect(samples.map(({ name, value }) => `${name} ${value}`)).toEqual(['tokens 1', 'day 2']);
    expect([...page.collectors]).toEqual(['tokens', 'tools']);
    await page.close();
  });
});

describe('publishing', () => {
  test('happens at once, then at most once a second, and never forgets the last change', async () => {
    const clock = createFakeClock(0);
    const page = new Page({ families, clock });
    const values = () => parsePage(textNow(page)).samples.map(({ value }) => value);
    const give = async (value: number) => {
      page.replace('a', fed(['tokens', await text('tokens', 'a', value)]));
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
    await page.close();
  });

  test.each([
    [100, 1000],
    [2000, 4000],
    [4000, 5000],
  ])('that took %i ms is followed by a rest of %i ms', async (took, rest) => {
    const clock = createFakeClock(0);
    let elapsed = 0;
    function read(): number {
      elapsed += took;
      return elapsed;
    }
    const page = new Page({ families, clock: { ...clock, elapsed: read } });
    page.replace('a', fed(['tokens', await text('tokens', 'a', 1)]));
    await waitFor(() => expect(clock.waits).toEqual([rest]));
    await page.close();
  });

  test('that fails keeps the page, is logged, and is tried again', async () => {
    const clock = createFakeClock(0);
    const log = createFakeLogger();
    const page = new Page({ families, clock, log });
    const own = await text('tokens', 'a', 1);
    let broken = true;
    const piece = {
      // Too long to be copied at once.
      length: 2 ** 24,
      subarray() {
        if (broken) throw new Error('cannot be read');
        return own.bytes[0];
      },
    };
    page.replace('a', fed(['tokens', { ...own, bytes: [piece as unknown as Buffer] }]));
    await waitFor(() => expect(clock.waits).toHaveLength(1));
    expect(log.events).toMatchObject([{ level: 'error', message: 'The page could not be assembled' }]);
    expect(textNow(page)).toBe('');
    broken = false;
    await clock.advance(1000);
    await waitFor(() => expect(textNow(page)).toContain('tokens{org="a",n="0"} 1'));
    await page.close();
  });

  test('can be requested at once, and changes nothing if nothing changed', async () => {
    const page = new Page({ families, clock: createFakeClock(0) });
    page.replace('a', fed(['tokens', await text('tokens', 'a', 1)]));
    page.remove('a');
    expect(await textNext(page)).toBe('');
    expect(await page.flush()).toBe(page.current());
    await page.close();
  });

  test('leaves the state before untouched', async () => {
    const page = new Page({ families, clock: createFakeClock(0) });
    page.replace('a', fed(['tokens', await text('tokens', 'a', 1)]));
    const before = await page.flush();
    const former = textOf(before);
    page.replace('a', fed(['tools', await text('tools', 'a', 2)]));
    await page.flush();
    expect(textOf(before)).toBe(former);
    expect(page.current()).not.toBe(before);
    await page.close();
  });

  test('ends with close, which publishes pending changes', async () => {
    const page = new Page({ families, clock: createFakeClock(0) });
    page.replace('a', fed(['tokens', await text('tokens', 'a', 1)]));
    page.replace('a', fed(['tokens', await text('tokens', 'a', 2)]));
    await page.close();
    expect(textNow(page)).toContain('} 2\n');
    expect(() => page.replace('a', new Map())).toThrow('closed');
    expect(() => page.remove('a')).toThrow('closed');
  });

  test('can be asked for the enabled collectors alone, at first for those of all families', async () => {
    const page = new Page({ families, clock: createFakeClock(0) });
    expect(page.collectors).toEqual(new Set(families.flatMap(({ collector }) => collector ?? [])));
    page.setCollectors(new Set(['tools']));
    expect(page.collectors).toEqual(new Set(['tools']));
    await page.close();
  });

  test.each([
    ['short', 1],
    ['long', 2 ** 20],
  ])(
    'counts series by collector and by family, and keeps the pieces of %s texts in order',
    async (_, size) => {
      const page = new Page({ families, clock: createFakeClock(0) });
      const tokens = await text('tokens', 'a', 1, 2);
      const piece = Buffer.from(`${'#'.repeat(size)}\n`);
      const bytes = [...tokens.bytes, piece, Buffer.from('# end\n')];
      page.replace('a', fed(['tokens', { ...tokens, bytes }, await text('day', 'a', 1)]));
      expect(await textNext(page)).toContain(`${Buffer.concat(bytes)}# HELP day`);
      page.replace('b', fed(['tokens', await text('tokens', 'b', 1)], ['tools']));
      expect(page.series()).toEqual(
        new Map([
          ['tokens', 4],
          ['tools', 0],
        ]),
      );
      expect(page.seriesOf('a')).toEqual(
        new Map([
          ['tokens', 2],
          ['day', 1],
        ]),
      );
      expect(page.seriesOf('c')).toEqual(new Map());
      await page.close();
    },
  );
});

describe('programming errors of its caller are reported', () => {
  const [tokens] = families;
  test.each([
    ['declared twice', [tokens, tokens]],
    ['double quote', [{ name: 'a', help: 'a "b"' }]],
  ])('%s', (message, wrong) => {
    const declared = wrong.flatMap((family) => family ?? []);
    expect(() => new Page({ families: declared, clock: createFakeClock(0) })).toThrow(message);
  });

  test('texts out of place', async () => {
    const page = new Page({ families, clock: createFakeClock(0) });
    const own = await text('tokens', 'a', 1);
    const feed = (...texts: [string, ...FamilyText[]][]) => page.replace('a', fed(...texts));
    expect(() => feed(['tools', own])).toThrow('belongs to tokens');
    expect(() => feed(['tokens', own, own])).toThrow('has the family');
    expect(() => feed(['tokens', { ...own, family: 'other' }])).toThrow('not declared');
    expect(page.series()).toEqual(new Map());
  });
});
