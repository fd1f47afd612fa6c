import type { DatasetName } from '../catalog/dataset.ts';
import type { Day, Instant } from '../catalog/day.ts';
import type { AnsweredDays, AnsweredDocuments, OrgHistory, Retention, Revision } from './history.ts';
import { absorbDataset, absorbedDocuments, mergeDays } from './merge.ts';
import { without, withoutOld } from './old.ts';

/** What is kept of one dataset of one organization; it is replaced, never changed. */
export interface KeptDataset {
  readonly days: ReadonlyMap<Day, unknown>;
  readonly documents: ReadonlyMap<string, unknown>;
  readonly answeredAt: Instant | undefined;
  readonly revisedOn: Day | undefined;
}

/** What is kept of one organization. */
export interface KeptOrg {
  orgId: string | undefined;
  readonly datasets: Map<DatasetName, KeptDataset>;
}

/** What a change has touched, by dataset; its own fields (last answer, revision pass) always count as touched. */
export interface Touched {
  readonly org: string;
  readonly dataset: DatasetName;
  readonly days: Iterable<Day>;
  readonly documents: Iterable<string>;
}

/** Everything that is known, in memory. */
export interface Kept {
  read(org: string): OrgHistory;
  dataset(org: string, dataset: DatasetName): KeptDataset | undefined;
  orgId(org: string): string | undefined;
  /** Drops all of an organization where its name now stands for another one, and gives what went. */
  forgetOther(org: string, orgId: string | undefined): readonly Touched[];
  putDays(org: string, dataset: DatasetName, answer: AnsweredDays): readonly Revision[];
  /** Gives the identities that were put or are gone. */
  putDocuments(org: string, dataset: DatasetName, answer: AnsweredDocuments): ReadonlySet<string>;
  putRevisedOn(org: string, dataset: DatasetName, day: Day): void;
  /** Replaces rows of a dataset, and gives what was replaced. */
  amend(dataset: DatasetName, change: (row: unknown, day: Day, org: string) => unknown): readonly Touched[];
  /** Drops what is too old and gives what went. */
  retain(retention: Retention): readonly Touched[];
  /** Adds what was stored before; what is here is newer. Gives what of the stored must go. */
  absorb(stored: ReadonlyMap<string, KeptOrg>): readonly Touched[];
  /** Names everything there is. */
  all(): readonly Touched[];
}

const NOTHING: KeptDataset = {
  days: new Map(),
  documents: new Map(),
  answeredAt: undefined,
  revisedOn: undefined,
};

