import { expect, onTestFinished, test } from 'vitest';
import { daysBetween } from '../../src/catalog/day.ts';
import { DAYS_OF_RANGE } from '../../src/collectors/month-range.ts';
import { openCompany } from '../../src/commands/demo.ts';
import { dayNamed } from '../support/day.ts';
import { configOf, NOON, type Story, startStory, YESTERDAY } from './harness.ts';
import type { Page } from './page.ts';

const ORGS = ['acme', 'acme-copilot', 'acme-claude'];
const TEAMS = ['platform', 'payments', 'mobile'];

let shared: Page | undefined;

/** The page of the demo's company on a fixed day. */
async function companyPage(): Promise<Page> {
  if (shared !== undefined) return shared;
  let story: Story | undefined;
  const company = await openCompany(() => story?.clock.now() ?? NOON);
  onTestFinished(company.close);
  const collectors = ['tokens', 'spend', 'activity', 'users'];
  story = await startStory({
    sandbox: { days: 1 },
    load: async (platform, url) => company.configured(await configOf(platform, url, { collectors })),
  });
  shared = await story.page();
  return shared;
}

test('the demo has the days that ranges of forecasts need on every day of a month', async () => {
  const company = await openCompany(() => NOON);
  onTestFinished(company.close);
  const { history } = company.configured({ history: { start: '2026-01-14' }, people: {} } as never);
  const known = daysBetween(history.start, dayNamed(YESTERDAY));
  expect(known).toBeGreaterThanOrEqual(DAYS_OF_RANGE);
});

const day = (text: string) => Date.parse(text) / 1000;

test('the company of the demo has an organization on each platform, with money of yesterday', async () => {
  const page = await companyPage();
  expect(Object.keys(page.by('org', 'agent_platform_daily_cost'))).toEqual(expect.arrayContaining(ORGS));
  for (const org of ORGS) {
    const at = { org, dataset: 'tokens' };
    expect(page.value('agent_platform_data_day_timestamp_seconds', at)).toBe(day(YESTERDAY));
    expect(page.value('agent_platform_cost_month_to_date', { org })).toBeGreaterThan(100);
  }
});

test('only one organization of the demo has an unusual day', async () => {
  const page = await companyPage();
  const unusual = ['credits', 'cost'].flatMap((measure) =>
    Object.entries(page.by('org', `agent_platform_daily_${measure}_unusual`)),
  );
  expect(unusual.map(([org]) => org).sort()).toEqual(ORGS.toSorted());
  expect(unusual.filter(([, amount]) => amount > 0).map(([org]) => org)).toEqual(['acme']);
});

test('the teams of the demo are on every platform, none with fewer than five people, and nobody by name', async () => {
  const page = await companyPage();
  for (const org of ORGS) {
    const people = page.by('team', 'agent_platform_daily_active_users_by_team', { org });
    expect(Object.values(people).filter((count) => count < 5)).toEqual([]);
    const measure = org === 'acme-claude' ? 'cost' : 'credits';
    const months = page.by('team', `agent_platform_team_${measure}_month_to_date`, { org });
    expect(
      Object.keys(months)
        .filter((team) => TEAMS.includes(team))
        .sort(),
      org,
    ).toEqual(TEAMS.toSorted());
    expect(months['none']).toBeUndefined();
  }
  expect(page.text).not.toMatch(/[{,]user="|@acme/);
});
