import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { renderRules } from '../../alerts/src/document.ts';
import { alertName, defaultSettings, ruleGroups } from '../../alerts/src/index.ts';
import { recordingDocument } from '../../dashboards/src/recording-rules.ts';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

/** A value at a minute; absent where a scrape has none. */
type Value = (minute: number) => number | undefined;

interface Story {
  /** The rules, and how often they are evaluated. */
  readonly rules: string;
  readonly every: string;
  readonly hours: number;
  readonly series: Readonly<Record<string, Value>>;
  /** What a query finds at a minute, with its value. */
  readonly finds: readonly (readonly [
    query: string,
    minute: number,
    found: Readonly<Record<string, number>>,
  ])[];
}

const DAY = 86_400;
const from =
  (at: number, value: number, before?: number): Value =>
  (minute) =>
    minute < at ? before : value;
const until =
  (at: number, value: number): Value =>
  (minute) =>
    minute < at ? value : undefined;
const always = (value: number): Value => from(0, value);

const FIRING = 'group by (alertname) (ALERTS{alertstate="firing"})';
const EVER_DOWN = `group by (org) (count_over_time(ALERTS{alertname="AgentPlatformExporterDown",alertstate="firing"}[1d]))`;
const CONFIGURED = 'agent_platform_exporter_config_org_timestamp_seconds';
const REQUESTS = 'agent_platform_exporter_api_requests_total';

/** The rules of these alerts; of all others, if none are given. */
function rulesOf(names: readonly string[], isOf = true): string {
  const groups = ruleGroups(defaultSettings).map(({ name, alerts }) => ({
    name,
    alerts: alerts.filter((alert) => names.includes(alert.name) === isOf),
  }));
  return renderRules(
    groups.filter(({ alerts }) => alerts.length > 0),
    defaultSettings,
  );
}

function named(labels: string, values: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const [metric = '', own = ''] = name.split(' ');
      return [`agent_platform_${metric}{${labels}${own === '' ? '' : `,${own}`}}`, value];
    }),
  );
}

const target = 'job="ape",instance="a"';
const acme = `${target},org="acme"`;
const globex = `${target},org="globex"`;
/** Those that need two days. */
const OF_DAYS = ['NewModelShare', 'PlatformSilent'];
const AT = 60;

/** A target whose scrapes succeed or fail. */
function exporter(
  labels: string,
  orgs: readonly string[],
  loaded: number,
  isUp: (minute: number) => boolean,
) {
  const whileUp =
    (value: number): Value =>
    (minute) =>
      isUp(minute) ? value : undefined;
  return Object.fromEntries([
    [`up{${labels}}`, (minute: number) => Number(isUp(minute))],
    ...orgs.flatMap((org) => [
      [`${CONFIGURED}{${labels},org="${org}"}`, whileUp(loaded)],
      [`${REQUESTS}{${labels},org="${org}",endpoint="tokens",code="200"}`, whileUp(5)],
    ]),
  ]) as Record<string, Value>;
}

