import type { Day, Instant } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { View } from '../catalog/view.ts';
import type { Publication } from '../exposition/publication.ts';
import type { RowsFrom } from '../store/store.ts';
import { createSerialQueue } from '../work/serial-queue.ts';

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
export type PublishedOrgs = ReturnType<typeof createPublishedOrgs>;

/** Creates the state of publishing, empty at first. */
export function createPublishedOrgs(publication: Pick<Publication, 'remove'>) {
  const states = new Map<string, PublishedOrg>();
  return {
    /** Whether a collector's dataset was published as having had no activity on a day, even if only provisionally. */
    showsIdle: (org: string, collector: string, day: Day) =>
      states.get(org)?.collectors.get(collector)?.idle?.includes(day) === true,
    /** Another organization that was published with the same identifier of the platform. */
    twinOf(org: string, orgId: string): string | undefined {
      for (const [name, state] of states) if (name !== org && state.orgId === orgId) return name;
      return undefined;
    },
    /** Removes an organization that is no longer configured from the page. */
    forget(org: string): void {
      states.delete(org);
      publication.remove(org);
    },
    /** The state of an organization, which is empty at first. */
    of(org: string): PublishedOrg {
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
    /** Whether a state is still the organization's, that is, was not forgotten. */
    has: (org: string, state: PublishedOrg) => states.get(org) === state,
    /** One organization at a time: concurrent slices of work would add up to a long one. */
    queue: createSerialQueue(),
    /** The last logged state of each organization's collectors, so that it is not logged twice. */
    logged: new Map<string, string>(),
  };
}
