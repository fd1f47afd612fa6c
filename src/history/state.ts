import type { DatasetName } from '../catalog/dataset.ts';
import type { Day, Instant } from '../catalog/day.ts';
import {
  type AnsweredDays,
  type AnsweredDocuments,
  type DatasetState,
  ForeignAnswer,
  type OrgHistory,
  type Retention,
  type StoredAnswer,
  UNCONFIRMED,
} from './history.ts';
import { absorbDataset, absorbedDocuments, mergeDays } from './merge.ts';
import { changed, differing, opened, PackedMap, packed } from './packed.ts';
import { MAX_SWEPT, newestRow, planSweep, type SweepMark, withoutOld } from './retention.ts';

/** The stored data of one organization. */
export interface OrgState {
  orgId: string | undefined;
  confirmedKey: string | undefined;
  readonly datasets: Map<DatasetName, DatasetState>;
}

/** What a change has affected, by dataset; its own fields (last answer, revision pass) always count as affected. */
export interface Touched {
  /** The slot: the organization's name, or the key of a former organization. */
  readonly org: string;
  /** Undefined: the organization itself. */
  readonly dataset: DatasetName | undefined;
  readonly days: Iterable<Day>;
  readonly documents: Iterable<string>;
}

/** The whole history in memory. */
export interface HistoryState {
  read(org: string): OrgHistory;
  /** Open it with `openedDataset` to read its rows. */
  dataset(org: string, dataset: DatasetName): DatasetState | undefined;
  /** Undefined if nothing of the organization is stored. */
  identity(org: string): Pick<OrgState, 'orgId' | 'confirmedKey'> | undefined;
  /** Assigns a name to that organization and returns what has moved. */
  adopt(org: string, orgId: string): readonly Touched[];
  putConfirmedKey(org: string, key: string): readonly Touched[];
  /** Returns the days that must be stored too: those whose rows have changed. */
  putDays(
    org: string,
    dataset: DatasetName,
    answer: AnsweredDays,
  ): { readonly stored: StoredAnswer; readonly days: readonly Day[] };
  /** Returns the identities of what has changed or no longer exists. */
  putDocuments(org: string, dataset: DatasetName, answer: AnsweredDocuments): ReadonlySet<string>;
  putRevisedOn(org: string, dataset: DatasetName, day: Day): void;
  putSucceeded(org: string, dataset: DatasetName, at: Instant): void;
  /**
   * Replaces rows of a dataset, by one organization per step; in between, anything else may change. Each step gives what
   * was replaced.
   */
  amend(
    dataset: DatasetName,
    change: (row: unknown, day: Day, org: string) => unknown,
  ): Generator<readonly Touched[], void>;
  /**
   * Removes a bounded part of what is too old, by one organization per step; in between, anything else may change. Each
   * step gives what was removed.
   */
  retain(retention: Retention): Generator<readonly Touched[], void>;
  /** The reference day of the last sweep. */
  sweepMark(): SweepMark | undefined;
  /**
   * Merges stored data, which is older than the data in memory, by one organization's name per step; in between, anything
   * else may change. Each step gives what must be deleted from the store.
   */
  absorb(
    stored: ReadonlyMap<string, OrgState>,
    mark: SweepMark | undefined,
  ): Generator<readonly Touched[], void>;
  /** Lists everything stored. */
  all(): readonly Touched[];
  /** The organizations by slot. */
  slots(): ReadonlyMap<string, OrgState>;
  /** Like `retain`, with what is older than a day. */
  dropBefore(firstDay: Day, polled: readonly string[]): Generator<readonly Touched[], void>;
}

/** A dataset that was never answered. */
export const NOTHING: DatasetState = {
  days: PackedMap.of<Day>([]),
  documents: PackedMap.of<string>([]),
  answeredAt: undefined,
  succeededAt: undefined,
  revisedOn: undefined,
};

