import { describe, expect, test } from 'vitest';
import { alertName, defaultSettings, ruleGroups } from '../../alerts/src/index.ts';
import { staleHours } from '../../alerts/src/thresholds.ts';
import { specs } from '../../dashboards/src/index.ts';
import { dataPanels, queryOf, readDashboards } from '../../scripts/dashboards/dashboard.ts';
import { lintDashboard } from '../../scripts/dashboards/lint.ts';
import { LATE_DAYS, READY_HOURS } from '../../src/catalog/day-rules.ts';
import { platforms } from '../../src/platforms/list.ts';

const files = readDashboards();
const MAX_BYTES = 200_000;
/** The columns whose values a click selects. */
const DRILLED: ReadonlySet<string> = new Set(['Organization', 'Repository', 'Model', 'Team']);

describe('the committed dashboards', () => {
  test('are the declared ones, in small files', () => {
    expect(files.map(({ dashboard }) => dashboard.uid).sort()).toEqual(specs.map(({ uid }) => uid).sort());
    expect(files.filter(({ bytes }) => bytes >= MAX_BYTES)).toEqual([]);
  });

  test.each([
    ['credits', 'model', ['agent_platform_daily_credits_by_model', 'agent_platform_daily_cost_by_model']],
    ['users', 'user', ['agent_platform_daily_credits_by_user', 'agent_platform_daily_sessions_by_user']],
  ] as const)('list in %s the values of $%s with and without credits', (name, variable, metrics) => {
    const found = files.find(({ file }) => file === `${name}.json`)?.dashboard;
    if (found === undefined) throw new Error(`no ${name}.json`);
    const listed = found.templating.list.find((one) => one.name === variable);
    expect(listed && queryOf(listed)).toBe(
      `label_values({__name__=~"${metrics.join('|')}",job=~"$job",org=~"$org"}, ${variable})`,
    );
    for (const metric of metrics) {
      const renamed = JSON.stringify(found.templating).replaceAll(metric, 'agent_platform_renamed');
      const problems = lintDashboard('a', JSON.stringify({ ...found, templating: JSON.parse(renamed) }));
      expect(problems.some((problem) => problem.includes(`: ${variable}: label_values(`))).toBe(true);
    }
  });

  test('link to existing dashboards', () => {
    const uids = new Set(files.map(({ dashboard }) => dashboard.uid));
    const links = files.flatMap(({ dashboard }) =>
      dataPanels(dashboard).flatMap((panel) => panel.links ?? []),
    );
    expect(links.length).toBeGreaterThan(10);
    for (const { url = '' } of links) expect(uids).toContain(/^\/d\/([\w-]+)\?/.exec(url)?.[1]);
  });

  test('drill down to variables of existing dashboards', () => {
    const urls = files.flatMap(({ dashboard }) =>
      dataPanels(dashboard).flatMap(({ fieldConfig }) =>
        (fieldConfig?.overrides ?? []).flatMap(({ properties }) =>
          properties
            .filter(({ id }) => id === 'links')
            .flatMap(({ value }) => (value as readonly { readonly url: string }[]).map(({ url }) => url)),
        ),
      ),
    );
    const variables = new Set<string>();
    for (const url of urls) {
      const [, dashboard, panel] = /^\/d\/([\w-]+)\?viewPanel=(\d+)&/.exec(url) ?? [];
      if (panel !== undefined) {
        const shown = files.find((file) => file.dashboard.uid === dashboard)?.dashboard;
        expect(shown && dataPanels(shown).map(({ id }) => String(id)), url).toContain(panel);
        continue;
      }
      const [, uid, variable = ''] =
        /^\/d\/([\w-]+)\?.*&var-(\w+)=\$\{__value\.text:percentencode\}$/.exec(url) ?? [];
      const found = files.find(({ dashboard }) => dashboard.uid === uid);
      expect(
        found?.dashboard.templating.list.map(({ name }) => name),
        url,
      ).toContain(variable);
      expect(url).not.toContain(`\${${variable}:queryparam}`);
      variables.add(variable);
    }
    expect([...variables].sort()).toEqual(['model', 'org', 'repo', 'team']);
  });

  test('lead from every organization, repository, model and team of a table', () => {
    const without = files.flatMap(({ file, dashboard }) =>
      dataPanels(dashboard)
        .filter(({ type }) => type === 'table')
        .flatMap(({ title, fieldConfig }) =>
          (fieldConfig?.overrides ?? [])
            .filter(({ matcher }) => DRILLED.has(String(matcher.options)))
            .filter(({ properties }) => !properties.some(({ id }) => id === 'links'))
            .map(({ matcher }) => `${file} “${title}” ${matcher.options}`),
        ),
    );
    expect(without).toEqual([]);
  });

  test('mark events in panels that exist', () => {
    for (const { dashboard } of files)
      for (const { name, filter } of dashboard.annotations?.list ?? []) {
        const ids = dataPanels(dashboard).map(({ id }) => id);
        expect(filter?.ids ?? [0], name).not.toEqual([]);
        expect(ids).toEqual(expect.arrayContaining([...(filter?.ids ?? [])]));
      }
  });
});

test('every alert says on the overview what it means', () => {
  const overview = files.find(({ dashboard }) => dashboard.uid === 'ape-overview');
  const panels = overview === undefined ? [] : dataPanels(overview.dashboard);
  const line = panels.find(({ title }) => title === 'Firing alerts');
  expect(line).toBe(panels[0]);
  const said = (line?.fieldConfig?.overrides ?? [])
    .filter(({ properties }) => properties.some(({ id }) => id === 'displayName'))
    .map(({ matcher }) => matcher.options);
  expect(said).toEqual(
    ruleGroups(defaultSettings).flatMap(({ alerts }) => alerts.map((alert) => alertName(alert))),
  );
});

test('the age of the data is alarming on a platform from when its own alert fires', () => {
  const health = files.find(({ dashboard }) => dashboard.uid === 'ape-health')?.dashboard;
  const panel = health && dataPanels(health).find(({ title }) => title === 'Oldest data');
  const late = platforms.filter(({ days }) =>
    Object.values(days).some(({ readyWithin = READY_HOURS }) => readyWithin > READY_HOURS),
  );
  const [, ofLate] = panel?.targets ?? [];
  expect(ofLate?.expr).toContain(`platform=~"${late.map(({ name }) => name).join('|')}"`);
  const steps = JSON.stringify(panel?.fieldConfig?.overrides);
  for (const { days } of late)
    for (const { readyWithin = READY_HOURS, lateDays = LATE_DAYS } of Object.values(days)) {
      if (readyWithin === READY_HOURS) continue;
      expect(steps).toContain(`"value":${(readyWithin + 30) * 3600},`);
      expect(steps).toContain(`"value":${(staleHours(lateDays) - 24) * 3600},`);
    }
});
