import { alertName, defaultSettings, ruleGroups } from '../../alerts/src/index.ts';
import { dataDayTimestamp } from '../../src/collectors/org-families.ts';
import { creditWeeks, modelWeeks } from '../../src/collectors/spend/comparisons.ts';
import { tokenFamilies as tokens } from '../../src/collectors/tokens/collector.ts';
import { userFamilies as people } from '../../src/collectors/users/collector.ts';
import type { Weeks } from '../../src/collectors/weeks.ts';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';
import { peopleByClient } from './adoption.ts';
import { spendEvents } from './annotations.ts';
import type { DashboardSpec } from './dashboard.ts';
import { type Described, type Expression, newest, ofPlatform, promql } from './expression.ts';
import { dataAge } from './figures.ts';
import { exportersUp, WHOLE } from './health/process-metrics.ts';
import { largestAndRest } from './largest.ts';
import type { Row } from './layout.ts';
import { dashboardUidOf, linkedPanels } from './linked-panels.ts';
import { links } from './links.ts';
import { budgetTile, monthTile, peopleTile, weekTile } from './money.ts';
import { palette } from './palette.ts';
import { bars } from './panels/chart.ts';
import { COMMON_VARIABLES, drillTo } from './panels/drill.ts';
import type { Placed } from './panels/panel.ts';
import { HIDDEN, table } from './panels/table.ts';
import { tile } from './panels/tile.ts';
import { now } from './query.ts';
import { readinessTile } from './readiness.ts';
import { outputTiles } from './usage.ts';
import { withoutCredits } from './without-credits.ts';

/** What an alert is about, besides an organization: one of these labels, or none. They are joined without a separator. */
const SUBJECTS = ['repo', 'budget_team', 'model', 'collector', 'dataset', 'metric', 'job'] as const;

/** The alerts that Prometheus evaluates. */
export const alerts: Described<string> = {
  name: 'ALERTS',
  labels: ['alertname', 'alertstate', 'org', 'severity', ...SUBJECTS],
  help: 'Alerts that are pending or firing.',
  source: 'Prometheus',
};

/**
 * The alerts that fire, with what each is about as the label `about`, and its severity as `order`, in which `info` is the last; a
 * dataset has the name of its collector.
 */
function firingAlerts(): Expression {
  const selected = `${alerts.name}{alertname=~"AgentPlatform.+",alertstate="firing",org=~"$org|"}`;
  const withOneName = `label_replace(${selected}, "collector", "", "dataset", ".+")`;
  const distinct = `max by (alertname,org,severity,${SUBJECTS.join()}) (${withOneName})`;
  const withSubject = `label_join(${distinct}, "about", "", "${SUBJECTS.join('", "')}")`;
  const withOrder = `label_join(${withSubject}, "order", "", "severity")`;
  return { text: `label_replace(${withOrder}, "order", "z", "severity", "info")`, about: [alerts] };
}

/** What each alert says, which leads to the panel that shows its cause. */
const sayings = Object.fromEntries(
  ruleGroups(defaultSettings).flatMap(({ alerts: declared }) =>
    declared.map((alert) => {
      const url = `/d/${dashboardUidOf(alert.panel)}?viewPanel=${linkedPanels[alert.panel]}&${COMMON_VARIABLES}`;
      return [alertName(alert), { displayName: alert.summary, links: [{ title: alert.summary, url }] }];
    }),
  ),
);

/** The alerts that fire, in one line. */
const alertLine = tile({
  title: 'Firing alerts',
  text: 'What the alerts of the exporter’s rules that fire now say, and how many organizations, repositories, teams or models each is about. A click leads to the panel that shows the cause. The row below lists them one by one.',
  unit: 'none',
  queries: [
    now(promql`count by (alertname) (${firingAlerts()})`, '{{alertname}}', { colour: palette.alarm }),
  ],
  overrides: sayings,
  noValue: 'None fires, or the rules are not loaded',
  inOneLine: true,
  width: 24,
  height: 3,
});

/** The age of the data of the other panels, in one line. */
const freshness = tile({
  title: 'Data',
  text: 'The newest UTC day that the figures describe: the latest one of any organization and dataset. How long ago the newest day of the dataset and organization furthest behind ended: up to about a day and a half is normal, and quiet days can make it four. Share of the exporters that Prometheus could scrape, and of the collectors whose last run succeeded. Selected organizations that have data.',
  unit: 'none',
  queries: [
    now(promql`1000 * max(${newest(dataDayTimestamp)})`, 'newest day', { unit: 'time:ddd D MMM' }),
    now(promql`max(${dataAge()})`, 'age of the oldest data', { unit: 's', decimals: 0 }),
    now(promql`avg(${exportersUp()})`, 'exporters up', WHOLE),
    now(promql`avg(${newest(ownMetrics.collectorSuccess)})`, 'collectors succeed', WHOLE),
    now(promql`count(count by (org) (${newest(dataDayTimestamp)}))`, 'organizations'),
  ],
  noValue: 'No exporter answers',
  inOneLine: true,
  to: links.health,
  width: 24,
  height: 2,
});