const stories: Readonly<Record<string, (intervalS: number) => Story>> = {
  'every alert fires, and none before its cause': () => ({
    rules: rulesOf([...OF_DAYS, 'ExporterAbsent'], false),
    // Meets every minute after a scrape of five or fifteen, as each minute would.
    every: '2m',
    hours: 4,
    series: {
      ...exporter(target, ['acme', 'globex'], 0, () => true),
      ...exporter('job="gone",instance="a"', ['initech'], 0, (minute) => minute < AT),
      ...named('job="file"', { exporter_history_persistent: from(AT, 0, 1) }),
      ...named('job="database"', {
        exporter_store_up: from(AT, 0, 1),
        exporter_orgs_not_polled: from(AT, 1, 0),
      }),
      ...named(target, {
        exporter_config_last_reload_successful: from(AT, 0, 1),
        'exporter_store_info store="s"': always(1),
        hook_sessions_waiting: from(AT, 9, 0),
        'exporter_collector_success exported_org="acme",collector="tools"': from(AT, 1),
      }),
      ...named(acme, {
        'exporter_records_rejected_total dataset="tokens"': from(AT, 20, 0),
        'exporter_values_folded metric="m"': from(AT, 7, 0),
        'exporter_unknown_fields dataset="tokens"': from(AT, 2, 0),
        'exporter_families_dropped collector="wiki"': from(AT, 2, 0),
        'exporter_collector_failing collector="tokens",reason="auth"': from(AT, 1, 0),
        'exporter_collector_success collector="tokens"': from(AT, 0, 1),
        'exporter_collector_last_success_timestamp_seconds collector="tokens"': always(-20_000),
        'exporter_api_requests_total endpoint="tools",code="429"': (minute) => Math.max(0, minute - AT),
        'data_day_timestamp_seconds dataset="tools"': from(AT, -6 * DAY, 0),
        'data_day_timestamp_seconds dataset="tokens"': always(0),
        'data_day_timestamp_seconds dataset="users"': always(0),
        'data_day_timestamp_seconds dataset="activity"': always(0),
        daily_credits: from(AT, 40e6, 10e6),
        daily_credits_expected_upper: always(20e6),
        credits_month_budget: always(100),
        credits_month_to_date: from(AT, 120, 50),
        'team_credits_month_budget team="web"': always(100),
        'team_credits_month_forecast team="web"': from(AT, 120, 50),
        daily_active_users: always(60),
        daily_active_users_mean_7d: from(AT, 50, 100),
        daily_active_users_mean_7d_baseline: always(100),
        'readiness_report_timestamp_seconds repo="worse"': always(0),
        'readiness_ratio repo="worse"': from(AT, 0.5, 0.8),
        'readiness_ratio_previous repo="worse"': always(0.8),
        'readiness_ratio_lower repo="worse"': always(0.7),
        'readiness_report_timestamp_seconds repo="old"': from(AT, -40 * DAY, 0),
      }),
      ...named(globex, {
        'data_day_timestamp_seconds dataset="tokens"': always(0),
        credits_month_budget: always(100),
        credits_month_forecast: from(AT, 120, 50),
      }),
    },
    finds: [
      [FIRING, AT, {}],
      [
        FIRING,
        AT + 100,
        Object.fromEntries(
          ruleGroups(defaultSettings)
            .flatMap(({ alerts }) => alerts)
            .filter(({ name }) => ![...OF_DAYS, 'ExporterAbsent'].includes(name))
            .map((alert) => [`{alertname="${alertName(alert)}"}`, 1]),
        ),
      ],
    ],
  }),
  'an exporter is not down for one scrape that fails, for a restart or for what is no longer configured': (
    intervalS,
  ) => ({
    rules: rulesOf(['ExporterDown', 'StoreDown']),
    every: '1m',
    hours: 4,
    series: {
      ...exporter(
        'job="one",instance="a"',
        ['acme'],
        0,
        (minute) => minute < AT || minute >= AT + intervalS / 60,
      ),
      ...exporter('job="ape",instance="1",service="s"', ['globex', 'old'], 0, (minute) => minute < AT),
      ...exporter(
        'job="ape",instance="2",service="s"',
        ['globex', 'new'],
        60 * AT,
        (minute) => minute >= AT + 2,
      ),
      // The target of the former pod is gone.
      'up{job="ape",instance="1",service="s"}': until(AT, 1),
      'up{job="ape",instance="2",service="s"}': from(AT, 1),
    },
    finds: [[EVER_DOWN, 239, {}]],
  }),
  'days are told on their second day': () => ({
    rules: rulesOf(OF_DAYS),
    every: '30m',
    hours: 60,
    series: named(acme, {
      ...Object.fromEntries(
        ['tokens', 'activity'].map((dataset) => [
          `data_day_timestamp_seconds dataset="${dataset}"`,
          (minute: number) => (minute < 1440 ? 0 : DAY),
        ]),
      ),
      daily_active_users: always(0),
      daily_active_users_mean_7d: always(50),
      daily_active_users_mean_7d_baseline: always(50),
      daily_credits: always(100),
      credits_trailing_7d: always(700),
      'credits_share_by_model model="new",tier="t"': always(0.5),
      'credits_share_by_model_baseline model="new",tier="t"': always(0.1),
      // One day alone is a trial: no series of the second day.
      'credits_share_by_model model="trial",tier="t"': until(1440, 0.4),
      'credits_share_by_model_baseline model="trial",tier="t"': always(0.1),
    }),
    finds: [
      [FIRING, 1440, {}],
      [
        'group by (alertname,model) (ALERTS{alertstate="firing"})',
        60 * 58,
        {
          '{alertname="AgentPlatformNewModelShare",model="new"}': 1,
          '{alertname="AgentPlatformPlatformSilent"}': 1,
        },
      ],
    ],
  }),
  'what a day no longer has is not recorded for it': () => ({
    rules: recordingDocument(),
    every: '1h',
    hours: 60,
    series: named(acme, {
      // Just before the evaluation of an hour.
      'data_day_timestamp_seconds dataset="tokens"': (minute) => (minute < 60 * 50 - 20 ? 0 : DAY),
      'daily_credits_by_model model="old",tier="t"': until(60 * 50 - 20, 5),
      'daily_credits_by_model model="kept",tier="t"': from(60 * 50 - 20, 7, 5),
      credits_month_budget: always(100),
    }),
    finds: [
      [
        'sum by (model) (sum_over_time(agent_platform:daily_credits_by_model[11h]) / count_over_time(agent_platform:daily_credits_by_model[11h]))',
        60 * 59,
        { '{model="kept"}': 7 },
      ],
      [
        'agent_platform:credits_month_budget',
        60 * 59,
        { 'agent_platform:credits_month_budget{org="acme"}': 100 },
      ],
    ],
  }),
};