/** Starts with nothing kept. */
export function createKept(): Kept {
  const orgs = new Map<string, KeptOrg>();
  // Listings that were complete: of what was stored before, only documents among them still exist.
  const listed = new Set<string>();

  function orgOf(name: string): KeptOrg {
    const known = orgs.get(name);
    if (known !== undefined) return known;
    const kept: KeptOrg = { orgId: undefined, datasets: new Map() };
    orgs.set(name, kept);
    return kept;
  }

  function change(org: string, dataset: DatasetName, changed: Partial<KeptDataset>): void {
    const { datasets } = orgOf(org);
    datasets.set(dataset, { ...(datasets.get(dataset) ?? NOTHING), ...changed });
  }

  function find(org: string, dataset: DatasetName): KeptDataset | undefined {
    return orgs.get(org)?.datasets.get(dataset);
  }

  function noteOrgId(org: string, orgId: string | undefined): void {
    if (orgId !== undefined) orgOf(org).orgId = orgId;
  }

  return {
    read: (org) => snapshotOf(orgs.get(org)),
    dataset: find,
    orgId: (org) => orgs.get(org)?.orgId,
    forgetOther(org, orgId) {
      const kept = orgs.get(org);
      if (kept === undefined || !areOthers(kept.orgId, orgId)) return [];
      orgs.delete(org);
      return touchedOf(org, kept);
    },
    putDays(org, dataset, answer) {
      const { days, revisions } = mergeDays((find(org, dataset) ?? NOTHING).days, answer);
      change(org, dataset, { days, answeredAt: answer.at });
      noteOrgId(org, answer.orgId);
      return revisions;
    },
    putDocuments(org, dataset, { documents: named, damaged, complete, orgId, at }) {
      const before = (find(org, dataset) ?? NOTHING).documents;
      const documents = new Map(
        [...named].map(([id, document]) => [id, damaged?.has(id) ? (before.get(id) ?? document) : document]),
      );
      const after = complete ? new Map(documents) : new Map([...before, ...documents]);
      change(org, dataset, { documents: after, answeredAt: at });
      noteOrgId(org, orgId);
      if (complete) listed.add(keyOf(org, dataset));
      return new Set([...(complete ? before.keys() : []), ...documents.keys()]);
    },
    putRevisedOn: (org, dataset, day) => change(org, dataset, { revisedOn: day }),
    amend(dataset, change) {
      const touched: Touched[] = [];
      for (const [org, { datasets }] of orgs) {
        const before = datasets.get(dataset);
        const changes = [...(before?.days ?? [])].flatMap(([day, row]) => {
          const after = row === undefined ? row : change(row, day, org);
          return after === row ? [] : [[day, after] as const];
        });
        if (before === undefined || changes.length === 0) continue;
        datasets.set(dataset, { ...before, days: new Map([...before.days, ...changes]) });
        touched.push({ org, dataset, days: changes.map(([day]) => day), documents: [] });
      }
      return touched;
    },
    retain({ firstDay, orgs: polled }) {
      const gone: Touched[] = [];
      for (const [org, kept] of orgs) {
        const isPolled = polled.includes(org);
        for (const [dataset, before] of kept.datasets) {
          const { days, documents, isEmpty } = withoutOld(before, firstDay, isPolled);
          if (days.length === 0 && documents.length === 0 && !isEmpty) continue;
          if (isEmpty) kept.datasets.delete(dataset);
          else kept.datasets.set(dataset, { ...before, days: without(before.days, days) });
          gone.push({ org, dataset, days, documents });
        }
        if (kept.datasets.size === 0) orgs.delete(org);
      }
      return gone;
    },
    absorb(stored) {
      const gone: Touched[] = [];
      for (const [org, old] of stored) {
        const kept = orgOf(org);
        if (areOthers(kept.orgId, old.orgId)) {
          gone.push(...touchedOf(org, old));
          continue;
        }
        kept.orgId ??= old.orgId;
        for (const [dataset, before] of old.datasets) {
          const now = kept.datasets.get(dataset);
          const isListed = listed.has(keyOf(org, dataset));
          kept.datasets.set(dataset, now === undefined ? before : absorbDataset(before, now, isListed));
          const documents = isListed ? absorbedDocuments(before, now) : [];
          if (documents.length > 0) gone.push({ org, dataset, days: [], documents });
        }
      }
      return gone;
    },
    all: () => [...orgs].flatMap(([org, kept]) => touchedOf(org, kept)),
  };
}

function keyOf(org: string, dataset: DatasetName): string {
  return JSON.stringify([org, dataset]);
}

/** Whether two identifiers of the platform name two organizations. */
function areOthers(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

function touchedOf(org: string, { datasets }: KeptOrg): readonly Touched[] {
  return [...datasets].map(([dataset, { days, documents }]) => ({
    ...{ org, dataset },
    ...{ days: days.keys(), documents: documents.keys() },
  }));
}

function snapshotOf(kept: KeptOrg | undefined): OrgHistory {
  const datasets = new Map(kept?.datasets);
  return {
    orgId: kept?.orgId,
    days: (dataset) => datasets.get(dataset)?.days ?? NOTHING.days,
    documents: (dataset) => [...(datasets.get(dataset)?.documents.values() ?? [])],
    answeredAt: (dataset) => datasets.get(dataset)?.answeredAt,
    revisedOn: (dataset) => datasets.get(dataset)?.revisedOn,
  };
}
