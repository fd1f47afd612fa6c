import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { addDays, daysFrom, endOf } from '../../src/catalog/day.ts';
import { CREDITS } from '../../src/catalog/money.ts';
import { type Spend, spendOf } from '../../src/collectors/spend/costs.ts';
import type { OrgFigures } from '../../src/page/org-figures.ts';
import { contentOf } from '../../src/page/page.ts';
import { spendSentences } from '../../src/page/spend.ts';
import type { OrgStatus } from '../../src/page/status.ts';
import { createFakeView } from '../collectors/fakes.ts';
import { orgStatus, serviceStatus, textOfPage } from '../server/fixtures.ts';
import { dayNamed } from '../support/day.ts';
import { BOTH, COST, under } from '../support/money.ts';

const FIRST = dayNamed('2026-11-01');
const LAST = dayNamed('2026-11-19');

function spend(changes: Partial<Spend> = {}): Spend {
  return {
    ...{ currency: 'USD', used: 1_000, costIs: 'charge', billed: undefined, day: LAST, month: FIRST },
    ...{ isPresent: true, forecast: 1_500, range: { lower: 1_400, upper: 1_700 } },
    ...changes,
  };
}

const claude = (changes: Partial<Spend> = {}) => ({
  org: 'lab',
  platform: 'Claude',
  spends: [spend({ used: 2_629, ...changes })],
});
const copilot = (changes: Partial<Spend> = {}) => ({
  org: 'octo',
  platform: 'GitHub Copilot',
  spends: [spend({ used: 681, costIs: 'value of use', billed: { amount: 120 }, ...changes })],
});
const ours = (changes: Partial<Spend> = {}) => ({
  org: 'acme',
  platform: 'Agent Platform',
  spends: [spend({ costIs: 'estimate', ...changes })],
});
const said = (...orgs: Parameters<typeof spendSentences>[0]) =>
  spendSentences(orgs, { forecast: 'forecast', percentSign: ' %' });