/** Whether the money lasts, who uses the agent, and of when the figures are. */
const answers: Row = {
  title: 'Money and people',
  panels: [alertLine, freshness, monthTile(), budgetTile(), weekTile(), peopleTile()],
};

/** The parts of the credits, by how much they rose from the 7 days before. */
function risen<Label extends 'model' | 'tier' | 'team'>(
  { present, before }: Weeks<Label>,
  label: NoInfer<Label>,
  to: Parameters<typeof drillTo>[0],
): Placed {
  const name = label.replace(/^./, (first) => first.toUpperCase());
  const [last, earlier] = [newest(present, { by: [label] }), newest(before, { by: [label] })];
  // An organization whose parts are not known has a line of its own: without it, the totals would be partial.
  const withUnknown = (figure: Expression, whole: Expression): Expression =>
    ofPlatform(
      promql`sum by (${label}) (${figure} or on (org) label_join(${whole}, "${label}", ", no ${label} known", "org", "${label}"))`,
    );
  const [week, weekBefore] = [newest(creditWeeks.present), newest(creditWeeks.before)];
  const rise = withUnknown(promql`${last} - ${earlier}`, promql`(${week} - ${weekBefore})`);
  return table({
    title: `${name}s by rise`,
    text: `Standard Credits of each ${label} in the 7 days that end with the newest complete day and in the 7 days before, and by how much they rose or fell. What rose most is first. An organization whose ${label}s of these weeks are not known has one line for all its credits.`,
    columns: [
      { of: label, title: name, to: drillTo(to, label), width: 200 },
      {
        of: withUnknown(promql`(${last} and ${earlier})`, promql`${week} and ${weekBefore}`),
        title: '7 days',
        unit: 'currency:',
        total: true,
      },
      {
        of: withUnknown(promql`(${earlier} and ${last})`, promql`${weekBefore} and ${week}`),
        title: 'Before',
        unit: 'currency:',
        total: true,
      },
      { of: promql`clamp_min(${rise}, 0)`, title: 'Rise', unit: 'currency:+' },
      { of: promql`clamp_max(${rise}, 0)`, title: 'Fall', unit: 'currency:' },
    ],
    sort: { by: 'Rise', desc: true },
    noValue: '–',
    width: 12,
    height: 7,
  });
}

const changed: Row = {
  title: 'What changed in a week',
  panels: [risen(modelWeeks, 'model', links.credits), risen(people.teamWeeks, 'team', links.users)],
};

const usage: Row = {
  title: 'Models and clients',
  panels: [
    bars({
      title: 'Credits by model and day',
      text: 'Standard Credits of each UTC day, of the four models with most credits in the range and of the rest.',
      stack: 'values',
      queries: largestAndRest({ family: tokens.dailyCreditsByModel, label: 'model', by: 'day' }),
      to: links.credits,
    }),
    peopleByClient({ to: links.adoption }),
  ],
};

const made: Row = {
  title: 'Output and repositories',
  panels: [...outputTiles([4, 4, 5]), readinessTile({}, { to: links.readiness, width: 11 })],
};

const firing: Row = {
  title: 'Alerts',
  folded: true,
  panels: [
    table({
      title: 'Alerts that fire',
      text: 'Alerts of the exporter’s rules that fire now, of the selected organizations and of the exporter itself, and the repository, team, model, collector or job that each is about.',
      labels: [firingAlerts()],
      columns: [
        { of: 'alertname', title: 'Alert' },
        { of: 'about', title: 'About', properties: { noValue: '–' } },
        { of: 'severity', title: 'Severity', width: 120 },
        {
          of: 'org',
          title: 'Organization',
          to: drillTo(links.overview, 'org'),
          width: 200,
          properties: { noValue: '–' },
        },
        { of: 'order', title: 'Order', properties: HIDDEN },
      ],
      sort: { by: 'Order', desc: false },
      noValue: 'None fires, or the rules are not loaded',
      height: 6,
    }),
  ],
};

/** The month and the last seven days, what changed, and what is wrong. */
export const overview: DashboardSpec = {
  ...links.overview,
  description:
    'What the month costs and whether the budget lasts, what changed in the last seven days against the seven before, who uses the agent, and which alerts fire. Each panel links to a more detailed dashboard.',
  rows: [answers, firing, changed, usage, made, withoutCredits],
  from: 'now-30d',
  events: spendEvents,
};
