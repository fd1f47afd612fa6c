import {
  type Collector,
  dayDatasetOf,
  expensiveDatasets,
  isDayCollector,
  isFetching,
} from '../catalog/collector.ts';
import type { DayDataset } from '../catalog/dataset.ts';
import { addDays, type Day, dayOf, endOf, type Instant, yesterdayOf } from '../catalog/day.ts';
import type { CurrentFamily, Family } from '../catalog/family.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { View } from '../catalog/view.ts';
import type { RenderText } from '../exposition/family-text.ts';
import type { RowsFrom, Standing, Store, StoredOrg } from '../store/store.ts';
import type { Clock } from '../work/clock.ts';
import { runInSlices } from '../work/slices.ts';
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
import {
  createPublishedOrgs,
  type Origin,
  type PublishedCollector,
  type PublishedOrg,
  type PublishedOrgs,
  type WithView,
} from './published-orgs.ts';
import { readFor } from './stored-rows.ts';
import { createView } from './view.ts';

/** The name under which the families about the data itself are published. */
const ABOUT = 'about';

/** How many days before yesterday are read at first; older rows only where one is needed. Rows of many people are long. */
const LOOKBACK_DAYS = 120;
const LOOKBACK_DAYS_OF_EXPENSIVE = 40;

/** Dependencies of a publisher: the settings of one configuration, and state that outlives it. */
interface PublisherParts extends Omit<SnapshotParts, 'logged'> {
  readonly collectors: readonly Collector[];
  readonly aboutFamilies: readonly CurrentFamily[];
  readonly history: Pick<Store, 'standing' | 'read'>;
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

/** Renders and publishes an organization's metric families from what is stored of it. */
export interface Publisher {
  /**
   * Publishes an organization, unless its families would be the same as before. Calls run one at a time; waiting calls for the
   * same organization are merged. Rejects with a `NotStored` if the store cannot be used; then the page stays.
   */
  publish(org: OrgSettings): Promise<void>;
}

const NOTHING: Rendered = { families: [], foldedCounts: new Map<string, number>() };

/** Creates a publisher for any number of organizations. */
export function createPublisher(parts: PublisherParts): Publisher {
  const { retired, collectors, published: orgs = createPublishedOrgs(parts.publication) } = parts;
  const waiting = new Map<string, Promise<void>>();
  const isRetired = () => retired?.aborted === true;
  const commitSnapshot = createSnapshotCommit({ ...parts, logged: orgs.logged });
  const datasets = collectors.filter(isDayCollector).map((collector) => collector.dataset);
  const expensive = expensiveDatasets(collectors);

  function publish(org: OrgSettings): Promise<void> {
    const known = waiting.get(org.name);
    if (known !== undefined) return known;
    const turn = orgs.queue.run(() => {
      waiting.delete(org.name);
      return publishNow(org, orgs.of(org.name));
    });
    waiting.set(org.name, turn);
    return turn;
  }

  async function publishNow(org: OrgSettings, state: PublishedOrg): Promise<void> {
    if (isRetired()) return;
    const now = parts.clock.now();
    if (isCurrent(state.made, org, await parts.history.standing(org.name), now)) return;
    await readFor(parts.history, org.name, rowsAt(now), (stored) => publishStored(org, state, stored, now));
  }

  /** The rows that the collectors read, and the documents. */
  function rowsAt(now: Instant): RowsFrom {
    const yesterday = yesterdayOf(now);
    return new Map(
      collectors.map(({ dataset }) => {
        const { name } = dataset;
        const usual = expensive.has(name) ? LOOKBACK_DAYS_OF_EXPENSIVE : LOOKBACK_DAYS;
        const days = dataset.kind === 'days' ? (dataset.usedDays ?? usual) : usual;
        return [name, addDays(yesterday, -days)];
      }),
    );
  }

  /** Publishes all families from one read of the store, in one assignment. */
  async function publishStored(
    org: OrgSettings,
    state: PublishedOrg,
    stored: StoredOrg,
    now: Instant,
  ): Promise<void> {
    const { coverage, view } = viewOf(org, stored, now);
    const published = new Map<string, PublishedCollector>();
    const rendered = new Map<string, Rendered>();
    for (const collector of collectors) {
      const dataset = dayDatasetOf(collector);
      const expired = hasExpired(stored, collector, now);
      published.set(collector.name, {
        day: dataset && view.newestDay(dataset),
        uncovered: dataset && view.uncoveredDays(dataset.name),
        idle: dataset && [...coverage.idleDays(dataset.name)].join(' '),
        expired,
      });
      rendered.set(collector.name, expired ? NOTHING : await render(collector.families, dataset, view));
    }
    rendered.set(ABOUT, await render(parts.aboutFamilies, undefined, view));
    // The organization may have been removed, or the configuration reloaded, during rendering.
    if (!orgs.has(org.name, state) || isRetired()) return;
    for (const { name } of collectors.filter(isFetching)) {
      // A derived collector changes with its source, which has logged it already.
      logTransition(org.name, name, state.collectors.get(name), published.get(name));
    }
    if (view.orgId !== state.orgId) warnOfTwin(org.name, view.orgId);
    state.orgId = view.orgId;
    state.collectors = published;
    state.made = {
      publisher: parts,
      settings: org,
      key: keyOf(stored, now),
      asOf: now,
      validUntil: validUntil(collectors, stored, now),
    };
    state.withView = viewer(org, now);
    commitSnapshot(org.name, rendered);
  }

  /** Whether an organization would be published as it was. */
  function isCurrent(
    made: Origin | undefined,
    settings: OrgSettings,
    standing: Standing,
    now: Instant,
  ): boolean {
    return (
      made !== undefined &&
      made.publisher === parts &&
      made.settings === settings &&
      made.key === keyOf(standing, now) &&
      // A clock that was set back may hide documents and days again.
      made.asOf <= now &&
      now < made.validUntil
    );
  }

  /** What is stored, and which answers are too old: an answer that changes nothing else may renew one. */
  function keyOf(standing: Standing, now: Instant): string {
    const datasets = collectors.map((collector) => [
      standing.dataset(collector.dataset.name).revision,
      hasExpired(standing, collector, now),
    ]);
    return JSON.stringify([standing.epoch, standing.orgId, datasets]);
  }

  function viewOf(settings: OrgSettings, history: StoredOrg, now: Instant) {
    const { historyStart } = parts;
    const known = { history, settings, datasets, expensive, historyStart, firstDay: firstDayOf(parts, now) };
    const coverage = createCoverage(known, now);
    return { coverage, view: createView(known, now, { coverage }) };
  }

  /** A function of its own, because closures of one function hold whatever any of them uses, such as rows that were read. */
  function viewer(org: OrgSettings, now: Instant): WithView {
    return (rows, work) =>
      readFor(parts.history, org.name, rows, (stored) => work(viewOf(org, stored, now).view));
  }

  function warnOfTwin(org: string, orgId: string | undefined): void {
    const other = orgId === undefined ? undefined : orgs.twinOf(org, orgId);
    if (other === undefined) return;
    parts.log.warn('Two names for one organization: sums over organizations count it twice', {
      org,
      other,
      orgId,
      hint: 'remove one of them, or give it the key of another organization',
    });
  }

  function logTransition(
    org: string,
    collector: string,
    before: PublishedCollector | undefined,
    now: PublishedCollector | undefined,
  ): void {
    const { maxAgeMs, log } = parts;
    if (now?.expired === true && before?.expired !== true) {
      log.warn('Last good data is older than metrics.max-age; removed its series', {
        org,
        collector,
        maxAgeMs,
      });
    } else if (now?.day !== undefined && now.day !== before?.day) {
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

  function hasExpired(standing: Standing, { dataset }: Collector, now: Instant): boolean {
    const { answeredAt } = standing.dataset(dataset.name);
    return answeredAt !== undefined && now - answeredAt > parts.maxAgeMs;
  }

  return { publish };
}

/**
 * The first instant at which time alone changes the families, apart from `metrics.max-age`: another day begins, with which
 * another one is the newest or settles, or a document comes into being that a platform whose clock is ahead lists already.
 */
function validUntil(collectors: readonly Collector[], stored: StoredOrg, now: Instant): Instant {
  let until = endOf(dayOf(now));
  for (const { dataset } of collectors) {
    if (dataset.kind === 'days' || dataset.existsFrom === undefined) continue;
    for (const document of stored.documents(dataset.name)) {
      const at = dataset.existsFrom(document) ?? 0;
      if (at > now && at < until) until = at;
    }
  }
  return until;
}
