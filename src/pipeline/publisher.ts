import {
  type Collector,
  dayDatasetOf,
  type ExpensiveDataset,
  expensiveDatasets,
  filledOn,
  isDayCollector,
  isFetching,
} from '../catalog/collector.ts';
import type { DatasetName, DayDataset } from '../catalog/dataset.ts';
import { addDays, type Day, dayOf, endOf, type Instant, yesterdayOf } from '../catalog/day.ts';
import type { CurrentFamily, Family } from '../catalog/family.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { View } from '../catalog/view.ts';
import type { RenderText } from '../exposition/text.ts';
import type { Logger } from '../log/logger.ts';
import { RowNotRead, type RowsFrom, type Standing, type Store, type StoredOrg } from '../store/store.ts';
import type { Clock } from '../work/clock.ts';
import { createSerialQueue } from '../work/serial-queue.ts';
import { runInSlices } from '../work/slices.ts';
import { measureCardinality, projectFamily } from './cardinality.ts';
import { type Rendered, type RenderedFamily, SnapshotCommit, type SnapshotParts } from './commit-snapshot.ts';
import { Coverage } from './coverage.ts';
import { firstDayOf, type HistoryBounds } from './days-to-fetch.ts';
import { withoutForeignRows } from './foreign-rows.ts';
import type { LabelLimit } from './label-weights.ts';
import { createView } from './view.ts';

/** The name under which the families about the data itself are published. */
const ABOUT = 'about';

/** The days before yesterday whose rows are read at first; older rows only if a family needs one. Rows of many people are long. */
const LOOKBACK_DAYS = 120;
const LOOKBACK_DAYS_OF_EXPENSIVE = 40;
/** A day before all days. */
const EVER = '0000-01-01' as Day;

/** The publishing rules of a configuration. A reload that changes none of them keeps the same object. */
export interface PublishRules extends HistoryBounds {
  /** The enabled collectors, without the excluded families. */
  readonly collectors: readonly Collector[];
  readonly labelLimit: LabelLimit;
  /** Maximum number of series of one organization. */
  readonly seriesBudget: number;
  /** How long data is published after the last good answer, in milliseconds. */
  readonly maxAgeMs: number;
}

/** Dependencies of the publisher, which lives as long as the process. */
interface PublisherParts extends SnapshotParts {
  readonly aboutFamilies: readonly CurrentFamily[];
  readonly history: Pick<Store, 'standing' | 'read'>;
  readonly renderText: RenderText;
  /** Whether another process polls, with other settings; never by default. */
  readonly hasOtherSettings?: () => boolean;
  /** Whether an organization with this identifier is on the platform of these settings; always true by default. */
  readonly isOwnHistory?: (settings: OrgSettings, orgId: string) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

/** One collector of an organization, as last published. */
interface PublishedCollector {
  /** The newest day of a dataset with days. */
  readonly day: Day | undefined;
  /** Number of its unknown days since the start of history. */
  readonly uncovered: number | undefined;
  /** The days that were published as days without activity, separated by spaces: a set of strings takes ten times the memory. */
  readonly idle: string | undefined;
  readonly expired: boolean;
}

/** The inputs from which an organization's families were rendered; equal inputs give equal texts. */
interface Origin {
  readonly source: Source;
  readonly settings: OrgSettings;
  /** The revisions of the stored datasets, as text. */
  readonly key: string;
  readonly asOf: Instant;
  /** The first instant at which time alone changes the families. */
  readonly validUntil: Instant;
}

/** One organization, as last published. */
interface PublishedOrg {
  readonly collectors: ReadonlyMap<string, PublishedCollector>;
  readonly orgId: string | undefined;
  readonly made: Origin | undefined;
}

/** The rules in use, and values derived from them. */
interface Source {
  readonly rules: PublishRules;
  readonly history: Pick<Store, 'standing' | 'read'>;
  readonly datasets: readonly DayDataset<unknown>[];
  readonly expensive: ReadonlyMap<DatasetName, ExpensiveDataset>;
}

const UNPUBLISHED: PublishedOrg = { collectors: new Map(), orgId: undefined, made: undefined };

const NOTHING: Rendered = { families: [], foldedCounts: new Map<string, number>() };

/** Renders and publishes the metric families of each organization from what is stored of it. */
export class Publisher {
  readonly #parts: PublisherParts;
  readonly #commit: SnapshotCommit;
  /** Publishes one organization at a time: concurrent ones would together block the event loop for too long. */
  readonly #queue = createSerialQueue();
  readonly #waiting = new Map<string, Promise<void>>();
  readonly #published = new Map<string, PublishedOrg>();
  #orgs: ReadonlyMap<string, OrgSettings> = new Map();
  #source: Source | undefined;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
    this.#commit = new SnapshotCommit(parts);
  }

