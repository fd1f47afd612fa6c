import type { DatasetName } from '../catalog/dataset.ts';
import type { Day, Instant } from '../catalog/day.ts';
import { fingerprint } from './fingerprint.ts';
import type { AnsweredDays, AnsweredDocuments, History, OrgHistory, Revision } from './history.ts';

interface Kept {
  orgId: string | undefined;
  readonly days: Map<DatasetName, ReadonlyMap<Day, unknown>>;
  readonly documents: Map<DatasetName, ReadonlyMap<string, unknown>>;
  readonly answeredAt: Map<DatasetName, Instant>;
}

const NO_DAYS: ReadonlyMap<Day, unknown> = new Map();
const NO_DOCUMENTS: ReadonlyMap<string, unknown> = new Map();

/** Keeps history in this process's memory: it starts empty and ends with the process. */
export function createMemoryHistory(): History {
  const orgs = new Map<string, Kept>();

  function keptOf(org: string): Kept {
    const known = orgs.get(org);
    if (known !== undefined) return known;
    const kept: Kept = { orgId: undefined, days: new Map(), documents: new Map(), answeredAt: new Map() };
    orgs.set(org, kept);
    return kept;
  }

  return {
    async read(org) {
      return snapshotOf(keptOf(org));
    },
    async putDays(org, dataset, answer) {
      const kept = keptOf(org);
      const { days, revisions } = merge(kept.days.get(dataset) ?? NO_DAYS, answer);
      kept.days.set(dataset, days);
      note(kept, dataset, answer);
      return revisions;
    },
    async putDocuments(org, dataset, answer) {
      const kept = keptOf(org);
      const before = answer.complete ? NO_DOCUMENTS : (kept.documents.get(dataset) ?? NO_DOCUMENTS);
      kept.documents.set(dataset, new Map([...before, ...answer.documents]));
      note(kept, dataset, answer);
    },
    async close() {
      orgs.clear();
    },
  };
}

function note(kept: Kept, dataset: DatasetName, answer: AnsweredDays | AnsweredDocuments): void {
  kept.answeredAt.set(dataset, answer.at);
  if (answer.orgId !== undefined) kept.orgId = answer.orgId;
}

function snapshotOf(kept: Kept): OrgHistory {
  const days = new Map(kept.days);
  const documents = new Map(kept.documents);
  const answeredAt = new Map(kept.answeredAt);
  return {
    orgId: kept.orgId,
    days: (dataset) => days.get(dataset) ?? NO_DAYS,
    documents: (dataset) => [...(documents.get(dataset) ?? NO_DOCUMENTS).values()],
    answeredAt: (dataset) => answeredAt.get(dataset),
  };
}

function merge(
  before: ReadonlyMap<Day, unknown>,
  answer: AnsweredDays,
): { days: ReadonlyMap<Day, unknown>; revisions: readonly Revision[] } {
  const days = new Map(before);
  const revisions: Revision[] = [];
  for (const day of answer.days) {
    const old = before.get(day);
    const row = answer.rows.get(day);
    if (row === undefined || old === undefined) {
      days.set(day, row ?? old);
      continue;
    }
    if (fingerprint(old) === fingerprint(row)) continue;
    days.set(day, row);
    revisions.push({ day, before: old, after: row });
  }
  return { days, revisions };
}
