import type { AnnotationQuery } from '@grafana/grafana-foundation-sdk/dashboard';
import {
  creditsShareByModel,
  creditsShareByModelBaseline,
  creditsTrailing28d,
  dailyCreditsExpectedUpper,
} from '../../src/collectors/spend/collector.ts';
import { dailyCredits } from '../../src/collectors/tokens/collector.ts';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';
import { daily, type Expression, promql } from './expression.ts';
import { palette } from './palette.ts';
import { DATASOURCE } from './variables.ts';

interface Annotation {
  readonly name: string;
  readonly expression: Expression;
  readonly colour: string;
  readonly title: string;
  readonly text: string;
  readonly step: '1d' | '5m';
  /** Whether it is shown until the viewer turns it on or off: on by default. */
  readonly enabled?: boolean;
}

function annotation({
  name,
  expression,
  colour,
  title,
  text,
  step,
  enabled = true,
}: Annotation): AnnotationQuery {
  return {
    name,
    datasource: DATASOURCE,
    enable: enabled,
    hide: false,
    iconColor: colour,
    expr: expression.text,
    step,
    titleFormat: title,
    textFormat: text,
  };
}

/** An annotation, and the titles of the panels that show it: all charts unless given. */
export interface Event {
  readonly query: AnnotationQuery;
  readonly panels?: readonly string[];
}

/** The charts of spend, in which the events of spend matter. */
const OF_SPEND = ['Credits by day', 'Share of each model by day', 'Cost by day'];

/** The share of a day from which a model that was not used in the 14 days before is worth a mark. */
const NEW_SHARE = 0.05;

const credits = daily(dailyCredits);
/** Credits of the organizations' days above the upper bound of their weekday and above the mean day of four weeks. */
export const spikes: Expression = promql`(${credits} > ${daily(dailyCreditsExpectedUpper)} and ${credits} > ${daily(creditsTrailing28d)} / 28)`;

const share = daily(creditsShareByModel);
const before = daily(creditsShareByModelBaseline);
const aboveShare: Expression = { text: `(${share.text} > ${NEW_SHARE})`, about: [] };

const unusualDays = annotation({
  name: 'Unusual days',
  expression: spikes,
  colour: palette.alarm,
  title: 'Unusual day: {{org}}',
  text: 'The credits are above the upper bound of the weekday.',
  step: '1d',
});

const newModels = annotation({
  name: 'New models',
  expression: promql`${aboveShare} unless (${before} > 0) and on (org) ${before}`,
  colour: palette.third,
  title: 'New model: {{model}}',
  text: 'More than 5 % of the credits of {{org}}, and none in the 14 days before.',
  step: '1d',
});

function revisions(step: '1d' | '5m', enabled: boolean): AnnotationQuery {
  const { name } = ownMetrics.dayRevisions;
  return annotation({
    name: 'Revised days',
    expression: {
      text: `sum by (org,dataset) (increase(${name}{job=~"$job",org=~"$org"}[${step}])) > 0`,
      about: [],
    },
    colour: palette.fourth,
    title: 'Days revised: {{org}} {{dataset}}',
    text: 'The platform reported past days again with other values.',
    step,
    enabled,
  });
}

function alerts(step: '1d' | '5m', enabled: boolean): AnnotationQuery {
  return annotation({
    name: 'Alerts',
    expression: {
      text: `max by (alertname,org,severity) (max_over_time(ALERTS{alertname=~"AgentPlatform.+",alertstate="firing",org=~"$org|"}[${step}]))`,
      about: [],
    },
    colour: palette.second,
    title: '{{alertname}} {{org}}',
    text: '{{severity}}',
    step,
    enabled,
  });
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
