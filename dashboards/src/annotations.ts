import type { AnnotationQuery } from '@grafana/grafana-foundation-sdk/dashboard';
import { spendFamilies as spend } from '../../src/collectors/spend/collector.ts';
import { dailyCreditsUnusual } from '../../src/collectors/spend/comparisons.ts';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';
import { type Described, daily } from './expression.ts';
import { palette } from './palette.ts';
import { DATASOURCE } from './variables.ts';

/**
 * An annotation: its query, what it is called and looks like, how exactly its time is found, and whether it is shown before
 * the viewer turns it on.
 */
export function annotation(
  given: Pick<AnnotationQuery, 'name' | 'expr' | 'iconColor' | 'titleFormat' | 'textFormat'> & {
    readonly step: '1d' | '5m';
    readonly enable?: boolean;
    readonly useValueForTime?: boolean;
  },
): AnnotationQuery {
  return { datasource: DATASOURCE, enable: true, hide: false, ...given };
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

const unusualDays = annotation({
  expr: `${daily(dailyCreditsUnusual).text} > 0 or ${daily(spend.dailyCostUnusual).text} > 0`,
  name: 'Unusual days',
  iconColor: palette.alarm,
  titleFormat: 'Unusual day: {{org}}',
  textFormat: 'The credits, or the cost where there are none, are above the upper bound of the weekday.',
  step: '1d',
});

/** PromQL for the models with a share that had none before. */
function newShares(family: Described, baseline: Described): string {
  const [share, before] = [daily(family).text, daily(baseline).text];
  return `(${share} > ${NEW_SHARE}) unless (${before} > 0) and on (org) ${before}`;
}

const newModels = annotation({
  expr: `${newShares(spend.creditsShareByModel, spend.creditsShareByModelBaseline)} or ${newShares(spend.costShareByModel, spend.costShareByModelBaseline)}`,
  name: 'New models',
  iconColor: palette.third,
  titleFormat: 'New model: {{model}}',
  textFormat:
    'More than 5 % of the credits of {{org}}, or of its cost where there are none, and none in the 14 days before.',
  step: '1d',
});

/** What happened, by the step at which its time is found; events that are too many are shown once the viewer turns them on. */
function eventsAt(shown: { readonly step: '1d' | '5m'; readonly enable: boolean }): readonly Event[] {
  const revisions = annotation({
    expr: `sum by (org,dataset) (increase(${ownMetrics.dayRevisions.name}{job=~"$job",org=~"$org"}[${shown.step}])) > 0`,
    name: 'Revised days',
    iconColor: palette.fourth,
    titleFormat: 'Days revised: {{org}} {{dataset}}',
    textFormat: 'The platform reported past days again with other values.',
    ...shown,
  });
  const alerts = annotation({
    expr: `max by (alertname,org,severity) (max_over_time(ALERTS{alertname=~"AgentPlatform.+",alertstate="firing",org=~"$org|"}[${shown.step}]))`,
    name: 'Alerts',
    iconColor: palette.second,
    titleFormat: '{{alertname}} {{org}}',
    textFormat: '{{severity}}',
    ...shown,
  });
  return [{ query: revisions }, { query: alerts }];
}

/** What happened on the days of any dashboard. */
export const dayEvents = eventsAt({ step: '1d', enable: false });

/** What happened to the exporter. */
export const exporterEvents = eventsAt({ step: '5m', enable: true });

/** What happened on the days of a dashboard of spend. */
export const spendEvents: readonly Event[] = [
  { query: unusualDays, panels: OF_SPEND },
  { query: newModels, panels: OF_SPEND },
  ...dayEvents,
];
