import {
  type Collector,
  dayDatasetOf,
  expensiveDatasets,
  isDayCollector,
  isFetching,
} from '../catalog/collector.ts';
import type { DatasetName, DayDataset } from '../catalog/dataset.ts';
import type { Day, Instant } from '../catalog/day.ts';
import type { CurrentFamily, Family } from '../catalog/family.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { View } from '../catalog/view.ts';
import type { RenderText } from '../exposition/family-text.ts';
import type { History, OrgHistory } from '../history/history.ts';
import type { Clock } from '../runtime/clock.ts';
import { runInSlices } from '../runtime/slices.ts';
import { measureCardinality, projectFamily } from './cardinality.ts';
import {
  createSnapshotCommit,
  type Rendered,
  type RenderedFamily,
  type SnapshotParts,
} from './commit-snapshot.ts';
import { createCoverage } from './coverage.ts';
import { firstDayOf } from './days-to-fetch.ts';
import type { LabelLimit } from './label-weights.ts';
import { isCurrent, isPublished, nextDocumentAt } from './origin.ts';
import {
  createPublishedOrgs,
  type Origin,
  type PublishedCollector,
  type PublishedOrg,
  type PublishedOrgs,
} from './published-orgs.ts';
import { createView } from './view.ts';

/** The name under which the families about the data itself are published. */
const ABOUT = 'about';

/** Dependencies of a publisher: the settings of one configuration, and state that outlives it. */
interface PublisherParts extends Omit<SnapshotParts, 'logged'> {
  readonly collectors: readonly Collector[];
  readonly aboutFamilies: readonly CurrentFamily[];
  readonly history: History;
  readonly historyStart: Day;
  /** How many of the newest days are kept; 0 or undefined keeps all. */
  readonly retentionDays?: number;
  readonly renderText: RenderText;
  readonly labelLimit: LabelLimit;
  readonly maxAgeMs: number;
  /** The published state; empty by default. */
  readonly published?: PublishedOrgs;
  /** Aborted once another publisher has taken over, which then also serves the pending requests. */
  readonly retired?: AbortSignal;
  readonly clock: Clock;
}

/** Renders and publishes an organization's metric families from its history. */
export interface Publisher {
  /**
   * Publishes the families of the named collectors, of those derived from them, and of every other collector whose
   * newest day or known days have changed as a result. Calls run one at a time; waiting calls for the same organization
   * are merged.
   */
  publish(org: OrgSettings, collectors: readonly string[]): Promise<void>;
}

/**
 * Makes the same view again, on request: one that was used holds every row that it has read. This is a function of its own,
 * because closures of one function hold whatever any of them uses.
 */
function viewMaker(parts: Parameters<typeof createView>[0], asOf: Instant): () => View {
  return () => createView({ ...parts, history: parts.history.opened() }, asOf);
}

const NOTHING: Rendered = { families: [], foldedCounts: new Map<string, number>() };

