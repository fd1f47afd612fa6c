import { type Collector, filledOn } from '../../catalog/collector.ts';
import type { DatasetName } from '../../catalog/dataset.ts';
import {
  addDays,
  type Day,
  dayOf,
  daysFrom,
  endOf,
  monthBeforeSoFar,
  monthSoFar,
  yesterdayOf,
} from '../../catalog/day.ts';
import type { DayFamily, Family, Sample } from '../../catalog/family.ts';
import type { Cost } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';
import { activityFamilies as activity } from '../../collectors/activity/collector.ts';
import { activityDataset } from '../../collectors/activity/dataset.ts';
import { RANGE_DAYS } from '../../collectors/month-range.ts';
import {
  productivityFamilies as output,
  productivityCollector,
} from '../../collectors/productivity/collector.ts';
import { readinessFamilies as reports } from '../../collectors/readiness/collector.ts';
import { type ReadinessReport, readinessDataset } from '../../collectors/readiness/dataset.ts';
import { spendFamilies as spend } from '../../collectors/spend/collector.ts';
import { budgetInCredits, budgetInReported, costOver, spendOf } from '../../collectors/spend/costs.ts';
import { measureOf } from '../../collectors/spend/measure.ts';
import { tokenFamilies as tokens } from '../../collectors/tokens/collector.ts';
import { tokensDataset } from '../../collectors/tokens/dataset.ts';
import { WEEK_DAYS } from '../../collectors/weeks.ts';
import type { Page } from '../../exposition/page.ts';
import { measureCardinality, projectFamily } from '../../pipeline/cardinality.ts';
import type { LabelLimit } from '../../pipeline/label-weights.ts';
import type { Publisher } from '../../pipeline/publisher.ts';
import { ignoreNotStored } from '../../store/database.ts';
import type { Clock } from '../../work/clock.ts';
import { runInSlices } from '../../work/slices.ts';
import type {
  Breakdown,
  Figure,
  FigureDetail,
  FigureName,
  OrgFigures,
  ReadFigures,
  TrendDay,
} from '../org-figures.ts';
import { breakdownsOf, LISTED, reasonOf, teamMonthsOf, type Work } from './breakdowns.ts';

/** Number of days in the trend of a figure. */
const TREND_DAYS = 30;

/** The days of a trend, and the eight weeks before it. */
const LOOKBACK_DAYS = 90;

/** The datasets of the figures, with the number of their newest days that are read at first. */
const READ: readonly (readonly [DatasetName, number])[] = [
  ['tokens', RANGE_DAYS],
  ['activity', LOOKBACK_DAYS],
  ['productivity', LOOKBACK_DAYS],
  ['readiness', LOOKBACK_DAYS],
];

/** The datasets that only the full figures need. Months of teams go back as far as those of the organization. */
const READ_IN_FULL: typeof READ = [
  ['tools', 2 * WEEK_DAYS],
  ['users', RANGE_DAYS],
];

/** The inputs of one organization's figures. */
interface Parts {
  readonly view: View;
  /** The enabled collectors with the families that are not excluded. */
  readonly collectors: readonly Collector[];
  /** The number of published series by family. */
  readonly series: ReadonlyMap<string, number>;
  readonly labelLimit: LabelLimit;
  readonly detail: FigureDetail;
}

/** The published data that the figures are computed from. */
interface FiguresParts {
  readonly publisher: Pick<Publisher, 'of' | 'withView'>;
  readonly page: Pick<Page, 'seriesOf'>;
  readonly clock: Pick<Clock, 'now' | 'elapsed' | 'slices'>;
}

/** The part of the configuration in use that the figures need. */
interface Shown {
  readonly collectors: readonly Collector[];
  readonly orgs: ReadonlyMap<string, unknown>;
  readonly config: { readonly limits: { valuesPerLabel(label: string): number } };
}

/**
 * Creates the source of the figures on the HTML page. They are computed on request, in slices, from the last publication, and
 * cached until the organization is published again.
 */
