import type { Day, Instant } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { View } from '../catalog/view.ts';
import type { Publication } from '../exposition/publication.ts';
import { createSerialQueue, type SerialQueue } from '../runtime/serial-queue.ts';
import type { RowsFrom } from '../store/store.ts';

/** One collector of an organization, as last published. */
export interface PublishedCollector {
  /** The newest day of a dataset with days. */
  readonly day: Day | undefined;
  /** Number of its unknown days since the start of history. */
  readonly uncovered: number | undefined;
  /** Its days that were published as having had no activity, with spaces between them: a set of texts takes ten times as much. */
  readonly idle: string | undefined;
  readonly expired: boolean;
}

/** What an organization's families are made from. */
export interface Origin {
  /** The publisher, which is one configuration's. */
  readonly publisher: object;
  readonly settings: OrgSettings;
  /** What was stored. */
  readonly key: string;
  readonly asOf: Instant;
  /** The first instant at which time alone changes the families. */
  readonly validUntil: Instant;
}

export type WithView = <Result>(rows: RowsFrom, work: (view: View) => Promise<Result>) => Promise<Result>;

/** One organization, as last published. */
export interface PublishedOrg {
  collectors: ReadonlyMap<string, PublishedCollector>;
  orgId: string | undefined;
  made: Origin | undefined;
  /** Runs work on a view as of the last publication, which it reads from the store with these rows. */
  withView: WithView | undefined;
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
    showsIdle: (org, collector, day) => published(org, collector)?.idle?.includes(day) === true,
    uncoveredDays: (org, collector) => published(org, collector)?.uncovered,
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
        withView: undefined,
      };
      states.set(org, state);
      return state;
    },
    has: (org, state) => states.get(org) === state,
    queue: createSerialQueue(),
    logged: new Map(),
  };
}
