import { describe, expect, test } from 'vitest';
import { alertName, composeSettings, ruleGroups, rulesDocument } from '../../alerts/src/index.ts';
import { dashboardUidOf, linkedIdsOf, linkedPanels } from '../../dashboards/src/linked-panels.ts';
import { allPanels, dataPanels, readDashboards } from '../../scripts/dashboards/dashboard.ts';

const alerts = ruleGroups(composeSettings).flatMap((group) => group.alerts);
const dashboards = readDashboards().map(({ dashboard }) => dashboard);
const urls = [...rulesDocument(composeSettings).matchAll(/http:\/\/localhost:3000\/d\/(\S+?)(?:\?(.*))?$/gm)];

/** What the panel of each alert shows: the family whose value is the cause. */
const SHOWN: Readonly<Record<string, string>> = {
  ExporterDown: 'agent_platform_exporter_build_info',
  ExporterAbsent: 'agent_platform_exporter_build_info',
  HistoryNotPersistent: 'agent_platform_exporter_history_persistent',
  StoreDown: 'agent_platform_exporter_store_up',
  OrganizationsNotPolled: 'agent_platform_exporter_orgs_not_polled',
  ConfigReloadFailed: 'agent_platform_exporter_config_last_reload_successful',
  LabelsRenamed: 'agent_platform_exporter_collector_success',
  RecordsRejected: 'agent_platform_exporter_records_rejected_total',
  ContractChanged: 'agent_platform_exporter_unknown_fields',
  ValuesFolded: 'agent_platform_exporter_values_folded',
  FamiliesDropped: 'agent_platform_exporter_families_dropped',
  KeyRejected: 'agent_platform_exporter_collector_failing',
  CollectionFailing: 'agent_platform_exporter_collector_last_success_timestamp_seconds',
  Throttled: 'agent_platform_exporter_api_requests_total',
  DataStale: 'agent_platform_data_day_timestamp_seconds',
  CreditSpike: 'agent_platform_daily_credits_expected_upper',
  NewModelShare: 'agent_platform_daily_credits_by_model',
  BudgetProjectedOver: 'agent_platform_credits_month_forecast',
  BudgetExceeded: 'agent_platform_credits_month_to_date',
  TeamBudgetProjectedOver: 'agent_platform_team_credits_month_forecast',
  PlatformSilent: 'agent_platform_daily_active_users',
  AdoptionDropped: 'agent_platform_daily_active_users_mean_7d_baseline',
  SessionsWaiting: 'agent_platform_hook_sessions_waiting',
  ReadinessDropped: 'agent_platform_readiness_criterion_ratio',
  ReadinessReportOld: 'agent_platform_readiness_report_timestamp_seconds',
};
/** The same in money, of the alerts that also fire where no credits are counted. */
const SHOWN_IN_MONEY: Readonly<Record<string, string>> = {
  CreditSpike: 'agent_platform_daily_cost_expected_upper',
  NewModelShare: 'agent_platform_daily_cost_by_model',
  BudgetProjectedOver: 'agent_platform_cost_month_forecast',
  BudgetExceeded: 'agent_platform_cost_month_to_date',
  TeamBudgetProjectedOver: 'agent_platform_team_cost_month_forecast',
};
/** Families that an alert reads in another form than its panel. */
const IN_OTHER_WORDS: Readonly<Record<string, string>> = {
  ExporterDown: 'agent_platform_exporter_config_org_timestamp_seconds',
  NewModelShare: 'agent_platform_credits_share_by_model',
};
const MONEY_IN_OTHER_WORDS: Readonly<Record<string, string>> = {
  NewModelShare: 'agent_platform_cost_share_by_model',
};

function readBy(text: string, family: string): boolean {
  return new RegExp(`\\b${family}\\b`).test(text);
}

describe('the link of an alert to its dashboard', () => {
  test('is in every alert', () => {
    expect(urls.length).toBe(alerts.length);
    expect(Object.keys(SHOWN).sort()).toEqual(alerts.map(({ name }) => name).sort());
    const inMoney = alerts.filter(({ expr }) => /_cost_/.test(expr)).map(({ name }) => name);
    expect(Object.keys(SHOWN_IN_MONEY).sort()).toEqual(inMoney.sort());
  });

  test.each(alerts.map((alert, index) => [alertName(alert), alert, urls[index]] as const))(
    '%s leads to the panel that shows its cause, with its labels selected',
    (_name, { name, expr, description, labels, unselected = [] }, url) => {
      const dashboard = dashboards.find(({ uid }) => uid === url?.[1]);
      const query = new URLSearchParams(url?.[2]?.replaceAll(/\{\{.*?\}\}/g, '') ?? '');
      const variables = [...query.keys()].filter((key) => key.startsWith('var-')).map((key) => key.slice(4));
      const known = dashboard?.templating.list.map((variable) => variable.name) ?? [];
      expect(variables.filter((variable) => !known.includes(variable))).toEqual([]);
      const selectable = labels.map((label) => (label === 'budget_team' ? 'team' : label));
      const expected = selectable.filter((label) => known.includes(label) && !unselected.includes(label));
      expect(variables.sort()).toEqual(expected.sort());

      const id = query.get('viewPanel');
      expect(id).not.toBeNull();
      if (dashboard === undefined) throw new Error(`no dashboard ${url?.[1]}`);
      const panel = dataPanels(dashboard).find((one) => one.id === Number(id));
      const shown = panel?.targets?.map((target) => target.expr).join('\n') ?? '';
      const family = SHOWN[name] ?? '';
      expect(readBy(shown, family), `“${panel?.title}” shows ${family}`).toBe(true);
      expect(readBy(`${expr}\n${description}`, IN_OTHER_WORDS[name] ?? family)).toBe(true);
      const money = SHOWN_IN_MONEY[name];
      if (money !== undefined) {
        expect(readBy(shown, money), `“${panel?.title}” shows ${money}`).toBe(true);
        expect(readBy(`${expr}\n${description}`, MONEY_IN_OTHER_WORDS[name] ?? money)).toBe(true);
      }
      // Every panel is about all organizations or some; other choices must reach it.
      for (const variable of variables) if (variable !== 'org') expect(shown).toContain(`$${variable}`);
    },
  );

  test.each([...new Set(Object.keys(linkedPanels).map(dashboardUidOf))])(
    'finds each panel of %s under an id that no position has',
    (uid) => {
      const ids = linkedIdsOf(uid);
      const panels = dashboards.filter((one) => one.uid === uid).flatMap(allPanels);
      const fixed = panels.filter(({ id = 0 }) => id > 200).map(({ id, title = '' }) => [title, id]);
      expect(Object.fromEntries(fixed)).toEqual(Object.fromEntries(ids));
      expect(ids.size).toBe(fixed.length);
      expect(new Set(ids.values()).size).toBe(fixed.length);
    },
  );
});