export function createFigures(core: FiguresParts, inUse: () => Shown): ReadFigures {
  const made = {
    full: new WeakMap<object, Promise<OrgFigures>>(),
    summary: new WeakMap<object, Promise<OrgFigures>>(),
  };

  function figuresOf(org: string, detail: FigureDetail): Promise<OrgFigures> | undefined {
    const { collectors: published } = core.publisher.of(org);
    const known = made[detail].get(published);
    if (known !== undefined) return known;
    const { collectors, config } = inUse();
    const series = core.page.seriesOf(org);
    const labelLimit = (label: string) => config.limits.valuesPerLabel(label);
    const figures = core.publisher.withView(org, daysToRead(detail, yesterdayOf(core.clock.now())), (view) =>
      runInSlices(
        orgFigures({ view, collectors: filledOn(collectors, view.settings), series, labelLimit, detail }),
        core.clock,
        1,
      ),
    );
    if (figures === undefined) return undefined;
    made[detail].set(published, figures);
    // While the store is unavailable there are no figures; the next request tries again.
    figures.catch(() => made[detail].delete(published));
    return figures;
  }

  return async (orgs, detail) => {
    const found = new Map<string, OrgFigures>();
    // One organization at a time: concurrent slices would together block the event loop for too long.
    for (const org of orgs) {
      const figures = inUse().orgs.has(org)
        ? await figuresOf(org, detail)?.catch(ignoreNotStored)
        : undefined;
      if (figures !== undefined) found.set(org, figures);
    }
    return found;
  };
}

/** The day from which each dataset is read at first. */
function daysToRead(detail: FigureDetail, yesterday: Day): ReadonlyMap<DatasetName, Day> {
  const read = detail === 'full' ? [...READ, ...READ_IN_FULL] : READ;
  return new Map(read.map(([name, days]) => [name, addDays(yesterday, -days)]));
}

/** The families of a day and its month by what the platform measures in. */
const MEASURED = {
  credits: {
    use: tokens.dailyCredits,
    upper: spend.dailyCreditsExpectedUpper,
    month: spend.creditsMonthToDate,
    forecast: spend.creditsMonthForecast,
    bounds: [spend.creditsMonthForecastLower, spend.creditsMonthForecastUpper],
    budgets: [spend.creditsMonthBudget, spend.costMonthBudget],
    budgetOf: budgetInCredits,
  },
  cost: {
    use: spend.dailyCost,
    upper: spend.dailyCostExpectedUpper,
    month: spend.costMonthToDate,
    forecast: spend.costMonthForecast,
    bounds: [spend.costMonthForecastLower, spend.costMonthForecastUpper],
    budgets: [spend.costMonthBudget],
    budgetOf: budgetInReported,
  },
} as const;

function* orgFigures(parts: Parts): Work<OrgFigures> {
  const { view } = parts;
  const { use, month, forecast: ahead, bounds, budgets, budgetOf } = MEASURED[measureOf(view)];
  const credits = yield* dayFigure(parts, 'credits', use, view.newestDay(tokensDataset));
  const outputDay = view.newestDay(productivityCollector.dataset);
  const { day } = credits;
  const { figure: readiness, lowest, ...reported } = yield* readinessFigures(parts);
  const shown = { ...parts, isServed: (family: Family) => isServed(parts, family) };
  const isFull = parts.detail === 'full';
  const breakdowns = isFull ? yield* breakdownsOf(shown) : [];
  const monthCosts = costsOf(samplesOn(parts, spend.costMonthToDate, day));
  const [forecast] = costsOf(samplesOn(parts, spend.costMonthForecast, day));
  const costForecast = forecast && { ...forecast, range: rangeOn(parts, MEASURED.cost.bounds, day) };
  const { costPerMonth, periodStarts } = view.settings.contract ?? {};
  return {
    figures: [
      credits,
      yield* dayFigure(parts, 'people', activity.dailyActiveUsers, view.newestDay(activityDataset)),
      yield* dayFigure(parts, 'commits', output.dailyGitCommits, outputDay),
      yield* dayFigure(parts, 'pullRequests', output.dailyGitPullRequestsCreated, outputDay),
      yield* dayFigure(parts, 'month', month, day),
      readiness,
    ].filter((figure) => isCollected(parts, figure.name) && !isUnreported(parts, figure.name)),
    dayCost: costsOf(samplesOn(parts, spend.dailyCost, day))[0],
    monthCosts,
    monthForecast: firstOf(samplesOn(parts, ahead, day)),
    monthRange: rangeOn(parts, bounds, day),
    costForecast: forecast?.currency === costPerMonth?.currency ? costForecast : undefined,
    monthBudget: day && budgets.some((family) => isServed(parts, family)) ? budgetOf(view, day) : undefined,
    monthStarts: periodStarts,
    costBudget: isServed(parts, spend.costMonthBudget) ? costPerMonth : undefined,
    spends: day && spendsOn(parts, day, monthCosts, costForecast),
    ...reported,
    breakdowns: [...breakdowns, ...lowest],
    teamMonths: isFull ? yield* teamMonthsOf(shown) : undefined,
    reason: isFull ? reasonOf(shown, credits) : undefined,
    seats: isServed(parts, spend.seats) ? firstOf(spend.seats.samplesOf(view)) : undefined,
  };
}