describe('what agents on several platforms used', () => {
  test('is one sentence, with the kind of each cost where they differ', () => {
    expect(said(claude(), ours(), copilot())).toEqual([
      'Agents used 4,310 USD this month so far: 61 % Claude (charge), 23 % Agent Platform (estimate by configured prices), 16 % GitHub Copilot (value of use); billed beyond seats 120 where platforms say it (GitHub Copilot); seat fees are not included; forecast 4,500 (4,200 to 5,100).',
    ]);
    const docs = readFileSync(new URL('../../docs/report.md', import.meta.url), 'utf8');
    expect(docs.replaceAll('\n> ', ' ')).toContain(said(claude(), ours(), copilot())[0]);
    expect(said(claude(), copilot())[0]).toMatch(
      /^Agents used 3,310 USD this month so far at the platforms' own prices: 79 % Claude \(charge\), 21 % GitHub Copilot \(value of use\); billed/,
    );
  });

  test('says on which platform it grows against the same days of the month before, where that is known', () => {
    const grown = (org: ReturnType<typeof claude>, before: number | undefined) => ({
      ...org,
      spends: org.spends.map((one) => ({ ...one, before })),
    });
    expect(said(grown(claude(), 2_629 / 1.13), grown(ours(), 500), grown(copilot(), 750))[0]).toContain(
      '; seat fees are not included; against the same days of the month before: Agent Platform +100 %, Claude +13 %, GitHub Copilot −9 %; forecast',
    );
    expect(said(grown(claude(), 2_629), grown(ours(), undefined), grown(copilot(), 0))[0]).toContain(
      '; against the same days of the month before: Claude +0 %; forecast',
    );
  });

  test('names the largest platform where all costs are of one kind, and never calls an estimate a price of a platform', () => {
    expect(said(claude(), { ...claude(), platform: 'Other' }, claude())[0]).toBe(
      "Agents used 7,887 USD this month so far at the platforms' own prices, 67 % Claude; seat fees are not included; forecast 4,500 (4,200 to 5,100).",
    );
    expect(said(ours())[0]).toContain(' this month so far at configured prices, 100 % Agent Platform;');
  });

  test('is added by currency', () => {
    const euros = ours({ currency: 'EUR', used: 99.5, forecast: undefined });
    expect(said(claude(), euros)).toEqual([
      expect.stringContaining("Agents used 2,629 USD this month so far at the platforms' own prices,"),
      'Agents used 99.50 EUR this month so far at configured prices, 100 % Agent Platform; seat fees are not included.',
    ]);
  });

  test('is added only over the same month', () => {
    const october = { month: dayNamed('2026-10-01'), day: dayNamed('2026-10-31'), isPresent: false };
    expect(said(claude(), copilot(october))).toEqual([
      expect.stringContaining('Agents used 2,629 USD this month so far at'),
      expect.stringContaining('Agents used 681 USD in the month from Thu 1 Oct so far at'),
    ]);
  });

  test('says up to when all is known', () => {
    expect(said(claude(), copilot({ day: dayNamed('2026-11-17') }))[0]).toContain(
      'Agents used 3,310 USD this month so far (to Tue 17 Nov at least) at ',
    );
  });

  test('has no sum of which a part is unknown', () => {
    const [sentence] = said(claude({ range: undefined }), copilot({ billed: { amount: undefined } }));
    expect(sentence).toContain('; billed beyond seats unknown where platforms say it (GitHub Copilot);');
    expect(sentence).toMatch(/; forecast 3,000\.$/);
    expect(said(claude(), copilot({ forecast: undefined, range: undefined }))[0]).toMatch(
      /; forecast unknown\.$/,
    );
    const none = { forecast: undefined, range: undefined };
    expect(said(claude(none), copilot(none))[0]).toMatch(/; seat fees are not included\.$/);
    const over = { forecast: 1_000, used: 1_000 };
    expect(said(claude(over), copilot(over))[0]).not.toContain('forecast');
  });

  test('names the organizations that it does not have', () => {
    const unknown = (org: string) => ({ org, platform: 'Claude', spends: [] });
    expect(said(copilot(), unknown('lab'), unknown('shop')).at(-1)).toBe(
      'Not included, as their cost is unknown: lab, shop.',
    );
    expect(said(unknown('lab'), unknown('shop'))).toEqual([]);
  });

  test('has no shares of nothing', () => {
    expect(said(claude({ used: 0, forecast: 0 }), copilot({ used: 0, forecast: 0 }))[0]).toMatch(
      /^Agents used 0.00 USD this month so far at the platforms' own prices; billed/,
    );
    expect(said(claude(), copilot({ used: 1 }))[0]).toContain('100 % Claude (charge), under 1 % GitHub');
    expect(said(claude(), copilot({ used: 0 }))[0]).toContain('100 % Claude (charge), 0 % GitHub Copilot');
  });

  test('has shares that add up to 100 %', () => {
    expect(said(claude({ used: 505 }), copilot({ used: 495 }))[0]).toContain(
      ': 51 % Claude (charge), 49 % GitHub Copilot (value of use);',
    );
    expect(said(claude({ used: 100 }), ours({ used: 100 }), copilot({ used: 100 }))[0]).toContain(
      ': 34 % Claude (charge), 33 % Agent Platform (estimate by configured prices), 33 % GitHub Copilot',
    );
  });
});

describe('the spend of some days', () => {
  const days = daysFrom(addDays(LAST, -2), LAST);
  const rows = (billed: (index: number) => number | undefined) =>
    new Map(days.map((day, index) => [day, { cost: 10, billedCost: billed(index) }]));
  const cost = { currency: 'USD', amount: 30 };

  test('has what is billed beyond seats if the platform says it, and not if a day of it is unknown', () => {
    const billedOf = (view: ReturnType<typeof createFakeView>) => spendOf(view, days, cost, undefined).billed;
    const view = createFakeView({ rows: rows((index) => index), asOf: endOf(LAST) });
    expect(billedOf(under(view, { money: BOTH }))).toEqual({ amount: 3 });
    expect(billedOf(under(view, { money: COST }))).toBeUndefined();
    expect(billedOf(view)).toBeUndefined();
    const lacking = createFakeView({ rows: rows((index) => (index === 1 ? undefined : index)) });
    expect(billedOf(under(lacking, { money: BOTH }))).toEqual({ amount: undefined });
  });

  test('is of the billing month of the last of them', () => {
    const view = createFakeView({ rows: new Map(), asOf: endOf(LAST) });
    const spendWith = (periodStarts?: number) =>
      spendOf(under(view, { contract: { prices: [], periodStarts } }), days, cost, undefined);
    expect(spendWith()).toMatchObject({ month: FIRST, day: LAST, isPresent: true, costIs: CREDITS.costIs });
    expect(spendWith(9)).toMatchObject({ month: '2026-11-09', isPresent: false });
  });
});

