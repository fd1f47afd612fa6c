import { expect, test } from 'vitest';
import type { Contract } from '../../src/catalog/settings.ts';
import { readable } from '../../src/page/format.ts';
import { dayNamed } from '../support/day.ts';
import { waitFor } from '../support/wait-for.ts';
import { NOON, startStory, YESTERDAY } from './harness.ts';
import { isActive, peopleOf } from './people.ts';

const contract: Contract = {
  seats: 12,
  creditsPerMonth: 90_000_000,
  prices: [{ from: dayNamed('2026-01-14'), currency: 'USD', perMillionCredits: 2.7 }],
};

/** The values and days of a card on the page. */
function cardOf(page: string, title: string) {
  const card =
    new RegExp(`<article[^>]*>\\s*<h3[^>]*>${title}</h3>(.*?)</article>`, 's').exec(page)?.[1] ?? '';
  const text = card.replace(/<svg.*?<\/svg>/s, ' ').replace(/<[^>]*>/g, ' ');
  return {
    values: [...card.matchAll(/<data value="([^"]*)"/g)].map(([, value]) => Number(value)),
    days: [...card.matchAll(/<time datetime="(\d{4}-\d{2}-\d{2})"/g)].map(([, day]) => day),
    text: text.replace(/\s+/g, ' ').trim(),
    bars: card.match(/M\d+ 48V/g)?.length ?? 0,
  };
}

test('a budget in money is on the page as it is, and the credits that it pays for are the line', async () => {
  const { creditsPerMonth: _, ...rest } = contract;
  const story = await startStory({
    contract: { ...rest, costPerMonth: { amount: 243, currency: 'USD' } },
  });
  const page = await (await story.get('/')).text();
  expect(cardOf(page, 'Credits, month to date').text).toMatch(/Budget 243.00 USD \([\d.]+% used\)/);
  expect(cardOf(page, 'Credits, month to date').values).toContain(243);
  expect(page).toContain('Budget: 90 M.');
  expect((await story.page()).text).not.toContain('agent_platform_credits_month_budget{');
});

test('the figures on the page and in its JSON are those of the metrics, of a named day', async () => {
  const story = await startStory({ contract });
  const metrics = await story.page();
  const value = (name: string) => metrics.value(`agent_platform_${name}`);
  const page = await (await story.get('/')).text();

  const credits = cardOf(page, 'Credits');
  expect(credits.values).toEqual([value('daily_credits'), value('daily_cost')]);
  expect(credits.days).toContain(YESTERDAY);
  expect(cardOf(page, 'Active people').values).toEqual([value('daily_active_users')]);
  expect(cardOf(page, 'Commits').values).toEqual([value('daily_git_commits')]);
  expect(cardOf(page, 'Pull requests').values).toEqual([value('daily_git_pull_requests_created')]);
  const month = cardOf(page, 'Credits, month to date');
  expect(month.values).toEqual(
    ['credits_month_to_date', 'cost_month_to_date', 'credits_month_budget', 'credits_month_forecast'].map(
      value,
    ),
  );

  const ratios = metrics.by('repo', 'agent_platform_readiness_ratio');
  const mean = Object.values(ratios).reduce((sum, ratio) => sum + ratio, 0) / Object.keys(ratios).length;
  const readiness = cardOf(page, 'Readiness');
  expect(readiness.values[0]).toBeCloseTo(mean, 12);
  const regressed = Object.entries(metrics.by('repo', 'agent_platform_readiness_criteria_regressed'));
  const worse = regressed.filter(([, count]) => count > 0);
  expect(worse.length).toBeGreaterThan(0);
  expect(readiness.text).toContain(
    `Criteria got worse in ${worse.length} repositor${worse.length === 1 ? 'y' : 'ies'}`,
  );

  const status: unknown = await (await story.get('/status')).json();
  expect(status).toMatchObject({
    orgs: [
      {
        requestsToday: { sent: expect.any(Number) },
        figures: {
          credits: { family: 'agent_platform_daily_credits', day: YESTERDAY, value: value('daily_credits') },
          month: { value: value('credits_month_to_date') },
          monthBudget: value('credits_month_budget'),
          worseCount: worse.length,
        },
      },
    ],
  });
});

