import type { DatasetName } from '../catalog/dataset.ts';
import type { Day } from '../catalog/day.ts';
import type { View } from '../catalog/view.ts';
import type { Publication } from '../exposition/publication.ts';
import { createSerialQueue, type SerialQueue } from '../runtime/serial-queue.ts';
import type { Rendered } from './commit-snapshot.ts';
import type { Coverage } from './coverage.ts';

/** One collector of an organization, as last published. */
export interface PublishedCollector extends Rendered {
  readonly dataset: DatasetName | undefined;
  readonly day: Day | undefined;
  /** Fingerprint of the known days without a row. */
  readonly idleDays: string | undefined;
  readonly expired: boolean;
}

/** One organization, as last published. */
export interface PublishedOrg {
  collectors: ReadonlyMap<string, PublishedCollector>;
  view: View | undefined;
  coverage: Coverage | undefined;
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
      const shown = dataset && states.get(org)?.coverage?.stateOf(dataset, day);
      return shown === 'idle' || shown === 'provisional';
    },
    uncoveredDays(org, collector) {
      const dataset = published(org, collector)?.dataset;
      return dataset === undefined ? undefined : states.get(org)?.view?.uncoveredDays(dataset);
    },
    orgId: (org) => states.get(org)?.view?.orgId,
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
        view: undefined,
        coverage: undefined,
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