describe.runIf(requireTool('promtool'))('the rules', () => {
  const programs = createPrograms();

  describe.each([15, 60, 300, 900])('with a scrape every %i s', (intervalS) => {
    test.concurrent.each(Object.entries(stories))('%s', async (_name, storyOf) => {
      const story = storyOf(intervalS);
      const folder = programs.folder();
      await writeFile(join(folder, 'rules.yaml'), story.rules);
      await writeFile(join(folder, 'test.yaml'), testOf(story, intervalS));
      const { code, stdout, stderr } = await programs.run('promtool', [
        'test',
        'rules',
        join(folder, 'test.yaml'),
      ]);
      expect([code, stderr], stdout).toEqual([0, '']);
    });
  });
});

/** The story as promtool reads it: scraped two minutes after a multiple of the interval, so that no sample is of an evaluation's instant. */
function testOf({ every, hours, series, finds }: Story, intervalS: number): string {
  const stepS = Math.min(60, intervalS);
  const scraped = Array.from({ length: (hours * 3600) / stepS }, (_, step) =>
    (step * stepS) % intervalS === 120 % intervalS ? (step * stepS) / 60 : undefined,
  );
  return stringify(
    {
      rule_files: ['rules.yaml'],
      evaluation_interval: every,
      tests: [
        {
          interval: `${stepS}s`,
          input_series: Object.entries(series).map(([name, value]) => ({
            series: name,
            values: scraped
              .map((minute) => (minute === undefined ? '_' : (value(minute) ?? 'stale')))
              .join(' '),
          })),
          promql_expr_test: finds.map(([expr, minute, found]) => ({
            expr,
            eval_time: `${minute}m`,
            exp_samples: Object.entries(found).map(([labels, value]) => ({ labels, value })),
          })),
        },
      ],
    },
    { lineWidth: 0 },
  );
}