  /** Applies the rules and organizations of a configuration from the next publication on. */
  use(rules: PublishRules, orgs: ReadonlyMap<string, OrgSettings>): void {
    this.#orgs = orgs;
    if (this.#source?.rules === rules) return;
    const {
      history,
      clock,
      hasOtherSettings: hasOthers = () => false,
      isOwnHistory: isOwn = () => true,
    } = this.#parts;
    const datasets = rules.collectors.filter(isDayCollector).map((collector) => collector.dataset);
    const settingsOf = (org: string) => this.#orgs.get(org);
    this.#source = {
      ...{ rules, datasets },
      history: withoutForeignRows(history, { hasOthers, settingsOf, isOwn, datasets, clock }),
      expensive: expensiveDatasets(rules.collectors),
    };
  }

  /**
   * Publishes an organization in use, unless its families would be the same as before. Calls run one at a time; waiting calls
   * for the same organization are merged. Rejects with a `NotStored` if the store cannot be used; then the page stays.
   */
  publish(org: string): Promise<void> {
    const known = this.#waiting.get(org);
    if (known !== undefined) return known;
    const turn = this.#queue.run(() => {
      this.#waiting.delete(org);
      return this.#publishNow(org);
    });
    this.#waiting.set(org, turn);
    return turn;
  }

  /** Publishes these organizations, by default all, where anything has changed. */
  async publishAll(orgs: Iterable<string> = this.#orgs.keys()): Promise<void> {
    await Promise.all([...orgs].map((org) => this.publish(org)));
  }

  /** The last publication of an organization; empty before the first one. */
  of(org: string): Pick<PublishedOrg, 'collectors' | 'orgId'> {
    return this.#published.get(org) ?? UNPUBLISHED;
  }

  /** Whether a collector's dataset was published as having had no activity on a day, even if only provisionally. */
  showsIdle(org: string, collector: string, day: Day): boolean {
    return this.of(org).collectors.get(collector)?.idle?.includes(day) === true;
  }

  /**
   * Runs work on a view of an organization as of its last publication, read from the store with these rows; undefined if it was
   * not published yet.
   */
  withView<Result>(
    org: string,
    rows: RowsFrom,
    work: (view: View) => Promise<Result>,
  ): Promise<Result> | undefined {
    const made = this.#published.get(org)?.made;
    if (made === undefined) return undefined;
    const { source, settings, asOf } = made;
    return readFor(source.history, org, rows, (stored) => work(viewOf(source, settings, stored, asOf).view));
  }

  /** Removes an organization that is no longer configured from the page. */
  forget(org: string): void {
    this.#published.delete(org);
    this.#parts.page.remove(org);
  }

  async #publishNow(org: string): Promise<void> {
    const [source, settings] = [this.#source, this.#orgs.get(org)];
    if (source === undefined || settings === undefined) return;
    const now = this.#parts.clock.now();
    const standing = await source.history.standing(org);
    if (
      isCurrent(this.#published.get(org)?.made, { source, settings, key: keyOf(source, standing, now) }, now)
    )
      return;
    await readFor(source.history, org, rowsAt(source, now), (stored) =>
      this.#publishStored(source, settings, stored, now),
    );
  }

  /** Publishes all families from one read of the store, in one assignment. */
  async #publishStored(
    source: Source,
    settings: OrgSettings,
    stored: StoredOrg,
    now: Instant,
  ): Promise<void> {
    const { name: org } = settings;
    const collectors = filledOn(source.rules.collectors, settings);
    const { coverage, view } = viewOf(source, settings, stored, now);
    const published = new Map<string, PublishedCollector>();
    const rendered = new Map<string, Rendered>();
    for (const collector of collectors) {
      const dataset = dayDatasetOf(collector);
      const expired = hasExpired(source, stored, collector, now);
      published.set(collector.name, {
        day: dataset && view.newestDay(dataset),
        uncovered: dataset && view.uncoveredDays(dataset.name),
        idle: dataset && [...coverage.idleDays(dataset.name)].join(' '),
        expired,
      });
      rendered.set(
        collector.name,
        expired ? NOTHING : await this.#render(collector.families, dataset, view, source),
      );
    }
    rendered.set(ABOUT, await this.#render(this.#parts.aboutFamilies, undefined, view, source));
    // A reload may have changed the settings meanwhile, or removed the organization.
    if (this.#source !== source || this.#orgs.get(org) !== settings) return this.#publishNow(org);
    this.#logChanges(settings, published, view.orgId, source);
    const made = { source, settings, asOf: now, key: keyOf(source, stored, now) };
    this.#published.set(org, {
      collectors: published,
      orgId: view.orgId,
      made: { ...made, validUntil: validUntil(collectors, stored, now) },
    });
    this.#commit.replace(org, rendered, source.rules.seriesBudget);
  }

  async #render(
    families: readonly Family[],
    dataset: DayDataset<unknown> | undefined,
    view: View,
    { rules }: Source,
  ): Promise<Rendered> {
    const { renderText, clock } = this.#parts;
    const cardinality = await runInSlices(
      measureCardinality(families, dataset, view, rules.labelLimit),
      clock,
    );
    const rendered: RenderedFamily[] = [];
    for (const measured of cardinality.families) {
      const { family, folded } = measured;
      const samples = projectFamily(measured, cardinality.kept, dataset, view);
      const text = await renderText(family, view.settings.name, samples, { maxSeries: rules.seriesBudget });
      rendered.push({ family, folded, series: text?.series ?? 0, text });
    }
    return { families: rendered, foldedCounts: cardinality.foldedCounts };
  }

  /** Logs newer days, data removed because of its age, and an organization that is configured under two names. */
  #logChanges(
    { name: org }: OrgSettings,
    published: ReadonlyMap<string, PublishedCollector>,
    orgId: string | undefined,
    { rules: { collectors, maxAgeMs } }: Source,
  ): void {
    const { log } = this.#parts;
    const before = this.of(org);
    // A derived collector changes with its source, which has logged it already.
    for (const { name: collector } of collectors.filter(isFetching)) {
      const [old, now] = [before.collectors.get(collector), published.get(collector)];
      if (now?.expired === true && old?.expired !== true) {
        const fields = { org, collector, maxAgeMs };
        log.warn('Last good data is older than metrics.max-age; removed its series', fields);
      } else if (now?.day !== undefined && now.day !== old?.day) {
        log.info('Newer day published', { org, collector, day: now.day });
      }
    }
    const other = orgId === undefined || orgId === before.orgId ? undefined : this.#twinOf(org, orgId);
    if (other === undefined) return;
    log.warn('Two names for one organization: sums over organizations count it twice', {
      ...{ org, other, orgId },
      hint: 'remove one of them, or give it the key of another organization',
    });
  }

  /** Another organization that was published with the same identifier of the platform. */
  #twinOf(org: string, orgId: string): string | undefined {
    for (const [name, state] of this.#published) if (name !== org && state.orgId === orgId) return name;
    return undefined;
  }
}