function rangeOn(parts: Parts, bounds: readonly DayFamily[], day: Day | undefined) {
  const [lower, upper] = bounds.map((bound) => firstOf(samplesOn(parts, bound, day)));
  return lower === undefined || upper === undefined ? undefined : { lower, upper };
}

/** The cost of a month to date, its forecast, and the month before up to the same day. The billed cost only if it is published. */
function spendsOn(parts: Parts, day: Day, costs: readonly Cost[], ahead: OrgFigures['costForecast']) {
  const { view } = parts;
  const { periodStarts } = view.settings.contract ?? {};
  const former = costOver(view, monthBeforeSoFar(day, periodStarts));
  return costs.map((cost) => ({
    ...spendOf(view, monthSoFar(day, periodStarts), cost, ahead),
    ...(!isPublished(parts, spend.dailyBilledCost) && { billed: undefined }),
    before: former?.currency === cost.currency ? former.amount : undefined,
  }));
}

const COLLECTORS: Readonly<Record<FigureName, string>> = {
  credits: 'tokens',
  people: 'activity',
  commits: 'productivity',
  pullRequests: 'productivity',
  month: 'spend',
  readiness: 'readiness',
};

function isCollected({ collectors }: Parts, figure: FigureName): boolean {
  return collectors.some(({ name }) => name === COLLECTORS[figure]);
}

/** Whether the platform reports other kinds of output, but not this one. */
function isUnreported({ view }: Parts, figure: FigureName): boolean {
  const row = view.settings.idleRows?.[COLLECTORS[figure]];
  return row !== undefined && (figure === 'commits' || figure === 'pullRequests') && !(figure in row);
}

function isPublished({ collectors }: Parts, family: Family): boolean {
  return collectors.some(({ families }) => families.some(({ name }) => name === family.name));
}

/** Whether `/metrics` has the family. It may have expired, or be dropped because of the series limit. */
function isServed({ series }: Parts, family: Family): boolean {
  return (series.get(family.name) ?? 0) > 0;
}

function samplesOn(parts: Parts, family: DayFamily, day: Day | undefined): Iterable<Sample> | undefined {
  return day === undefined || !isServed(parts, family) ? undefined : family.samplesOf(parts.view, day);
}

function* dayFigure(
  parts: Parts,
  name: FigureName,
  family: DayFamily,
  newest: Day | undefined,
): Work<Figure> {
  const day = isServed(parts, family) ? newest : undefined;
  const currency = family.unit === 'currency' ? parts.view.settings.money?.currency : undefined;
  const head = { name, family: family.name, isPublished: isPublished(parts, family), day, currency };
  if (day === undefined) return { ...head, value: undefined, weekBefore: undefined, trend: [] };
  const valueOn = (of: Day) => firstOf(family.samplesOf(parts.view, of));
  const { upper: bound } = MEASURED[measureOf(parts.view)];
  const bounds = name === 'credits' && isServed(parts, bound);
  const isFull = parts.detail === 'full';
  const trend: TrendDay[] = [];
  const days =
    name === 'month' ? monthSoFar(day, parts.view.settings.contract?.periodStarts) : trendDays(day);
  for (const shown of isFull || name === 'credits' ? days : []) {
    const isBound = bounds && (isFull || shown === day);
    const upper = isBound ? firstOf(bound.samplesOf(parts.view, shown)) : undefined;
    trend.push({ day: shown, value: valueOn(shown), upper });
    yield;
  }
  return { ...head, value: valueOn(day), weekBefore: valueOn(addDays(day, -WEEK_DAYS)), trend };
}

function trendDays(day: Day): readonly Day[] {
  return daysFrom(addDays(day, 1 - TREND_DAYS), day);
}

