import type { DayDataset } from '../catalog/dataset.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { History, OrgHistory } from '../history/history.ts';

interface ForeignRowsParts {
  /** Whether another process polls, with other settings. */
  hasOthers(): boolean;
  settingsOf(org: string): OrgSettings | undefined;
  readonly datasets: readonly DayDataset<unknown>[];
}

/** What is left out is another content than the rows themselves. */
const LEFT_OUT: object = {};

/**
 * A history without rows that a leader with other settings has made, for a follower during a roll-out: their labels are not
 * those that its operator chose. Where the settings are equal, older rows from before a change stay, as on the leader.
 */
export function withoutForeignRows<Reads extends Pick<History, 'read'>>(
  history: Reads,
  { hasOthers, settingsOf, datasets }: ForeignRowsParts,
): Reads {
  async function read(org: string): Promise<OrgHistory> {
    const stored = await history.read(org);
    const settings = settingsOf(org);
    return settings !== undefined && hasOthers() ? without(stored, datasets, settings) : stored;
  }

  return { ...history, read };
}

function without(
  stored: OrgHistory,
  datasets: readonly DayDataset<unknown>[],
  settings: OrgSettings,
): OrgHistory {
  const shaped = datasets.filter(({ isCurrent }) => isCurrent !== undefined);
  return {
    ...stored,
    days(name) {
      const days = stored.days(name);
      const dataset = shaped.find((one) => one.name === name);
      if (dataset === undefined) return days;
      return new Map(
        [...days].filter(([, row]) => row === undefined || dataset.isCurrent?.(row, settings) !== false),
      );
    },
    contentOf(name) {
      const content = stored.contentOf(name);
      return shaped.some((one) => one.name === name) ? [...content, LEFT_OUT] : content;
    },
    opened: () => without(stored.opened(), datasets, settings),
  };
}