test('the change and the bars are those of the days before; unknown days are gaps', async () => {
  const story = await startStory({ flags: ['history.start=2026-11-01'] });
  const asked = (await story.ask('/api/v1/analytics/tokens', {
    startDate: '2026-11-01',
    endDate: YESTERDAY,
  })) as { data: { date: string; billable_tokens: number }[] };
  const thursdays = asked.data.filter(({ date }) => ['2026-11-05', '2026-11-12'].includes(date));
  const usual = thursdays.reduce((sum, day) => sum + day.billable_tokens, 0) / thursdays.length;
  const credits = cardOf(await (await story.get('/')).text(), 'Credits');
  expect(credits.text).toContain(`against the mean of 2 Thursdays before (${readable(usual)})`);
  // From 1 November to the 19th, of 30 days.
  expect(credits.bars).toBe(19);
});

test('each of many organizations has a page, and the first page is an index of them', async () => {
  const story = await startStory({ sandbox: { orgs: 7, users: 6, repos: 2, days: 12 } });
  const index = await (await story.get('/')).text();
  const names = story.platform.orgs.map(({ name }) => name);
  expect([...index.matchAll(/<th scope="row"[^>]*><a href="([^"]*)"/g)].map(([, href]) => href)).toEqual(
    names.map((name) => `?org=${name}`),
  );
  // A scrape of so many organizations does not wait until all of them are published.
  const metrics = await waitFor(async () => {
    const page = await story.page();
    for (const org of names) expect(page.value('agent_platform_daily_credits', { org })).toBeDefined();
    return page;
  });
  for (const org of names) {
    const credits = metrics.value('agent_platform_daily_credits', { org });
    expect(index).toContain(`<data value="${credits}" title=`);
  }
  const own = await (await story.get(`/?org=${names[3]}`)).text();
  expect(cardOf(own, 'Credits').values).toEqual([
    metrics.value('agent_platform_daily_credits', { org: names[3] ?? '' }),
  ]);
  const nobody = await story.get('/?org=%3Cscript%3E');
  expect([nobody.status, await nobody.text()]).toEqual([
    404,
    'No organization with this name is configured.\n',
  ]);
});

test('says that a metric is absent because it is unknown, not that it is zero', async () => {
  const story = await startStory({ polled: false });
  const page = await (await story.get('/')).text();
  expect(cardOf(page, 'Credits')).toMatchObject({ values: [], text: 'Not known yet.' });
});

test('nothing of people is on the page, and of teams only what is published', async () => {
  const story = await startStory({
    collectors: ['tokens', 'activity', 'productivity', 'users'],
    flags: ['teams.file=teams.yml', 'users.identity=id'],
    files: new Map([['teams.yml', '"*@acme.example": everybody-of-us\n']]),
  });
  const metrics = await story.page();
  const people = metrics
    .find('agent_platform_daily_credits_by_user')
    .map(({ labels }) => labels.get('user') ?? '');
  expect(people.length).toBeGreaterThan(3);
  const page = await (await story.get('/')).text();
  const shown = [page, await (await story.get('/status')).text()].join();
  expect(people.filter((person) => shown.includes(person))).toEqual([]);
  const teams = metrics.by('team', 'agent_platform_credits_by_team_sum_7d');
  expect(cardOf(page, 'Credits by team').values).toEqual(
    Object.values(teams).sort((one, other) => other - one),
  );
  const few = await startStory({
    collectors: ['tokens', 'users'],
    flags: ['teams.file=teams.yml'],
    files: new Map([['teams.yml', '"user1@acme.example": alone\n']]),
  });
  expect((await few.page()).find('agent_platform_daily_credits_by_team').length).toBeLessThan(2);
  expect(await (await few.get('/')).text()).not.toContain('alone');
});

