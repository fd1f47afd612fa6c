import { createHash } from 'node:crypto';
import type { Instant } from '../../src/catalog/day.ts';
import type { Criterion, ReadinessReport } from '../../src/collectors/readiness/dataset.ts';
import { readinessDataset } from '../../src/collectors/readiness/dataset.ts';
import type { History } from '../../src/history/history.ts';

const CRITERIA = 72;
/** The number of criteria of a report that do not apply. */
const SKIPPED = 8;
const REPORTS_PER_REPOSITORY = 2;
const DAY_MS = 86_400_000;
/** Ratio, passed and evaluated. */
const SERIES_PER_CRITERION = 3;
/** Four by status and seven of the repository itself. */
const OTHER_SERIES = 11;
const SERIES_PER_REPOSITORY = SERIES_PER_CRITERION * (CRITERIA - SKIPPED) + OTHER_SERIES;

/**
 * Fills the history with readiness reports for approximately this many series: two for each repository, the newest and
 * the previous one. The last repository has fewer criteria than the others.
 */
export async function putReports(history: History, org: string, series: number, now: Instant): Promise<void> {
  const whole = Math.floor(series / SERIES_PER_REPOSITORY);
  const rest = (series % SERIES_PER_REPOSITORY) - OTHER_SERIES;
  const criteriaOfLast = Math.max(1, Math.round(rest / SERIES_PER_CRITERION));
  const documents = new Map<string, unknown>();
  for (let repository = 0; repository <= whole; repository++) {
    for (let age = 0; age < REPORTS_PER_REPOSITORY; age++) {
      const report = reportOf(repository, age, now);
      const evaluated = report.criteria?.filter(({ skipped }) => !skipped).slice(0, criteriaOfLast);
      documents.set(report.id, repository < whole ? report : { ...report, criteria: evaluated });
    }
  }
  await history.putDocuments(org, readinessDataset.name, {
    documents,
    complete: true,
    orgId: undefined,
    at: now,
  });
}

function reportOf(repository: number, age: number, now: Instant): ReadinessReport {
  const hash = createHash('sha1').update(`${repository}/${age}`).digest('hex');
  return {
    id: `report-${repository}-${age}`,
    createdAt: now - (1 + age * 30) * DAY_MS - repository * 1_000,
    repo: `github.com/measured-organization/service-${repository}`,
    branch: 'main',
    commit: hash,
    model: 'model-3',
    reasoningEffort: 'medium',
    clientVersion: '0.61.0',
    localChanges: false,
    nonRemoteCommits: false,
    applications: 1 + (repository % 6),
    criteria: NAMES.map((id, index) => criterionOf(id, index, repository)),
  };
}

const NAMES: readonly string[] = Array.from(
  { length: CRITERIA },
  (_, index) => `criterion_with_a_usual_name_${String(index).padStart(2, '0')}`,
);

/** The same in both reports, because only criteria that changed have a series for the previous one. */
function criterionOf(id: string, index: number, repository: number): Criterion {
  if ((index + repository) % (CRITERIA / SKIPPED) === 0) return { id, skipped: true };
  const evaluated = 1 + (repository % 6);
  return { id, skipped: false, passed: (index * 7 + repository * 13) % (evaluated + 1), evaluated };
}
