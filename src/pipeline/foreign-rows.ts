import type { DayDataset } from '../catalog/dataset.ts';
import type { Day } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { RowsFrom, Store, StoredDays, StoredOrg } from '../store/store.ts';
import type { Clock } from '../work/clock.ts';

interface ForeignRowsParts {
  /** Whether another process polls, with other settings. */
  hasOthers(): boolean;
  settingsOf(org: string): OrgSettings | undefined;
  /** Whether an organization with this identifier is on the platform of these settings. */
  isOwn(settings: OrgSettings, orgId: string): boolean;
  readonly datasets: readonly DayDataset<unknown>[];
  readonly clock: Pick<Clock, 'slices'>;
}

/**
 * Wraps a store so that a follower does not see rows that a leader with other settings has stored. During a roll-out, such rows
 * have labels that the follower's operator did not choose. While leader and follower have equal settings, all rows stay.
 */
export function withoutForeignRows(
  store: Pick<Store, 'standing' | 'read'>,
  { hasOthers, settingsOf, isOwn, datasets, clock }: ForeignRowsParts,
): Pick<Store, 'standing' | 'read'> {
  const shaped = datasets.filter(({ isCurrent }) => isCurrent !== undefined);

  /** The days from `first` on whose rows were made with other settings. */
  async function foreignDays(
    { isCurrent }: DayDataset<unknown>,
    days: StoredDays,
    first: string,
    settings: OrgSettings,
  ): Promise<ReadonlySet<Day>> {
    const foreign = new Set<Day>();
    for (const day of days.keys()) {
      if (day < first || !days.isFilled(day)) continue;
      await clock.slices.next();
      if (isCurrent?.(days.get(day), settings) === false) foreign.add(day);
    }
    return foreign;
  }

  async function read(org: string, from?: RowsFrom): Promise<StoredOrg> {
    const isFiltered = hasOthers();
    const stored = await store.read(org, from);
    const settings = settingsOf(org);
    if (!isFiltered || settings === undefined) return stored;
    if (!isOwn(settings, stored.orgId ?? '')) return withoutRows(stored);
    const filtered = new Map<string, StoredDays>();
    for (const dataset of shaped) {
      const days = stored.days(dataset.name);
      // Rows that were not read are not shown.
      const first = from === undefined ? '' : from.get(dataset.name);
      const foreign =
        first === undefined ? new Set<Day>() : await foreignDays(dataset, days, first, settings);
      filtered.set(dataset.name, without(days, foreign));
    }
    return {
      ...stored,
      epoch: filteredEpoch(stored.epoch),
      days: (name) => filtered.get(name) ?? stored.days(name),
    };
  }

  return {
    read,
    async standing(org) {
      const isFiltered = hasOthers();
      const standing = await store.standing(org);
      return isFiltered ? { ...standing, epoch: filteredEpoch(standing.epoch) } : standing;
    },
  };
}

/** The stored organization without its data, which comes from another platform with an organization of the same name. */
function withoutRows(stored: StoredOrg): StoredOrg {
  return {
    ...stored,
    epoch: filteredEpoch(stored.epoch),
    orgId: undefined,
    days: (name) => without(stored.days(name), new Set(stored.days(name).keys())),
    documents: () => [],
  };
}

/** Another epoch, so that the publisher renders again: some rows of the same store are hidden now. */
function filteredEpoch(epoch: string): string {
  return `${epoch} filtered`;
}

function without(days: StoredDays, gone: ReadonlySet<Day>): StoredDays {
  if (gone.size === 0) return days;
  const kept = [...days.keys()].filter((day) => !gone.has(day));
  return {
    size: kept.length,
    has: (day) => days.has(day) && !gone.has(day),
    isFilled: (day) => days.isFilled(day) && !gone.has(day),
    hasActivity: (day) => (gone.has(day) ? undefined : days.hasActivity(day)),
    isUnsettled: (day) => days.isUnsettled(day) && !gone.has(day),
    keys: () => kept,
    get: (day) => (gone.has(day) ? undefined : days.get(day)),
  };
}
