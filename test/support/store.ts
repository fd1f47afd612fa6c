import type { DatasetName, DayDataset } from '../../src/catalog/dataset.ts';
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
  readonly days?: ReadonlyMap<string, ReadonlyMap<Day, unknown>>;
  /** Of members whose numbers describe more than the day; by default datasets have none. */
  readonly datasets?: readonly DayDataset<unknown>[];
  readonly documents?: readonly unknown[];
  dataset?(name: DatasetName): Partial<DatasetStanding>;
}

const UNKNOWN: DatasetStanding = {
  revision: 0,
  answeredAt: undefined,
  succeededAt: undefined,
  revisedOn: undefined,
};

/** A dataset of days without any further declaration. */
function plain(name: DatasetName): DayDataset<unknown> {
  return { kind: 'days', name, idle: {} };
}

/** An organization as if it had been read from a store. */
export function storedOrg({ days = new Map(), datasets = [], documents = [], dataset }: OrgParts): StoredOrg {
  const known = (name: DatasetName) => datasets.find((one) => one.name === name) ?? plain(name);
  return {
    epoch: 'epoch',
    orgId: undefined,
    confirmedKey: undefined,
    dataset: (name) => ({ ...UNKNOWN, ...dataset?.(name) }),
    days: (name) => daysOf(known(name), days.get(name) ?? new Map()),
    documents: () => documents,
  };
}

/** Days without any declaration of their dataset. */
export function daysFromRows(rows: ReadonlyMap<Day, unknown>): StoredDays {
  return daysOf(plain('tokens'), rows);
}

const declared = new Map(collectors.map(({ dataset }) => [dataset.name, dataset]));

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
        const dataset = declared.get(name);
        const days = daysOf(dataset?.kind === 'days' ? dataset : plain(name), new Map(stored.days(name)));
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