/** Creates a history, empty or with the given organizations by slot; those are not changed. */
export function createHistoryState(initial: ReadonlyMap<string, OrgState> = new Map()): HistoryState {
  const orgs = new Map(
    [...initial].map(([slot, org]): [string, OrgState] => [
      slot,
      { ...org, datasets: new Map(org.datasets) },
    ]),
  );
  // Listings that were complete: of the documents stored before, only those listed still exist.
  const listed = new Set<string>();
  let mark: SweepMark | undefined;

  function orgOf(name: string): OrgState {
    const known = orgs.get(name);
    if (known !== undefined) return known;
    const kept: OrgState = { orgId: undefined, confirmedKey: undefined, datasets: new Map() };
    orgs.set(name, kept);
    return kept;
  }

  function change(org: string, dataset: DatasetName, now: Partial<DatasetState>): void {
    const { datasets } = orgOf(org);
    datasets.set(dataset, packedDataset({ ...(datasets.get(dataset) ?? NOTHING), ...now }));
  }

  function find(org: string, dataset: DatasetName): DatasetState | undefined {
    return orgs.get(org)?.datasets.get(dataset);
  }

  function refuseForeign(org: string, orgId: string | undefined): void {
    const known = orgs.get(org)?.orgId;
    if (known !== undefined && orgId !== undefined && known !== orgId) throw new ForeignAnswer(known, orgId);
  }

  function noteOrgId(org: string, orgId: string | undefined): void {
    if (orgId !== undefined) orgOf(org).orgId = orgId;
  }

  function mergeInto(org: string, datasets: OrgState['datasets']): void {
    const kept = orgOf(org);
    for (const [dataset, now] of datasets) {
      const before = kept.datasets.get(dataset);
      const isListed = listed.has(keyOf(org, dataset));
      const merged = before === undefined ? now : absorbDataset(before, now, isListed);
      kept.datasets.set(dataset, packedDataset(merged));
    }
  }

  function adopt(org: string, orgId: string): readonly Touched[] {
    const before = orgs.get(org);
    if (before?.orgId === orgId) return [];
    const moved = before === undefined ? [] : [...touchedOf(org, before)];
    const back = orgs.get(slotOf(org, orgId));
    if (back !== undefined) {
      orgs.delete(slotOf(org, orgId));
      moved.push(...touchedOf(slotOf(org, orgId), back), ...touchedOf(org, back));
    }
    moved.push(itself(org));
    orgs.set(org, { orgId, confirmedKey: undefined, datasets: new Map(back?.datasets) });
    if (before === undefined) return moved;
    // Data from before the first answer with an identifier stays where it is.
    if (before.orgId === undefined) {
      mergeInto(org, before.datasets);
      return moved;
    }
    orgOf(org).confirmedKey = UNCONFIRMED;
    orgs.set(slotOf(org, before.orgId), before);
    for (const dataset of before.datasets.keys()) listed.delete(keyOf(org, dataset));
    return [...moved, ...touchedOf(slotOf(org, before.orgId), before)];
  }

  function absorbSlots(stored: Iterable<readonly [string, OrgState]>): readonly Touched[] {
    const gone: Touched[] = [];
    for (const [org, old] of stored) {
      const seen = orgs.get(org)?.orgId;
      // The identity in the file determines the organization of a name: newer data of another one is set aside.
      if (old.orgId !== undefined && seen !== undefined && seen !== old.orgId) {
        gone.push(...adopt(org, old.orgId));
      }
      const kept = orgOf(org);
      kept.orgId ??= old.orgId;
      if (kept.confirmedKey === undefined || kept.confirmedKey === UNCONFIRMED)
        kept.confirmedKey = old.confirmedKey;
      for (const [dataset, before] of old.datasets) {
        const now = kept.datasets.get(dataset);
        const isListed = listed.has(keyOf(org, dataset));
        const merged = now === undefined ? before : absorbDataset(before, now, isListed);
        kept.datasets.set(dataset, packedDataset(merged));
        const documents = isListed ? absorbedDocuments(before, now) : [];
        if (documents.length > 0) gone.push({ org, dataset, days: [], documents });
      }
    }
    return gone;
  }

  /** The newest day with a row, over all organizations; gives nothing on the way to it. */
  function* newestDay(): Generator<readonly Touched[], Day | undefined> {
    let newest: Day | undefined;
    for (const { datasets } of orgs.values()) {
      for (const { days } of datasets.values()) {
        const day = newestRow(days);
        if (day !== undefined && (newest === undefined || day > newest)) newest = day;
      }
      yield [];
    }
    return newest;
  }

  function* dropBefore(firstDay: Day, polled: readonly string[]): Generator<readonly Touched[], void> {
    let left = MAX_SWEPT;
    for (const [org, kept] of orgs) {
      const gone: Touched[] = [];
      const isPolled = polled.includes(org);
      for (const [dataset, before] of kept.datasets) {
        const { days, documents, isEmpty } = withoutOld(before, firstDay, isPolled, left);
        if (days.length === 0 && documents.length === 0 && !isEmpty) continue;
        left -= days.length + documents.length;
        if (isEmpty) kept.datasets.delete(dataset);
        else
          change(org, dataset, {
            days: changed(before.days, new Map(), days),
            documents: changed(before.documents, new Map(), documents),
          });
        gone.push({ org, dataset, days, documents });
      }
      if (kept.datasets.size === 0 && !isPolled) {
        orgs.delete(org);
        gone.push(itself(org));
      }
      yield gone;
    }
  }

  return {
    read: (org) => snapshotOf(orgs.get(org)),
    dataset: find,
    identity: (org) => orgs.get(org),
    adopt,
    putConfirmedKey(org, key) {
      const kept = orgOf(org);
      if (kept.confirmedKey === key) return [];
      kept.confirmedKey = key;
      return [itself(org)];
    },
    putDays(org, dataset, answer) {
      refuseForeign(org, answer.orgId);
      const merged = mergeDays((find(org, dataset) ?? NOTHING).days, answer);
      change(org, dataset, { days: merged.days, answeredAt: answer.at });
      noteOrgId(org, answer.orgId);
      return { stored: merged.stored, days: merged.changed };
    },
    putDocuments(org, dataset, { documents: named, damaged, complete, orgId, at }) {
      refuseForeign(org, orgId);
      const before = (find(org, dataset) ?? NOTHING).documents;
      const usable = new Map([...named].filter(([id]) => !(damaged?.has(id) && before.has(id))));
      const changes = differing(before, usable);
      const gone = complete ? [...before.keys()].filter((id) => !named.has(id)) : [];
      change(org, dataset, { documents: changed(before, changes, gone), answeredAt: at });
      noteOrgId(org, orgId);
      if (complete) listed.add(keyOf(org, dataset));
      return new Set([...gone, ...changes.keys()]);
    },
    putRevisedOn: (org, dataset, day) => change(org, dataset, { revisedOn: day }),
    putSucceeded: (org, dataset, at) => change(org, dataset, { succeededAt: at }),
    *amend(dataset, change) {
      for (const [org, { datasets }] of orgs) {
        const before = datasets.get(dataset);
        if (before === undefined) continue;
        const changes = new Map<Day, unknown>();
        for (const [day, row] of opened(before.days)) {
          const after = row === undefined ? row : change(row, day, nameOf(org));
          if (after !== row) changes.set(day, after);
        }
        if (changes.size > 0) datasets.set(dataset, { ...before, days: changed(before.days, changes) });
        yield changes.size === 0 ? [] : [{ org, dataset, days: [...changes.keys()], documents: [] }];
      }
    },
    *retain(retention) {
      const newest = yield* newestDay();
      if (newest === undefined) return;
      const plan = planSweep(newest, retention, mark);
      mark = plan.mark;
      if (plan.firstDay !== undefined) yield* dropBefore(plan.firstDay, retention.orgs);
    },
    sweepMark: () => mark,
    *absorb(stored, storedMark) {
      mark ??= storedMark;
      // An organization can take the place of a former one of its name: they belong to one step.
      for (const slots of Map.groupBy(stored, ([slot]) => nameOf(slot)).values()) yield absorbSlots(slots);
    },
    all: () => [...orgs].flatMap(([org, kept]) => touchedOf(org, kept)),
    slots: () => orgs,
    dropBefore,
  };
}

