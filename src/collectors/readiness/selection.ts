import type { Instant } from '../../catalog/day.ts';
import type { ReadinessSettings } from '../../catalog/settings.ts';
import type { ReadinessReport } from './dataset.ts';

/** A repository's current report and the one to compare it with. */
export interface Selected {
  readonly current: ReadinessReport;
  readonly previous: ReadinessReport | undefined;
  /** All older reports of the same branch, of any commit, newest first. */
  readonly earlier: readonly ReadinessReport[];
}

const USUAL_MAIN_LINES = ['main', 'master'];

/**
 * Selects the current and the previous report of each repository, as of an instant. A repository has one main
 * branch: the first configured branch that has a report; without configured branches main, master, or the most
 * frequent one. Later reports are ignored, even those of a platform whose clock is slightly ahead, so that the result
 * for a past instant never changes.
 */
export function selectReports(
  reports: readonly ReadinessReport[],
  settings: Pick<ReadinessSettings, 'branches' | 'cleanOnly'>,
  asOf: Instant,
): readonly Selected[] {
  const eligible = reports.filter(
    (report) => report.createdAt <= asOf && !(settings.cleanOnly && isDirty(report)),
  );
  const selected: Selected[] = [];
  for (const ofRepository of Map.groupBy(eligible, ({ repo }) => repo).values()) {
    const newestFirst = mainLine(ofRepository, settings.branches).toSorted(byAge);
    const [current, ...earlier] = newestFirst;
    if (current !== undefined) selected.push({ current, previous: previousOf(current, earlier), earlier });
  }
  return selected.sort((one, other) => (one.current.repo < other.current.repo ? -1 : 1));
}

function isDirty(report: ReadinessReport): boolean {
  return report.localChanges === true || report.nonRemoteCommits === true;
}

/** Newest first; of the same instant, by identifier, so that the choice does not depend on the listing's order. */
function byAge(one: ReadinessReport, other: ReadinessReport): number {
  return other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1);
}

function mainLine(
  reports: readonly ReadinessReport[],
  branches: readonly string[],
): readonly ReadinessReport[] {
  const byBranch = Map.groupBy(reports, ({ branch }) => branch);
  for (const branch of branches.length > 0 ? branches : USUAL_MAIN_LINES) {
    const ofBranch = byBranch.get(branch);
    if (ofBranch !== undefined) return ofBranch;
  }
  return branches.length > 0 ? [] : mostFrequent(byBranch);
}

/** The branch with the most reports; of several, the one with the newest. Reports without a branch come last. */
function mostFrequent(
  byBranch: ReadonlyMap<string | undefined, readonly ReadinessReport[]>,
): readonly ReadinessReport[] {
  const named = [...byBranch].filter(([branch]) => branch !== undefined);
  const [best] = named.sort(
    ([oneName = '', one], [otherName = '', other]) =>
      other.length - one.length || newest(other) - newest(one) || (oneName < otherName ? -1 : 1),
  );
  return best?.[1] ?? byBranch.get(undefined) ?? [];
}

function newest(reports: readonly ReadinessReport[]): Instant {
  return reports.reduce((latest, { createdAt }) => Math.max(latest, createdAt), 0);
}

/** The newest older report of another commit; an unknown commit does not count as another one. */
function previousOf(
  current: ReadinessReport,
  earlier: readonly ReadinessReport[],
): ReadinessReport | undefined {
  if (current.commit === undefined) return undefined;
  return earlier.find(
    ({ commit, createdAt }) =>
      createdAt < current.createdAt && commit !== undefined && commit !== current.commit,
  );
}
