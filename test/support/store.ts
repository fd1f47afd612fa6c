import type { DatasetName } from '../../src/catalog/dataset.ts';
import type { Day } from '../../src/catalog/day.ts';
import { collectors } from '../../src/collectors/index.ts';
import { COUNTS, DAYS } from '../../src/store/layouts.ts';
import { SqlStore } from '../../src/store/sql-store.ts';
import { MEMORY, SqliteDatabase } from '../../src/store/sqlite.ts';
import type { DatasetStanding, Store, StoredDays, StoredOrg } from '../../src/store/store.ts';
import { daysOf } from '../../src/store/stored-org.ts';
import { type Clock, createSystemClock } from '../../src/work/clock.ts';
import { createFakeLogger } from './fake-logger.ts';

/** What a stored organization has; nothing by default. */
interface OrgParts {
  readonly orgId?: string | undefined;
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
export function createMemoryStore(clock: Pick<Clock, 'slices'> = createSystemClock()): Store {
  const log = createFakeLogger();
  const parts = { path: MEMORY, onDamage: 'exit', log } as const;
  return new SqlStore({
    days: SqliteDatabase.open({ ...parts, layout: DAYS }),
    counts: SqliteDatabase.open({ ...parts, layout: COUNTS }),
    datasets: collectors.map(({ dataset }) => dataset),
    ...{ clock, log },
  });
}
