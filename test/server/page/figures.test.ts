import { describe, expect, test } from 'vitest';
import { addDays } from '../../../src/catalog/day.ts';
import type { Figure, OrgFigures, TrendDay } from '../../../src/server/figures.ts';
import { changeWords, figureCards } from '../../../src/server/page/figures.ts';
import { summaryCells } from '../../../src/server/page/overview.ts';
import { contentOf, renderPage } from '../../../src/server/page/page.ts';
import { sparkline } from '../../../src/server/page/sparkline.ts';
import { dayNamed } from '../../support/day.ts';
import { NOW, orgStatus, serviceStatus } from '../fixtures.ts';

const LAST = dayNamed('2026-11-19');

function trendOf(...values: readonly (number | undefined | readonly [number, number])[]): TrendDay[] {
  return values.map((given, index) => {
    const [value, upper] = typeof given === 'object' ? given : [given, undefined];
    return { day: addDays(LAST, index - values.length + 1), value, upper };
  });
}

function figureOf(changes: Partial<Figure> = {}): Figure {
  const trend = trendOf(1, 2, 3, 4, 5, 6, 7, 8);
  return {
    name: 'credits',
    family: 'agent_platform_daily_credits',
    isPublished: true,
    day: LAST,
    value: 8,
    weekBefore: 1,
    trend,
    ...changes,
  };
}

function allOf(...figures: readonly Figure[]): OrgFigures {
  return {
    figures,
    dayCost: undefined,
    monthCost: undefined,
    monthBudget: undefined,
    monthForecast: undefined,
    repositories: 0,
    newestReportAt: undefined,
    worse: [],
    worseCount: 0,
  };
}

describe('the bars', () => {
  const draw = (trend: readonly TrendDay[]) =>
    sparkline({ id: 's', title: 'Credits', trend, format: String }).markup;

  test('have a gap for an unknown day and a line for zero', () => {
    const markup = draw(trendOf(0, undefined, 10));
    expect(markup).toContain('d="M0 48V47h6V48zM16 48V6h6V48z"');
    expect(markup).toContain('Lowest 0, highest 10. 1 day unknown.');
  });

  test('mark a day above its expected upper bound by shape, colour and words', () => {
    const markup = draw(trendOf([4, 8], [16, 8]));
    expect(markup).toContain('<path class="bars" d="M0 48V37.5h6V48z"/>');
    expect(markup).toContain(
      '<path class="unusual" d="M8 48V6h6V48z"/><path class="unusual" d="M8 0h6l-3 4z"/>',
    );
    expect(markup).toContain('<path class="bound" d="M-1 27h8M7 27h8"/>');
    expect(markup).toContain('Above the expected upper bound: 2026-11-19.');
  });

  test('are not flattened by a bound far above them', () => {
    expect(draw(trendOf([10, 1e9]))).toBe(draw(trendOf(10)));
  });

  test('name themselves for screen readers', () => {
    expect(draw(trendOf(1))).toMatch(
      /role="img"\s.*aria-labelledby="s-t s-d"><title id="s-t">Credits<\/title><desc/s,
    );
  });
});

describe('a change', () => {
  test.each([
    [{ value: 112, weekBefore: 100 }, '+12%'],
    [{ value: 50, weekBefore: 100 }, '−50%'],
    [{ value: 5, weekBefore: 0 }, '+5'],
    [{ value: 5, weekBefore: 5 }, 'no change'],
    [{ value: 5, weekBefore: undefined }, undefined],
    [{ name: 'readiness', value: 0.7, weekBefore: 0.75 }, '−5.0 points'],
  ] as const)('of %j is %s', (changes, words) => {
    expect(changeWords(figureOf(changes))).toBe(words);
  });
});

describe('a figure', () => {
  const text = (figure: Figure) => figureCards(allOf(figure), 'x', NOW).markup.replace(/<[^>]*>/g, '');

  test('that is unusual says so', () => {
    expect(text(figureOf({ value: 16, trend: trendOf([16, 8]) }))).toContain('▲ unusually high');
    expect(text(figureOf())).not.toContain('unusually');
  });

  test('that is absent says why', () => {
    const absent = { value: undefined, day: undefined, trend: [] };
    expect(text(figureOf(absent))).toContain('Not known yet.');
    expect(text(figureOf({ ...absent, isPublished: false }))).toContain('excluded by metrics.exclude');
    expect(text(figureOf({ ...absent, name: 'month' }))).toContain('a day of the month is not known yet');
  });
});

describe('the index of organizations', () => {
  const orgs = Array.from({ length: 501 }, (_, index) => orgStatus({ name: `org${index}` }));
  const figures = new Map(orgs.map(({ name }) => [name, allOf(figureOf())]));
  const status = serviceStatus({ orgs });
  const indexOf = (page: number) => {
    const content = contentOf(status, { page });
    const cells = new Map([...figures].map(([name, of]) => [name, summaryCells(name, of)]));
    return content === undefined ? '' : renderPage(status, content, { figures, cells });
  };

  test('has at most 500 on a page, of bounded size', () => {
    const [first, second] = [indexOf(1), indexOf(2)];
    expect(first.match(/<th scope="row"/g)).toHaveLength(500);
    expect(second.match(/<th scope="row"/g)).toHaveLength(1);
    expect(first).toContain('Page 1 of 2 pages.');
    expect(second).toContain('<a href="?page=1">Previous</a>');
    expect(indexOf(99)).toBe(second);
    expect(first.length).toBeLessThan(1_000_000);
  });
});
