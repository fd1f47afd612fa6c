import type { AnnotationQuery } from '@grafana/grafana-foundation-sdk/dashboard';
import { creditsShareByModel, creditsShareByModelBaseline } from '../../src/collectors/spend/collector.ts';
import { dailyCreditsUnusual } from '../../src/collectors/spend/comparisons.ts';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';
import { daily } from './expression.ts';
import { palette } from './palette.ts';
import { DATASOURCE } from './variables.ts';

/** What an event is called and looks like, and how exactly its time is found. */
type Look = Pick<AnnotationQuery, 'name' | 'iconColor' | 'titleFormat' | 'textFormat'> & {
  readonly step: '1d' | '5m';
};

/** An annotation; events that are too many are shown once the viewer turns them on. */
function annotation(expr: string, look: Look, enable = true): AnnotationQuery {
  return { datasource: DATASOURCE, enable, hide: false, expr, ...look };
}

/** An annotation, and the titles of the panels that show it: all charts unless given. */
export interface Event {
  readonly query: AnnotationQuery;
  readonly panels?: readonly string[];
}

/** The charts of spend, in which the events of spend matter. */
const OF_SPEND = ['Credits by day', 'Credits by model and day', 'Cost by day'];

/** The share of a day from which a model that was not used in the 14 days before is worth a mark. */
const NEW_SHARE = 0.05;

const unusualDays = annotation(`${daily(dailyCreditsUnusual).text} > 0`, {
  name: 'Unusual days',
  iconColor: palette.alarm,
  titleFormat: 'Unusual day: {{org}}',
  textFormat: 'The credits are above the upper bound of the weekday.',
  step: '1d',
});

const share = daily(creditsShareByModel).text;
const before = daily(creditsShareByModelBaseline).text;

const newModels = annotation(`(${share} > ${NEW_SHARE}) unless (${before} > 0) and on (org) ${before}`, {
  name: 'New models',
  iconColor: palette.third,
  titleFormat: 'New model: {{model}}',
  textFormat: 'More than 5 % of the credits of {{org}}, and none in the 14 days before.',
  step: '1d',
});

function revisions(step: Look['step'], enable: boolean): AnnotationQuery {
  const { name } = ownMetrics.dayRevisions;
  const look = {
    name: 'Revised days',
    iconColor: palette.fourth,
    titleFormat: 'Days revised: {{org}} {{dataset}}',
    textFormat: 'The platform reported past days again with other values.',
    step,
  };
  return annotation(
    `sum by (org,dataset) (increase(${name}{job=~"$job",org=~"$org"}[${step}])) > 0`,
    look,
    enable,
  );
}

function alerts(step: Look['step'], enable: boolean): AnnotationQuery {
  const look = {
    name: 'Alerts',
    iconColor: palette.second,
    titleFormat: '{{alertname}} {{org}}',
    textFormat: '{{severity}}',
    step,
  };
  return annotation(
    `max by (alertname,org,severity) (max_over_time(ALERTS{alertname=~"AgentPlatform.+",alertstate="firing",org=~"$org|"}[${step}]))`,
    look,
    enable,
  );
}

/** What happened on the days of a dashboard of spend. */
export const spendEvents: readonly Event[] = [
  { query: unusualDays, panels: OF_SPEND },
  { query: newModels, panels: OF_SPEND },
  { query: revisions('1d', false) },
  { query: alerts('1d', false) },
];

/** What happened on the days of any other dashboard. */
export const dayEvents: readonly Event[] = [
  { query: revisions('1d', false) },
  { query: alerts('1d', false) },
];

/** What happened to the exporter. */
export const exporterEvents: readonly Event[] = [
  { query: revisions('5m', true) },
  { query: alerts('5m', true) },
];