/** The months of teams on a page: the whole figures of each row by the titles of its columns. */
function teamMonthsOn(page: string): Readonly<Record<string, Readonly<Record<string, readonly number[]>>>> {
  const [card = ''] = /<article class="figure teams".*?<\/article>/s.exec(page) ?? [];
  const rows = [...card.matchAll(/<th scope="row"[^>]*>([^<]*)<\/th>(.*?)<\/tr>/gs)];
  return Object.fromEntries(
    rows.map(([, team = '', row = '']) => [
      team,
      Object.fromEntries(
        [...row.matchAll(/data-title="([^"]*)">(.*?)<\/td>/gs)].map(([, title = '', cell = '']) => [
          title,
          [...cell.matchAll(/<data value="([^"]*)"/g)].map(([, value]) => Number(value)),
        ]),
      ),
    ]),
  );
}

test('the months of teams are those of the metrics, with budgets and without', async () => {
  const sandbox = { users: 60 };
  const collectors = ['tokens', 'users'];
  const everybody = await startStory({ collectors, sandbox });
  const ids = (await peopleOf(everybody)).filter(isActive).map((row) => String(row['user_id']));
  const rules = ids.map((id, index) => `${id},${index < 12 ? 'web' : 'ops'}\n`).join('');
  for (const [budget, begins] of [
    ['', Date.UTC(2026, 10, 3, 12)],
    [',web,60000000\n', NOON],
  ] as const) {
    const story = await startStory({
      ...{ collectors, sandbox, contract, begins },
      flags: ['teams.file=t.csv', 'history.start=2026-10-12'],
      files: new Map([['t.csv', `${rules}${budget}`]]),
    });
    const metrics = await story.page();
    const months = teamMonthsOn(await (await story.get('/')).text());
    const published = metrics.by('team', 'agent_platform_team_credits_month_to_date');
    expect(Object.keys(months).toSorted()).toEqual(Object.keys(published).toSorted());
    expect(Object.keys(months)).toContain(budget === '' ? 'unassigned' : 'web');
    for (const team of Object.keys(months)) {
      const values = (...names: readonly string[]) =>
        names.flatMap((name) => metrics.value(`agent_platform_team_${name}`, { team }) ?? []);
      expect(months[team]).toMatchObject({
        Credits: values('credits_month_to_date'),
        Cost: values('cost_month_to_date'),
        ...(budget !== '' && {
          Forecast: values('credits_month_forecast', 'cost_month_forecast'),
          Budget: values('credits_month_budget'),
        }),
      });
    }
  }
});

test('the parts of a figure are sums of the metrics of seven days, of people their mean', async () => {
  const story = await startStory({ contract });
  const page = await (await story.get('/')).text();
  const metrics = await story.page();
  const activity = (await story.ask('/api/v1/analytics/activity', {
    startDate: '2026-11-13',
    endDate: YESTERDAY,
  })) as { data: { daily_active_users_by_client: Record<string, number> }[] };
  const people = new Map<string, number>();
  for (const [client, users] of activity.data.flatMap((row) =>
    Object.entries(row.daily_active_users_by_client),
  )) {
    people.set(client, (people.get(client) ?? 0) + users);
  }
  const means = [...people.values()].filter((sum) => sum > 0).map((sum) => sum / 7);
  expect(metrics.value('agent_platform_seats')).toBe(12);
  expect(cardOf(page, 'People by client').values).toEqual([12, ...means.sort((a, b) => b - a)].slice(0, 6));
  const asked = (await story.ask('/api/v1/analytics/tools', {
    startDate: '2026-11-13',
    endDate: YESTERDAY,
  })) as { data: { by_tool: { tool: string; invocations: number }[] }[] };
  const sums = new Map<string, number>();
  for (const { tool, invocations } of asked.data.flatMap((row) => row.by_tool)) {
    sums.set(tool, (sums.get(tool) ?? 0) + invocations);
  }
  const largest = [...sums.values()].sort((one, other) => other - one).slice(0, 5);
  expect(cardOf(page, 'Tool calls').values.slice(0, 5)).toEqual(largest);
  for (const title of ['Credits by model', 'Calls of MCP servers', 'Readiness by repository, lowest first']) {
    expect(cardOf(page, title).values.length).toBeGreaterThan(1);
  }
});
