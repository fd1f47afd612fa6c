import type { BenchOptions } from '../options.ts';
import type { PanelCost, PanelsResult } from '../sections/panels.ts';
import { type Aim, below } from './aims.ts';
import { grouped, renderTable, shown } from './table.ts';

const SLOWEST = 12;

/** The page's section on the dashboards over a year. */
export function renderPanelsPage(result: PanelsResult, { queried }: BenchOptions): string {
  const { engine, size, samples, panels } = result;
  const dashboards = byDashboard(panels).map(({ name, panels: own }) => [
    name,
    String(own.length),
    shown(sum(own, ({ recorded }) => recorded)),
    shown(sum(own, ({ raw }) => raw)),
  ]);
  const mostExpensive = panels
    .toSorted((one, other) => other.recorded - one.recorded)
    .slice(0, SLOWEST)
    .map(({ dashboard, title, recorded, raw }) => [`${dashboard}: ${title}`, shown(recorded), shown(raw)]);
  return `## Dashboards over ${size.days} days

The CPU seconds of ${engine} for every query of every panel: a query runs on one core, so that on an idle machine its
answer takes about as long, and a dashboard on several cores less than the sum. ${size.orgs} organizations with ${size.models} models,
${grouped(size.repos)} repositories and ${grouped(size.people)} people each; ${grouped(samples)} samples. *Recorded* reads the series of the recording
rules: medians of ${queried} rounds. *Raw* reads the exporter's own series, once. Of these, the data day and the credits of each
organization have a sample every 60 s; all others have one a day, as after a backfill, so that their times are lower bounds
for scraped ones. *(variables)* are the two queries that choose between the forms.

${renderTable(['dashboard', 'panels', 'recorded, CPU s', 'raw, CPU s'], dashboards)}

The panels that take most:

${renderTable(['panel', 'recorded, CPU s', 'raw, CPU s'], mostExpensive)}`;
}

/** The targets for a year: the most expensive panel and the most expensive dashboard. */
export function panelsAims({ panels, size }: PanelsResult): readonly Aim[] {
  const panel = Math.max(...panels.map(({ recorded }) => recorded));
  const totals = byDashboard(panels).map(({ panels: own }) => sum(own, ({ recorded }) => recorded));
  return [
    below(`CPU of a panel over ${size.days} days, recorded`, 1, panel, 's'),
    below(`CPU of a dashboard over ${size.days} days, recorded`, 5, Math.max(...totals), 's'),
  ];
}

function byDashboard(panels: readonly PanelCost[]) {
  return [...Map.groupBy(panels, ({ dashboard }) => dashboard)].map(([name, own]) => ({ name, panels: own }));
}

function sum(panels: readonly PanelCost[], of: (panel: PanelCost) => number): number {
  return panels.reduce((total, panel) => total + of(panel), 0);
}
