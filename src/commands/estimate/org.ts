import { type Collector, isDayCollector, withoutFamilies } from '../../catalog/collector.ts';
import type { OrgSettings } from '../../catalog/settings.ts';
import { collectors as allCollectors } from '../../collectors/index.ts';
import { readinessFamilies as reports } from '../../collectors/readiness/collector.ts';
import { usersCollector } from '../../collectors/users/collector.ts';
import { usersDataset } from '../../collectors/users/dataset.ts';
import type { Config } from '../../config/config.ts';
import { type Identity, identities } from '../../config/people/labels.ts';
import { seriesBudgetOf } from '../../pipeline/budget.ts';
import type { KnownOrg } from '../../pipeline/past-days.ts';
import { createView } from '../../pipeline/view.ts';
import type { StoredOrg } from '../../store/store.ts';
import { daysOf } from '../../store/stored-org.ts';
import type { Clock } from '../../work/clock.ts';
import type { PeopleByIdentity } from './people.ts';
import { seriesOf, seriesWithin, sizeOf } from './series.ts';

/** The estimate of an organization; series and values are counted before and after the limits. */
export type OrgEstimate = Awaited<ReturnType<typeof estimateOrg>>;

interface EstimateParts extends KnownOrg {
  readonly config: Config;
  readonly people: PeopleByIdentity;
  readonly failed: readonly string[];
  readonly clock: Clock;
}

const CRITERION_COUNTS: ReadonlySet<string> = new Set([
  reports.readinessCriterionPassed.name,
  reports.readinessCriterionEvaluated.name,
]);

/** Estimates an organization as configured and with what is disabled. */
export async function estimateOrg(parts: EstimateParts) {
  const { config, settings, history, people, failed, clock } = parts;
  const { excluded } = config.metrics;
  const { series: limit, valuesPerLabel } = config.limits;
  const budget = seriesBudgetOf(limit, config.orgs.length);
  const sized: Awaited<ReturnType<typeof sizeBoth>>[] = [];
  for (const collector of allCollectors) {
    const ways = collector.name === usersCollector.name ? identities : [undefined];
    for (const identity of ways) sized.push(await sizeBoth(collector, identity));
  }
  const collectors = sized.map((one) => {
    const together = sized.filter(
      (other) => other === one || (other.configured && other.collector !== one.collector),
    );
    const { collector, identity, configured, whole, limited, leftOut } = one;
    const all = together.flatMap((each) => each.limited.families);
    const source = 'derivesFrom' in collector ? collector.derivesFrom : collector.name;
    return {
      collector: collector.name,
      // Of the users collector.
      ...(identity && { identity }),
      /** Whether the configuration enables it in this mode. */
      configured,
      failed: failed.includes(`${settings.name}/${source}`),
      series: seriesOf(whole.families),
      seriesAfterLimits: seriesWithin(limited.families, all, budget),
      /** The values of each label, before and after the limits. */
      labels: [...whole.labels].map(([label, { values, series }]) => {
        const left = limited.labels.get(label) ?? { values: 0, series: 0 };
        return { label, values, valuesAfterLimits: left.values, series, seriesAfterLimits: left.series };
      }),
      /** What the configuration leaves out; not part of the series. */
      leftOut,
    };
  });
  const own = collectors.filter(({ configured }) => configured);
  return {
    organization: settings.name,
    /** Series of everything that is configured. */
    series: own.reduce((sum, { series }) => sum + series, 0),
    seriesAfterLimits: own.reduce((sum, one) => sum + one.seriesAfterLimits, 0),
    seriesLimit: budget,
    collectors,
  };

  async function sizeBoth(collector: Collector, identity: Identity | undefined) {
    const view = viewOf(settings, identity);
    const runs = config.collectors.get(collector.name) === true;
    const [published = collector] = withoutFamilies([collector], excluded);
    return {
      collector,
      identity,
      configured: runs && (identity === undefined || identity === config.people.identity),
      whole: await sizeOf(published, view, () => Number.POSITIVE_INFINITY, clock),
      limited: await sizeOf(published, view, valuesPerLabel, clock),
      leftOut: await leftOutOf(collector, identity),
    };
  }

  /** The sizes within the limits of what the configuration leaves out of a collector. */
  async function leftOutOf(collector: Collector, identity: Identity | undefined) {
    const readiness = { ...settings.readiness, criterionCounts: true };
    const view = viewOf({ ...settings, readiness }, identity);
    const { families } = await sizeOf(collector, view, valuesPerLabel, clock);
    return families.flatMap(({ family, series }) => {
      if (excluded.has(family)) return [{ family, setting: 'metrics.exclude', series }];
      const isCount = CRITERION_COUNTS.has(family) && !settings.readiness.criterionCounts;
      return isCount ? [{ family, setting: 'readiness.criterion_counts', series }] : [];
    });
  }

  function viewOf(shown: OrgSettings, identity: Identity = 'none') {
    const days = daysOf(usersDataset, people.days(settings.name, identity));
    const known: StoredOrg = {
      ...history,
      days: (dataset) => (dataset === 'users' ? days : history.days(dataset)),
    };
    const datasets = allCollectors.filter(isDayCollector).map(({ dataset }) => dataset);
    const identified = { ...shown, people: people.settings(identity) };
    const { start: historyStart } = config.history;
    return createView({ history: known, settings: identified, datasets, historyStart }, clock.now());
  }
}
