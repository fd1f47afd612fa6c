import { alertName, defaultSettings, ruleGroups } from '../../alerts/src/index.ts';
import { dataDayTimestamp } from '../../src/collectors/org-families.ts';
import { spendFamilies as spend } from '../../src/collectors/spend/collector.ts';
import { modelWeeks } from '../../src/collectors/spend/comparisons.ts';
import { tokenFamilies as tokens } from '../../src/collectors/tokens/collector.ts';
import { userFamilies as people } from '../../src/collectors/users/collector.ts';
import type { Weeks } from '../../src/collectors/weeks.ts';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';
import { spendEvents } from './annotations.ts';
import type { DashboardSpec } from './dashboard.ts';
import { type Described, type Expression, named, newest, promql } from './expression.ts';
import { dataAge } from './figures.ts';
import { exportersUp, WHOLE } from './health/process-metrics.ts';
import { largestAndRest } from './largest.ts';
import type { Row } from './layout.ts';
import { dashboardUidOf, linkedPanels } from './linked-panels.ts';
import { links } from './links.ts';
import { costByDay } from './money.ts';
import { organizations, totals } from './organizations.ts';
import { palette } from './palette.ts';
import { bars } from './panels/chart.ts';
import { COMMON_VARIABLES, drillTo, orgLink } from './panels/drill.ts';
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
  height: 2,
});

/** The age of the data of the other panels, in one line. */
const freshness = tile({
  title: 'Data',
  text: 'The newest UTC day that the figures describe: the latest one of any organization and dataset. How long ago the newest day of the dataset and organization furthest behind ended: up to about a day and a half is normal, where a platform has its days later, as GitHub Copilot, up to three, and quiet days can make it four, or there six. Share of the exporters that Prometheus could scrape, and of the collectors whose last run succeeded. Selected organizations that have data.',
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

/** What fires, and of when the figures are. */
const state: Row = { title: 'State', panels: [alertLine, freshness] };

/** What agents cost. */
const money: Row = { title: 'Organizations and money', panels: [organizations(), totals()] };

/** A week by a label, in credits and, where the platform reports the cost, in money. */
interface WeeksBy<Label extends string> {
  readonly credits: Weeks<Label>;
  readonly money: Weeks<Label | 'currency'>;
}

/** The parts of the use of each organization, by how much they rose from the 7 days before. */
function risen<Label extends 'model' | 'tier' | 'team'>(
  { credits, money: reported }: WeeksBy<Label>,
  label: NoInfer<Label>,
  to: Parameters<typeof drillTo>[0],
): Placed {
  const name = label.replace(/^./, (first) => first.toUpperCase());
  // While targets differ, an organization can have two.
  const price = promql`topk by (org) (1, ${newest(spend.creditPrice)})`;
  const weekOf = (which: keyof Weeks) => {
    const inCredits = newest(credits[which], { by: [label] });
    const inMoney = newest(reported[which], { by: [label, 'currency'] });
    return promql`${inMoney} or on (org) ${inCredits} * on (org) group_left (currency) ${price} or on (org) ${named(inCredits, 'currency', 'credits')}`;
  };
  const [week, before] = [weekOf('present'), weekOf('before')];
  return table({
    title: `${name}s by rise`,
    text: `What each ${label} of an organization used in the 7 days that end with the newest complete day and in the 7 days before, and by how much that rose: as the platform reports it in money, else its Standard Credits at their current price, or as they are without one. What rose most is first; an organization whose ${label}s of one of these weeks are not known is left out.`,
    columns: [
      { of: label, title: name, to: drillTo(to, label), width: 180 },
      { of: 'org', title: 'Organization', to: orgLink(to), width: 125 },
      { of: 'currency', title: 'In', width: 70 },
      { of: week, title: '7 days', unit: 'currency:' },
      { of: before, title: 'Before', unit: 'currency:' },
      { of: [week, before], title: 'Rise', unit: 'currency:' },
    ],
    sort: { by: 'Rise', desc: true },
    noValue: '–',
    width: 12,
    height: 8,
  });
}

const changed: Row = {
  title: 'What changed in a week',
  panels: [
    risen({ credits: modelWeeks, money: spend.modelCostWeeks }, 'model', links.credits),
    risen({ credits: people.teamWeeks, money: people.teamCostWeeks }, 'team', links.users),
  ],
};

const byDay: Row = {
  title: 'Days',
  panels: [
    costByDay({ to: links.credits }),
    bars({
      title: 'Credits by model and day',
      text: 'Standard Credits of each UTC day, of the four models with most credits in the range and of the rest.',
      stack: 'values',
      queries: largestAndRest({ family: tokens.dailyCreditsByModel, label: 'model', by: 'day' }),
      to: links.credits,
    }),
  ],
};

const made: Row = {
  title: 'Output and repositories',
  panels: [...outputTiles([6, 6]), readinessTile({}, { to: links.readiness, width: 12 })],
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
    'Which alerts fire; what each organization costs this month, on which platform, and whether its budget lasts; and what changed in the last seven days against the seven before.',
  rows: [state, firing, money, changed, byDay, made, withoutCredits],
  from: 'now-30d',
  events: spendEvents,
};
