import { type Collector, isDayCollector } from '../catalog/collector.ts';
import type { Day } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import { usersCollector } from '../collectors/users/collector.ts';
import type { Config } from '../config/config.ts';
import { type Identity, identities } from '../config/people/labels.ts';
import type { OrgHistory } from '../history/history.ts';
import { type FamilySize, seriesBudgetOf } from '../pipeline/budget.ts';
import { type CollectorSize, seriesOf, seriesWithin, sizeOf } from '../pipeline/estimate.ts';
import { createView } from '../pipeline/view.ts';
import type { Clock } from '../runtime/clock.ts';
import type { PeopleSurvey } from './estimate-people.ts';

/** The values of a label, before and after the limits. */
export interface LabelEstimate {
  readonly label: string;
  readonly values: number;
  readonly valuesAfterLimits: number;
  readonly series: number;
  readonly seriesAfterLimits: number;
}

/** The series of a collector, before and after the limits. */
export interface CollectorEstimate {
  readonly collector: string;
  /** The identity mode, for the users collector. */
  readonly identity?: Identity;
  /** Whether the configuration enables it in this mode. */
  readonly configured: boolean;
  readonly failed: boolean;
  readonly series: number;
  readonly seriesAfterLimits: number;
  readonly labels: readonly LabelEstimate[];
}

export interface OrgEstimate {
  readonly organization: string;
  /** Series of everything that is configured. */
  readonly series: number;
  readonly seriesAfterLimits: number;
  readonly seriesLimit: number;
  readonly collectors: readonly CollectorEstimate[];
}

export interface EstimateParts {
  readonly config: Config;
  readonly settings: OrgSettings;
  readonly history: OrgHistory;
  readonly people: PeopleSurvey;
  readonly failed: readonly string[];
  readonly historyStart: Day;
  readonly clock: Clock;
}

interface Sized {
  readonly collector: Collector;
  readonly identity: Identity | undefined;
  readonly configured: boolean;
  readonly whole: CollectorSize;
  readonly limited: CollectorSize;
}

/** Estimates an organization as configured and with what is disabled. */
export async function estimateOrg(parts: EstimateParts): Promise<OrgEstimate> {
  const { config, settings, failed } = parts;
  const budget = seriesBudgetOf(config.limits.series, config.orgs.length);
  const sized: Sized[] = [];
  for (const collector of allCollectors) {
    const ways = collector.name === usersCollector.name ? identities : [undefined];
    for (const identity of ways) sized.push(await sizeBoth(parts, collector, identity));
  }
  const estimates = sized.map((one): CollectorEstimate => {
    const together = sized.filter(
      (other) => other === one || (other.configured && other.collector !== one.collector),
    );
    const { collector, identity, configured, whole, limited } = one;
    return {
      collector: collector.name,
      ...(identity && { identity }),
      configured,
      failed: failed.includes(`${settings.name}/${sourceOf(collector)}`),
      series: seriesOf(whole.families),
      seriesAfterLimits: seriesWithin(limited.families, familiesOf(together), budget),
      labels: labelsOf(whole, limited),
    };
  });
  const own = estimates.filter(({ configured }) => configured);
  return {
    organization: settings.name,
    series: own.reduce((sum, { series }) => sum + series, 0),
    seriesAfterLimits: own.reduce((sum, one) => sum + one.seriesAfterLimits, 0),
    seriesLimit: budget,
    collectors: estimates,
  };
}

async function sizeBoth(
  parts: EstimateParts,
  collector: Collector,
  identity: Identity | undefined,
): Promise<Sized> {
  const { config, clock } = parts;
  const view = viewOf(parts, identity);
  const runs = config.collectors.get(collector.name) === true;
  return {
    collector,
    identity,
    configured: runs && (identity === undefined || identity === config.people.identity),
    whole: await sizeOf(collector, view, () => Number.POSITIVE_INFINITY, clock),
    limited: await sizeOf(collector, view, config.limits.valuesPerLabel, clock),
  };
}

function viewOf(
  { settings, history, people, historyStart, clock }: EstimateParts,
  identity = 'none' as Identity,
) {
  const days = people.days(settings.name, identity);
  const known: OrgHistory = {
    ...history,
    days: (dataset) => (dataset === 'users' ? days : history.days(dataset)),
  };
  const datasets = allCollectors.filter(isDayCollector).map(({ dataset }) => dataset);
  const shown = { ...settings, people: people.settings(identity) };
  return createView({ history: known, settings: shown, datasets, historyStart }, clock.now());
}

function labelsOf(whole: CollectorSize, limited: CollectorSize): readonly LabelEstimate[] {
  return [...whole.labels].map(([label, { values, series }]) => {
    const left = limited.labels.get(label) ?? { values: 0, series: 0 };
    return { label, values, valuesAfterLimits: left.values, series, seriesAfterLimits: left.series };
  });
}

function familiesOf(sized: readonly Sized[]): readonly FamilySize[] {
  return sized.flatMap(({ limited }) => limited.families);
}

function sourceOf(collector: Collector): string {
  return 'derivesFrom' in collector ? collector.derivesFrom : collector.name;
}