/** The figures of the readiness reports; `lowest`: the repositories with the lowest ratios. */
function* readinessFigures(parts: Parts) {
  const { view } = parts;
  const ratios = yield* byRepository(parts, reports.readinessRatio);
  const previous = yield* byRepository(parts, reports.readinessRatioPrevious);
  const value = meanOf([...ratios.values()]);
  const isShown = value !== undefined;
  const yesterday = yesterdayOf(view.asOf);
  const trend = isShown && parts.detail === 'full' ? yield* readinessTrend(view, value) : [];
  const created = yield* byRepository(parts, reports.readinessReportTimestampSeconds);
  const newest = [...created.values()].reduce<number | undefined>(
    (latest, seconds) => Math.max(latest ?? 0, seconds * 1000),
    undefined,
  );
  const worse = yield* worseRepositories(parts, ratios, previous);
  const figure: Figure = {
    name: 'readiness',
    family: reports.readinessRatio.name,
    isPublished: isPublished(parts, reports.readinessRatio),
    day: isShown ? yesterday : undefined,
    value,
    weekBefore: isShown ? readinessOn(view, addDays(yesterday, -WEEK_DAYS)) : undefined,
    trend,
  };
  return {
    figure,
    repositories: ratios.size,
    newestReportAt: newest,
    worse: worse.slice(0, LISTED),
    worseCount: worse.length,
    lowest: lowestRatios(ratios, previous, yesterday),
  };
}

function* worseRepositories(
  parts: Parts,
  ratios: ReadonlyMap<string, number>,
  previous: ReadonlyMap<string, number>,
): Work<OrgFigures['worse']> {
  const regressed = yield* byRepository(parts, reports.readinessCriteriaRegressed);
  const worse = [...regressed]
    // Folded repositories have no ratio.
    .filter(([repo, criteria]) => criteria > 0 && ratios.has(repo))
    .map(([repo, criteria]) => ({ repo, criteria, ratio: ratios.get(repo), previous: previous.get(repo) }));
  const lost = ({ ratio = 0, previous: before = 0 }: (typeof worse)[number]) => before - ratio;
  return worse.sort((one, other) => lost(other) - lost(one) || (one.repo < other.repo ? -1 : 1));
}

function lowestRatios(
  ratios: ReadonlyMap<string, number>,
  previous: ReadonlyMap<string, number>,
  day: Day,
): readonly Breakdown[] {
  if (ratios.size === 0) return [];
  const rows = [...ratios]
    .sort(([one, low], [other, high]) => low - high || (one < other ? -1 : 1))
    .slice(0, LISTED)
    .map(([label, value]) => ({ label, value, before: previous.get(label) }));
  const { name: family } = reports.readinessRatio;
  return [{ name: 'repositories', family, day, rows, rest: ratios.size - rows.length }];
}

/** The mean over the repositories at the end of each day; only days with a new report are computed. */
function* readinessTrend(view: View, current: number): Work<readonly TrendDay[]> {
  const yesterday = yesterdayOf(view.asOf);
  const documents = view.documents<ReadinessReport>(readinessDataset);
  const changed = new Set(documents.map(({ createdAt }) => dayOf(createdAt)));
  const trend: TrendDay[] = [];
  let value: number | undefined;
  for (const day of trendDays(yesterday)) {
    if (trend.length === 0 || changed.has(day)) value = readinessOn(view, day);
    trend.push({ day, value });
    yield;
  }
  // Reports of today are in the current figure, which has no bar of its own before the day is over.
  return changed.has(dayOf(view.asOf)) ? trend : [...trend.slice(0, -1), { day: yesterday, value: current }];
}

/** The mean over the repositories at the end of a day. */
function readinessOn(view: View, day: Day): number | undefined {
  // The only family that is read asks for the reports once.
  const past: View = { ...view, asOf: endOf(day) - 1, once: (make) => make(past) };
  return meanOf(Array.from(reports.readinessRatio.samplesOf(past) ?? [], ({ value }) => value));
}

/** The published values of a family by repository. */
function* byRepository(parts: Parts, family: Family): Work<ReadonlyMap<string, number>> {
  const values = new Map<string, number>();
  if (!isServed(parts, family) || family.scope !== 'current') return values;
  const { view, labelLimit, collectors } = parts;
  const families = collectors.find(({ families: of }) => of.includes(family))?.families ?? [family];
  // Which repositories are folded depends on all families of the collector; few organizations have so many.
  const isFolded = view.documents(readinessDataset).length > labelLimit('repo');
  const cardinality = yield* measureCardinality(isFolded ? families : [family], undefined, view, labelLimit);
  const measured = cardinality.families.find((one) => one.family === family);
  if (measured === undefined) return values;
  for (const { labels, value } of projectFamily(measured, cardinality.kept, undefined, view)) {
    values.set(labels['repo'] ?? '', value);
    yield;
  }
  return values;
}

function firstOf(samples: Iterable<Sample> | undefined): number | undefined {
  const [sample] = samples ?? [];
  return sample?.value;
}

function costsOf(samples: Iterable<Sample> | undefined): readonly Cost[] {
  return Array.from(samples ?? [], ({ labels, value }) => ({
    currency: labels['currency'] ?? '',
    amount: value,
  }));
}

function meanOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}