/** Whether publishing again would change nothing. */
function isCurrent(
  made: Origin | undefined,
  next: Pick<Origin, 'source' | 'settings' | 'key'>,
  now: Instant,
): boolean {
  return (
    made !== undefined &&
    made.source === next.source &&
    made.settings === next.settings &&
    made.key === next.key &&
    // A clock that was set back may hide documents and days again.
    made.asOf <= now &&
    now < made.validUntil
  );
}

/** The revisions of the stored datasets, and which of them have expired: an answer without changes can make one fresh again. */
function keyOf(source: Source, standing: Standing, now: Instant): string {
  const datasets = source.rules.collectors.map((collector) => [
    standing.dataset(collector.dataset.name).revision,
    hasExpired(source, standing, collector, now),
  ]);
  return JSON.stringify([standing.epoch, standing.orgId, datasets]);
}

function hasExpired({ rules }: Source, standing: Standing, { dataset }: Collector, now: Instant): boolean {
  const { answeredAt } = standing.dataset(dataset.name);
  return answeredAt !== undefined && now - answeredAt > rules.maxAgeMs;
}

/** For each dataset, the day from which on its rows are read. */
function rowsAt({ rules, expensive }: Source, now: Instant): RowsFrom {
  const yesterday = yesterdayOf(now);
  return new Map(
    rules.collectors.map(({ dataset }) => {
      const { name } = dataset;
      const usual = expensive.has(name) ? LOOKBACK_DAYS_OF_EXPENSIVE : LOOKBACK_DAYS;
      const days = dataset.kind === 'days' ? (dataset.usedDays ?? usual) : usual;
      return [name, addDays(yesterday, -days)];
    }),
  );
}

/**
 * Reads an organization with the rows from these days on, and runs `work` on it. If `work` needs an older row (the newest row of a
 * dataset is old, or a tier was last reported long ago), reads all rows of that dataset and runs `work` again.
 */
async function readFor<Result>(
  store: Pick<Store, 'read'>,
  org: string,
  rows: RowsFrom,
  work: (stored: StoredOrg) => Promise<Result>,
): Promise<Result> {
  const from = new Map(rows);
  for (;;) {
    try {
      return await work(await store.read(org, from));
    } catch (error) {
      if (!(error instanceof RowNotRead) || from.get(error.dataset) === EVER) throw error;
      from.set(error.dataset, EVER);
    }
  }
}

function viewOf(source: Source, settings: OrgSettings, history: StoredOrg, now: Instant) {
  const { rules, expensive } = source;
  const { historyStart } = rules;
  const datasets = filledOn(source.datasets, settings);
  const known = { history, settings, datasets, expensive, historyStart, firstDay: firstDayOf(rules, now) };
  const coverage = new Coverage(known, now);
  return { coverage, view: createView(known, now, { coverage }) };
}

/**
 * The first instant at which time alone changes the families, apart from `metrics.max-age`. That is the next midnight, when another
 * day becomes the newest or settles. It is earlier if a platform whose clock is ahead lists a document that begins to exist then.
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