describe('a page of several platforms', () => {
  const on = (name: string, platform: OrgStatus['platform']) => orgStatus({ name, platform });
  const AGENT = { name: 'agent-platform' };
  const COPILOT = { name: 'copilot', title: 'GitHub Copilot' };
  const OTHER = { name: 'other', title: '<Other>' };
  const figuresOf = (credits: number, people: number, spends: readonly Spend[]): OrgFigures => ({
    figures: (['credits', 'people'] as const).map((name) => ({
      ...{ name, family: 'f', isPublished: true, day: LAST, weekBefore: undefined, trend: [] },
      value: name === 'credits' ? credits : people,
    })),
    ...{ dayCost: undefined, monthCosts: [], monthBudget: undefined, monthForecast: undefined, spends },
    ...{ repositories: 0, newestReportAt: undefined, worse: [], worseCount: 0 },
  });

  function shown(orgs: readonly OrgStatus[], asked: Parameters<typeof contentOf>[1] = {}) {
    const figures = new Map(
      orgs.map(({ name, platform }, index) => {
        const spends = platform.name === 'agent-platform' ? [] : copilot().spends;
        return [name, figuresOf(10 ** index, 7, spends)];
      }),
    );
    const status = serviceStatus({ orgs });
    const content = contentOf(status, asked, figures);
    const page = content === undefined ? '' : textOfPage(status, content, figures);
    return page
      .replace(/<style>.*?<\/style>/s, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ');
  }

  test('begins with what all used, and names each platform, one after the other', () => {
    const text = shown([on('octo', COPILOT), on('acme', AGENT), on('octo-two', COPILOT)]);
    expect(text).toMatch(
      /^ ?Agent Platform Exporter .*? Prometheus\. Agents used 1,362 USD this month so far/,
    );
    expect(text).toContain('Not included, as their cost is unknown: acme.');
    expect(text).toMatch(/ octo GitHub Copilot .* octo-two GitHub Copilot .* acme Agent Platform /);
  });

  test('of many organizations adds credits and people for each platform alone', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const platforms = [AGENT, COPILOT, OTHER];
    const orgs = names.map((name, index) => on(name, platforms[index % 3] ?? AGENT));
    const text = shown(orgs, { sort: 'name' });
    expect(text).toContain('Agents used 2,724 USD this month so far');
    expect(text).not.toContain('All 6 organizations');
    const groups = [
      'Agent Platform All 2 organizations: 1,001 credits',
      'GitHub Copilot All 2 organizations: 10,010',
    ];
    for (const group of groups) expect(text).toContain(group);
    expect(text).toMatch(
      /&lt;Other&gt; All 2 organizations: 100 k credits .*? 14 people active, counted in each/,
    );
    expect(text.match(/people active/g)).toHaveLength(3);
    expect(text).toMatch(/ Organization ▲ Data of Credits Active people /);
    expect(text).toMatch(
      / Agent Platform All .* a Thu .* d Thu .* GitHub Copilot All .* b Thu .* e Thu .* c Thu .* f Thu /,
    );
  });

  test('says that a column of credits has costs, too, where it has', () => {
    const status = serviceStatus({ orgs: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => on(name, AGENT)) });
    const { figures, ...rest } = figuresOf(5, 7, []);
    const inMoney = { ...rest, figures: figures.map((figure) => ({ ...figure, currency: 'USD' })) };
    const content = contentOf(status, {});
    const page = content && textOfPage(status, content, new Map([['b', inMoney]]));
    expect(page).toContain('<a href="?sort=credits">Credits or cost</a>');
  });

  test('names the platform of an organization on its own page, without what all used', () => {
    const orgs = [on('octo', COPILOT), on('acme', AGENT)];
    expect(shown(orgs, { org: 'acme' })).toMatch(/All organizations acme Agent Platform /);
    expect(shown(orgs, { org: 'acme' })).not.toContain('Agents used');
  });

  test('of one platform has neither', () => {
    for (const platform of [AGENT, COPILOT]) {
      const text = shown([on('octo', platform), on('octo-two', platform)]);
      expect(text).not.toMatch(/Agents used|Not included|octo (?:GitHub Copilot|Agent Platform) Spend/);
    }
  });
});