/** Creates a publisher for any number of organizations. */
export function createPublisher(parts: PublisherParts): Publisher {
  const { retired, published: orgs = createPublishedOrgs(parts.publication) } = parts;
  const waiting = new Map<string, Promise<void>>();
  const isRetired = () => retired?.aborted === true;
  const commitSnapshot = createSnapshotCommit({ ...parts, logged: orgs.logged });

  function publish(org: OrgSettings, collectors: readonly string[]): Promise<void> {
    const state = orgs.of(org.name);
    for (const name of collectors) state.requested.add(name);
    const known = waiting.get(org.name);
    if (known !== undefined) return known;
    const turn = orgs.queue.run(() => {
      waiting.delete(org.name);
      return publishNow(org, state);
    });
    waiting.set(org.name, turn);
    return turn;
  }

  async function publishNow(org: OrgSettings, state: PublishedOrg): Promise<void> {
    if (isRetired()) return;
    const requested = new Set(state.requested);
    state.requested.clear();
    const { collectors } = parts;
    const datasets = collectors.filter(isDayCollector).map((collector) => collector.dataset);
    const stored = await parts.history.read(org.name);
    const history = stored.opened();
    const now = parts.clock.now();
    const origin: Origin = { publisher: parts, settings: org, orgId: stored.orgId, asOf: now };
    const touched = datasetsOf(requested);
    const isDone = (collector: Collector) =>
      state.collectors.get(collector.name)?.expired === hasExpired(stored, collector, now) &&
      isPublished(collector, state, { origin, history: stored, touched });
    if (collectors.every(isDone)) return;
    const { historyStart } = parts;
    const firstDay = firstDayOf(parts, now);
    const expensive = expensiveDatasets(collectors);
    const known = { history, settings: org, datasets, expensive, historyStart, firstDay };
    const coverage = createCoverage(known, now);
    const view = createView(known, now, { coverage });
    const published = new Map<string, PublishedCollector>();
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
      const content = stored.contentOf(collector.dataset.name);
      if (unchanged && (!touched.has(collector.dataset.name) || isCurrent(before, origin, content))) {
        published.set(collector.name, before);
        continue;
      }
      const rendered = expired ? NOTHING : await render(collector.families, dataset, view);
      published.set(collector.name, {
        dataset: collector.dataset.name,
        ...{ day, idleDays, expired },
        ...{ origin, content, nextAt: nextDocumentAt(collector, history, now) },
        ...rendered,
      });
      // A derived collector changes with its source, which has logged it already.
      if (isFetching(collector)) logTransition(org.name, collector.name, before, { day, expired });
    }
    const about = await render(parts.aboutFamilies, undefined, view);
    published.set(ABOUT, {
      dataset: undefined,
      day: undefined,
      idleDays: undefined,
      expired: false,
      ...{ origin, content: [], nextAt: undefined },
      ...about,
    });
    // The organization may have been removed, or the configuration reloaded, during rendering.
    if (!orgs.has(org.name, state)) return;
    if (isRetired()) {
      for (const name of requested) state.requested.add(name);
      return;
    }
    state.collectors = published;
    if (view.orgId !== state.orgId) warnOfTwin(org.name, view.orgId);
    state.orgId = view.orgId;
    state.made = { origin, history: stored };
    state.view = viewMaker({ ...known, history: stored }, now);
    state.days = new Map(
      datasets.map(({ name }) => [
        name,
        { uncovered: view.uncoveredDays(name), idle: coverage.idleDays(name) },
      ]),
    );
    commitSnapshot(org.name, published);
  }

  /** The datasets of the named collectors: a derived collector has that of the one it derives from. */
  function datasetsOf(names: ReadonlySet<string>): ReadonlySet<DatasetName> {
    const named = parts.collectors.filter(({ name }) => names.has(name));
    return new Set(named.map(({ dataset }) => dataset.name));
  }

  function warnOfTwin(org: string, orgId: string | undefined): void {
    const other = orgId === undefined ? undefined : orgs.twinOf(org, orgId);
    if (other === undefined) return;
    parts.log.warn('Two names for one organization: sums over organizations count it twice', {
      ...{ org, other, orgId },
      hint: 'remove one of them, or give it the key of another organization',
    });
  }

  function logTransition(
    org: string,
    collector: string,
    before: PublishedCollector | undefined,
    now: Pick<PublishedCollector, 'day' | 'expired'>,
  ): void {
    const { maxAgeMs, log } = parts;
    if (now.expired && before?.expired !== true) {
      log.warn('Last good data is older than metrics.max-age; removed its series', {
        org,
        collector,
        maxAgeMs,
      });
    } else if (now.day !== undefined && now.day !== before?.day) {
      log.info('Newer day published', { org, collector, day: now.day });
    }
  }

  async function render(
    families: readonly Family[],
    dataset: DayDataset<unknown> | undefined,
    view: View,
  ): Promise<Rendered> {
    const cardinality = await runInSlices(
      measureCardinality(families, dataset, view, parts.labelLimit),
      parts.clock,
    );
    const rendered: RenderedFamily[] = [];
    for (const measured of cardinality.families) {
      const { family, folded } = measured;
      const samples = projectFamily(measured, cardinality.kept, dataset, view);
      const text = await parts.renderText(family, view.settings.name, samples, {
        maxSeries: parts.seriesBudget,
      });
      rendered.push({ family, folded, series: text?.series ?? 0, text });
    }
    return { families: rendered, foldedCounts: cardinality.foldedCounts };
  }

  function hasExpired(history: OrgHistory, collector: Collector, now: number): boolean {
    const answeredAt = history.answeredAt(collector.dataset.name);
    return answeredAt !== undefined && now - answeredAt > parts.maxAgeMs;
  }

  return { publish };
}
