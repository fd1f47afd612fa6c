import { type Collector, dayDatasetOf, isDayCollector, isFetching, sparingOf } from '../catalog/collector.ts';
import type { DatasetName, DayDataset } from '../catalog/dataset.ts';
import type { Day } from '../catalog/day.ts';
import type { CurrentFamily, Family } from '../catalog/family.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { View } from '../catalog/view.ts';
import type { RenderSegment } from '../exposition/segment.ts';
import type { History, OrgHistory } from '../history/history.ts';
import type { Clock } from '../runtime/clock.ts';
import { createSerialQueue } from '../runtime/serial-queue.ts';
import { runInSlices } from '../runtime/slices.ts';
import { type Coverage, createCoverage } from './coverage.ts';
import { firstDayOf } from './first-day.ts';
import { createHandover, type HandoverParts, type Rendered, type RenderedFamily } from './handover.ts';
import { type LabelLimit, projectFamily, surveyOf } from './survey.ts';
import { createView } from './view.ts';

/** The name under which the families about the data itself are published. */
const ABOUT = 'about';

/** Settings may be getters: they are read anew for each publish. */
export interface PublisherParts extends HandoverParts {
  readonly collectors: readonly Collector[];
  readonly aboutFamilies: readonly CurrentFamily[];
  readonly history: History;
  readonly historyStart: Day;
  /** How many of the newest days are kept; all where it is 0 or not given. */
  readonly retentionDays?: number;
  readonly renderSegment: RenderSegment;
  readonly labelLimit: LabelLimit;
  readonly maxAgeMs: number;
  /** An organization as it is configured now, undefined where it no longer is; as it was given by default. */
  readonly settingsOf?: ((org: OrgSettings) => OrgSettings | undefined) | undefined;
  readonly clock: Clock;
}

/** Turns what history knows of an organization into what `/metrics` shows of it. */
export interface Publisher {
  /**
   * Publishes the families of the named collectors anew, of those that derive from them, and of every other
   * collector whose newest day, or known days, have changed with them. Calls follow each other; those of one organization that
   * wait are served together.
   */
  publish(org: OrgSettings, collectors: readonly string[]): Promise<void>;
  /** The day that a collector's published families describe. */
  publishedDay(org: string, collector: string): Day | undefined;
  /** Whether a collector's dataset was published as having had no activity on a day, also where only provisionally. */
  showsIdle(org: string, collector: string, day: Day): boolean;
  /** Days since the start of history that are not known of a collector's dataset, as last published. */
  uncoveredDays(org: string, collector: string): number | undefined;
  /** The platform's identifier of an organization, as last published. */
  orgId(org: string): string | undefined;
  /** Whether a collector's last good answer is older than the maximum age. */
  isExpired(org: string, collector: string): boolean;
  /** Takes an organization off the page; it is configured no longer. */
  forget(org: string): void;
}

interface PublishedCollector extends Rendered {
  readonly day: Day | undefined;
  /** Of what is known of its days without a row. */
  readonly idleDays: string | undefined;
  readonly expired: boolean;
}

const NOTHING: Rendered = { families: [], beyond: new Map<string, number>() };

interface OrgState {
  collectors: ReadonlyMap<string, PublishedCollector>;
  view: View | undefined;
  coverage: Coverage | undefined;
  readonly requested: Set<string>;
  waiting: Promise<void> | undefined;
}