/**
 * Longer documents of a dataset are kept parsed: all of them are read at once, and this many characters within a few
 * milliseconds.
 */
const MOST_DOCUMENT_CHARS = 1024 * 1024;

/** A dataset as it is held in memory. */
export function packedDataset(kept: DatasetState): DatasetState {
  return { ...kept, days: packed(kept.days), documents: packed(kept.documents, MOST_DOCUMENT_CHARS) };
}

/** A dataset for one more reader: what is read of it stays parsed as long as the result. */
export function openedDataset(kept: DatasetState): DatasetState {
  return { ...kept, days: opened(kept.days), documents: opened(kept.documents) };
}

function keyOf(org: string, dataset: DatasetName): string {
  return JSON.stringify([org, dataset]);
}

function touchedOf(org: string, { datasets }: OrgState): readonly Touched[] {
  const touched = [...datasets].map(([dataset, { days, documents }]) => ({
    ...{ org, dataset },
    ...{ days: days.keys(), documents: documents.keys() },
  }));
  return [...touched, itself(org)];
}

function itself(org: string): Touched {
  return { org, dataset: undefined, days: [], documents: [] };
}

function snapshotOf(kept: OrgState | undefined): OrgHistory {
  const datasets = new Map(kept?.datasets);
  const snapshot = { orgId: kept?.orgId, confirmedKey: kept?.confirmedKey, datasets };
  const read = new Map<DatasetName, DatasetState>();

  function dataset(name: DatasetName): DatasetState {
    const known = read.get(name) ?? openedDataset(datasets.get(name) ?? NOTHING);
    read.set(name, known);
    return known;
  }

  return {
    orgId: snapshot.orgId,
    confirmedKey: snapshot.confirmedKey,
    days: (name) => dataset(name).days,
    documents: (name) => [...dataset(name).documents.values()],
    contentOf(name) {
      const { days, documents } = datasets.get(name) ?? NOTHING;
      return [days, documents];
    },
    answeredAt: (dataset) => datasets.get(dataset)?.answeredAt,
    revisedOn: (dataset) => datasets.get(dataset)?.revisedOn,
    succeededAt: (dataset) => datasets.get(dataset)?.succeededAt,
    opened: () => snapshotOf(snapshot),
  };
}

/** Not allowed in names of organizations. */
const SEPARATOR = '#';

/** The key under which a former organization of a name is kept. */
function slotOf(org: string, orgId: string): string {
  return `${org}${SEPARATOR}${orgId}`;
}

/** The name of the organization of a slot; a name is the slot of its current organization. */
export function nameOf(slot: string): string {
  const end = slot.indexOf(SEPARATOR);
  return end < 0 ? slot : slot.slice(0, end);
}
