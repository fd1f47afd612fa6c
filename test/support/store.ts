import type { DatasetName } from '../../src/catalog/dataset.ts';
import type { Day } from '../../src/catalog/day.ts';
import { collectors } from '../../src/collectors/index.ts';
import { createMemoryHistory } from '../../src/history/memory.ts';
import { daysOf } from '../../src/store/days.ts';
import {
  type DatasetStanding,
  RowNotRead,
  type RowsFrom,
  type Store,
  type StoredDays,
  type StoredOrg,
} from '../../src/store/store.ts';

/** What a stored organization has; nothing by default. */
interface OrgParts {
  readonly orgId?: string;
  days?(dataset: DatasetName): ReadonlyMap<Day, unknown> | undefined;
  documents?(dataset: DatasetName): readonly unknown[];
  revisedOn?(dataset: DatasetName): Day | undefined;
}

const UNKNOWN: DatasetStanding = {
  revision: 0,
  answeredAt: undefined,
  succeededAt: undefined,
  revisedOn: undefined,
};

const declared = new Map(collectors.map(({ dataset }) => [dataset.name, dataset]));

function daysIn(name: DatasetName, rows: ReadonlyMap<Day, unknown> = new Map()): StoredDays {
  const dataset = declared.get(name);
  return daysOf(dataset?.kind === 'days' ? dataset : { kind: 'days', name, idle: {} }, rows);
}

/** An organization as if it had been read from a store. */
export function storedOrg({ orgId, days, documents, revisedOn }: OrgParts): StoredOrg {
  return {
    epoch: 'epoch',
    orgId,
    confirmedKey: undefined,
    dataset: (name) => ({ ...UNKNOWN, revisedOn: revisedOn?.(name) }),
    days: (name) => daysIn(name, days?.(name)),
    documents: (name) => documents?.(name) ?? [],
  };
}

/** Days of tokens as if they had been read from a store. */
export function storedDays(rows: ReadonlyMap<Day, unknown>): StoredDays {
  return daysIn('tokens', rows);
}

/** A store that starts empty and ends with the process. */
export function createMemoryStore(): Store {
  const history = createMemoryHistory();
  const revisions = new Map<string, { content: readonly unknown[]; revision: number }>();

  function revisionOf(org: string, dataset: DatasetName, content: readonly unknown[]): number {
    const key = `${org}/${dataset}`;
    const before = revisions.get(key) ?? { content: [], revision: 0 };
    const isSame =
      content.length === before.content.length && content.every((one, at) => one === before.content[at]);
    const revision = before.revision + (isSame ? 0 : 1);
    revisions.set(key, { content, revision });
    return revision;
  }

  async function read(org: string, from?: RowsFrom): Promise<StoredOrg> {
    const stored = await history.read(org);
    return {
      epoch: 'memory',
      orgId: stored.orgId,
      confirmedKey: stored.confirmedKey,
      dataset: (name) => ({
        revision: revisionOf(org, name, [...stored.contentOf(name), stored.revisedOn(name)]),
        answeredAt: stored.answeredAt(name),
        succeededAt: stored.succeededAt(name),
        revisedOn: stored.revisedOn(name),
      }),
      days(name) {
        const days = daysIn(name, new Map(stored.days(name)));
        return {
          ...days,
          get(day) {
            const first = from === undefined ? day : from.get(name);
            if (days.isFilled(day) && (first === undefined || day < first)) throw new RowNotRead(name);
            return days.get(day);
          },
        };
      },
      documents(name) {
        if (from !== undefined && !from.has(name)) throw new RowNotRead(name);
        return stored.documents(name);
      },
    };
  }

  return {
    ...history,
    read,
    standing: (org) => read(org),
    revisions: async () => new Map(),
  };
}