/** Creates a publisher for any number of organizations. */
export function createPublisher(parts: PublisherParts): Publisher {
  const states = new Map<string, OrgState>();
  // One organization after the other: slices of work side by side would add up to one long one.
  const queue = createSerialQueue();
  const handOver = createHandover(parts);
  const settingsOf = parts.settingsOf ?? ((org) => org);

  function stateOf(org: string): OrgState {
    let state = states.get(org);
    if (state === undefined) {
      state = {
        collectors: new Map(),
        view: undefined,
        coverage: undefined,
        requested: new Set(),
        waiting: undefined,
      };
      states.set(org, state);
    }
    return state;
  }

  function publish(org: OrgSettings, collectors: readonly string[]): Promise<void> {
    const state = stateOf(org.name);
    for (const name of collectors) state.requested.add(name);
    if (state.waiting === undefined) {
      state.waiting = queue.run(() => {
        state.waiting = undefined;
        return publishNow(org, state);
      });
    }
    return state.waiting;
  }

  async function publishNow(given: OrgSettings, state: OrgState): Promise<void> {
    const requested = new Set(state.requested);
    state.requested.clear();
    const org = settingsOf(given);
    if (org === undefined) return;
    const { collectors } = parts;
    const datasets = collectors.filter(isDayCollector).map((collector) => collector.dataset);
    const history = await parts.history.read(org.name);
    const now = parts.clock.now();
    const { historyStart } = parts;
    const firstDay = firstDayOf(parts, now);
    const sparing = sparingOf(collectors);
    const known = { history, settings: org, datasets, sparing, historyStart, firstDay };
    const coverage = createCoverage(known, now);
    const view = createView(known, now, { coverage });
    const published = new Map<string, PublishedCollector>();
    const touched = datasetsOf(requested);
    for (const collector of collectors) {
      const before = state.collectors.get(collector.name);
      const dataset = dayDatasetOf(collector);
      const day = dataset === undefined ? undefined : view.newestDay(dataset);
      const idleDays = dataset && coverage.fingerprint(dataset.name);
      const expired = hasExpired(history, collector, now);
      const unchanged =
        before !== undefined &&
        before.day === day &&
        before.idleDays === idleDays &&
        before.expired === expired;
      if (unchanged && !touched.has(collector.dataset.name)) {
        published.set(collector.name, before);
        continue;
      }
      const rendered = expired ? NOTHING : await render(collector.families, dataset, view);
      published.set(collector.name, { day, idleDays, expired, ...rendered });
      // What a derived collector goes through, the one it derives from goes through, and has said.
      if (isFetching(collector)) noteTurn(org.name, collector.name, before, { day, expired });
    }
    const about = await render(parts.aboutFamilies, undefined, view);
    published.set(ABOUT, { day: undefined, idleDays: undefined, expired: false, ...about });
    // It may have gone while it was rendered.
    if (settingsOf(org) === undefined) return;
    state.collectors = published;
    state.view = view;
    state.coverage = coverage;
    handOver(org.name, published);
  }

  /** The datasets of the named collectors: a derived collector has that of the one it derives from. */
  function datasetsOf(names: ReadonlySet<string>): ReadonlySet<string> {
    const named = parts.collectors.filter(({ name }) => names.has(name));
    return new Set(named.map(({ dataset }) => dataset.name));
  }

  function noteTurn(
    org: string,
    collector: string,
    before: PublishedCollector | undefined,
    now: Pick<PublishedCollector, 'day' | 'expired'>,
  ): void {
    const { maxAgeMs, log } = parts;
    if (now.expired && before?.expired !== true) {
      log.warn('The last good data is older than metrics.max-age, its series go away', {
        org,
        collector,
        maxAgeMs,
      });
    } else if (now.day !== undefined && now.day !== before?.day) {
      log.info('A newer day is published', { org, collector, day: now.day });
    }
  }

  async function render(
    families: readonly Family[],
    dataset: DayDataset<unknown> | undefined,
    view: View,
  ): Promise<Rendered> {
    const survey = await runInSlices(surveyOf(families, dataset, view, parts.labelLimit), parts.clock);
    const rendered: RenderedFamily[] = [];
    for (const surveyed of survey.families) {
      const { family, folded } = surveyed;
      const samples = projectFamily(surveyed, survey.kept, dataset, view);
      const segment = await parts.renderSegment(family, view.settings.name, samples, {
        maxSeries: parts.seriesBudget,
      });
      rendered.push({ family, folded, series: segment?.series ?? 0, segment });
    }
    return { families: rendered, beyond: survey.beyond };
  }

  function datasetOf(collector: string): DatasetName | undefined {
    return parts.collectors.find(({ name }) => name === collector)?.dataset.name;
  }

  function hasExpired(history: OrgHistory, collector: Collector, now: number): boolean {
    const answeredAt = history.answeredAt(collector.dataset.name);
    return answeredAt !== undefined && now - answeredAt > parts.maxAgeMs;
  }

  return {
    publish,
    publishedDay: (org, collector) => states.get(org)?.collectors.get(collector)?.day,
    showsIdle(org, collector, day) {
      const name = datasetOf(collector);
      const shown = name && states.get(org)?.coverage?.stateOf(name, day);
      return shown === 'idle' || shown === 'provisional';
    },
    uncoveredDays(org, collector) {
      const name = datasetOf(collector);
      return name === undefined ? undefined : states.get(org)?.view?.uncoveredDays(name);
    },
    orgId: (org) => states.get(org)?.view?.orgId,
    isExpired: (org, collector) => states.get(org)?.collectors.get(collector)?.expired ?? false,
    forget(org) {
      states.delete(org);
      parts.publication.remove(org);
    },
  };
}
