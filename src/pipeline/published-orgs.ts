import type { DatasetName } from '../catalog/dataset.ts';
import type { Day, Instant } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { View } from '../catalog/view.ts';
import type { Publication } from '../exposition/publication.ts';
import type { OrgHistory } from '../history/history.ts';
import { createSerialQueue, type SerialQueue } from '../runtime/serial-queue.ts';
import type { Rendered } from './commit-snapshot.ts';

/** One collector of an organization, as last published. */
export interface PublishedCollector extends Rendered {
  readonly dataset: DatasetName | undefined;
  readonly day: Day | undefined;
  /** Fingerprint of the known days without a row. */
  readonly idleDays: string | undefined;
  readonly expired: boolean;
  readonly origin: Origin;
  /** The stored data that it was made from; see `OrgHistory.contentOf`. */
  readonly content: readonly object[];
  /** When it may change without a new answer: the next document exists then, though it is listed already. */
  readonly nextAt: Instant | undefined;
}

/** What was known of a dataset's days when it was last published. */
interface PublishedDays {
  /** Number of unknown days since the start of history. */
  readonly uncovered: number;
  /** The days that were published as having had no activity. */
  readonly idle: ReadonlySet<Day>;
}

/** What a publication is made from, beside the stored data. */
export interface Origin {
  /** The publisher, which is one configuration's. */
  readonly publisher: object;
  readonly settings: OrgSettings;
  readonly orgId: string | undefined;
  readonly asOf: Instant;
}

/** One organization, as last published. */
export interface PublishedOrg {
  collectors: ReadonlyMap<string, PublishedCollector>;
  orgId: string | undefined;
  /** What the last publication was made from. */
  made: { readonly origin: Origin; readonly history: OrgHistory } | undefined;
  /** Makes the view that was published. */
  view: (() => View) | undefined;
  /** By dataset with days: what is not read again from the history, which may be large. */
  days: ReadonlyMap<DatasetName, PublishedDays>;
  /** The collectors waiting to be published. */
  readonly requested: Set<string>;
}

/** The published state of each organization. It outlives the publishers, each of which serves one configuration. */
export interface PublishedOrgs {
  /** The day that a collector's published families describe. */
  publishedDay(org: string, collector: string): Day | undefined;
  /** Whether a collector's dataset was published as having had no activity on a day, even if only provisionally. */
  showsIdle(org: string, collector: string, day: Day): boolean;
  /** Number of unknown days of a collector's dataset since the start of history, as last published. */
  uncoveredDays(org: string, collector: string): number | undefined;
  /** The platform's identifier of an organization, as last published. */
  orgId(org: string): string | undefined;
  /** Another organization that was published with the same identifier of the platform. */
  twinOf(org: string, orgId: string): string | undefined;
  /** Whether a collector's last good answer is older than the maximum age. */
  isExpired(org: string, collector: string): boolean;
  /** Removes an organization that is no longer configured from the page. */
  forget(org: string): void;
  /** The state of an organization, which is empty at first. */
  of(org: string): PublishedOrg;
  /** Whether a state is still the organization's, that is, was not forgotten. */
  has(org: string, state: PublishedOrg): boolean;
  /** One organization at a time: concurrent slices of work would add up to a long one. */
  readonly queue: SerialQueue;
  /** The last logged state of each organization's collectors, so that it is not logged twice. */
  readonly logged: Map<string, string>;
}

/** Creates the state of publishing, empty at first. */
export function createPublishedOrgs(publication: Pick<Publication, 'remove'>): PublishedOrgs {
  const states = new Map<string, PublishedOrg>();

  function published(org: string, collector: string): PublishedCollector | undefined {
    return states.get(org)?.collectors.get(collector);
  }

  return {
    publishedDay: (org, collector) => published(org, collector)?.day,
    showsIdle(org, collector, day) {
      const dataset = published(org, collector)?.dataset;
      return dataset !== undefined && states.get(org)?.days.get(dataset)?.idle.has(day) === true;
    },
    uncoveredDays(org, collector) {
      const dataset = published(org, collector)?.dataset;
      return dataset && states.get(org)?.days.get(dataset)?.uncovered;
    },
    orgId: (org) => states.get(org)?.orgId,
    twinOf(org, orgId) {
      for (const [name, state] of states) if (name !== org && state.orgId === orgId) return name;
      return undefined;
    },
    isExpired: (org, collector) => published(org, collector)?.expired ?? false,
    forget(org) {
      states.delete(org);
      publication.remove(org);
    },
    of(org) {
      const known = states.get(org);
      if (known !== undefined) return known;
      const state: PublishedOrg = {
        collectors: new Map(),
        orgId: undefined,
        made: undefined,
        view: undefined,
        days: new Map(),
        requested: new Set(),
      };
      states.set(org, state);
      return state;
    },
    has: (org, state) => states.get(org) === state,
    queue: createSerialQueue(),
    logged: new Map(),
  };
}
