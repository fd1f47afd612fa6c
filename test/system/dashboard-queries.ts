import { RAW, RECORDED } from '../../dashboards/src/promql.ts';
import {
  allPanels,
  queryOf,
  readDashboards,
  type Target,
  type Variable,
} from '../../scripts/dashboards/dashboard.ts';
import type { Answered, PrometheusServer } from './prometheus-server.ts';

export const DAY_S = 86_400;
/** The steps of weeks are those since the epoch, as Grafana asks for them. */
const WEEK_S = 7 * DAY_S;

/** A query of a panel, and its location. */
export interface PanelQuery {
  readonly where: string;
  readonly target: Target;
}

/** Every query of every panel. */
export function panelQueries(): readonly PanelQuery[] {
  return readDashboards().flatMap(({ file, dashboard }) =>
    allPanels(dashboard).flatMap(({ title, targets = [] }) =>
      targets.map((target) => ({ where: `${file} “${title}” ${target.refId}`, target })),
    ),
  );
}

/** Every variable that queries Prometheus. */
export function variableQueries(): readonly { readonly where: string; readonly variable: Variable }[] {
  return readDashboards().flatMap(({ file, dashboard }) =>
    dashboard.templating.list
      .filter(({ type, query }) => type === 'query' && !JSON.stringify(query).includes('query_result'))
      .map((variable) => ({ where: `${file} $${variable.name}`, variable })),
  );
}

/** Which form of the day queries is evaluated. */
export type Form = 'raw' | 'recorded';

/** The text of a query with Grafana's variables replaced, all values selected. */
export function chosen(text: string, range: string, form: Form = 'raw'): string {
  return text
    .replaceAll(RAW, form === 'raw' ? 'max by' : '#')
    .replaceAll(RECORDED, form === 'raw' ? '#' : 'last_over_time')
    .replaceAll('$__rate_interval', '2m')
    .replaceAll('$__range', range)
    .replaceAll(/\$(job|platform|org|repo|user|model|team)/g, '.+');
}

/** A query with all values selected, for one organization and team if it answers for no more than one. */
export function forOne(query: string): string {
  if (!query.includes('and on () (count(')) return query;
  return query.replaceAll('org=~".+"', 'org="acme"').replaceAll('team=~".+"', 'team="a"');
}

/** The times of a range, in seconds. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** The text of a query with Grafana's variables of the range's ends replaced. */
export function during(text: string, { from, to }: Span): string {
  return text
    .replaceAll('$__from', String(Math.round(from * 1000)))
    .replaceAll('$__to', String(Math.round(to * 1000)))
    .replaceAll(`\${__range_s}`, String(Math.round(to - from)));
}

/** Queries as Grafana would: days at their first instants, others over the last minutes, or now. */
export async function ask(
  prometheus: PrometheusServer,
  { expr, instant, interval }: Target,
  { from, today, now }: { readonly from: number; readonly today: number; readonly now: number },
): Promise<readonly Answered[]> {
  const query = during(chosen(expr, `${now - from}s`), { from, to: now });
  if (instant) return prometheus.instant(query, now);
  if (interval === '1d') return prometheus.range(query, from, today, DAY_S);
  if (interval === '7d') return prometheus.range(query, from - (from % WEEK_S), today, WEEK_S);
  return prometheus.range(query, now - 300, now, 15);
}

/** The values offered by a variable. */
export function offered(
  prometheus: PrometheusServer,
  variable: Variable,
  from: number,
): Promise<readonly string[]> {
  const [, selector = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(queryOf(variable)) ?? [];
  return prometheus.labelValues(label, chosen(selector, '1h'), from);
}

/** The query of a hidden variable that chooses the form of the day queries. */
export function formQuery(name: Form): string {
  const variables = readDashboards().flatMap(({ dashboard }) => dashboard.templating.list);
  const variable = variables.find((one) => one.name === name);
  if (variable === undefined) throw new Error(`no variable ${name}`);
  return /^query_result\((.*)\)$/s.exec(queryOf(variable))?.[1] ?? '';
}
