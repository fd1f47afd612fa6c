import { createHash } from 'node:crypto';
import type { Instant } from '../../src/catalog/day.ts';
import type { Criterion, ReadinessReport } from '../../src/collectors/readiness/dataset.ts';
import { readinessDataset } from '../../src/collectors/readiness/dataset.ts';
import type { History } from '../../src/history/history.ts';

const CRITERIA = 72;
/** Of all criteria in a report, those that do not apply. */
const SKIPPED = 8;
const REPORTS_PER_REPOSITORY = 2;
const DAY_MS = 86_400_000;
/** Three series per criterion that is not skipped, four per status, and six of the repository itself. */
export const SERIES_PER_REPOSITORY = 3 * (CRITERIA - SKIPPED) + 4 + 6;

/** Fills history with the readiness reports of so many repositories: the newest and the one before it. */
export async function putReports(
  history: History,
  org: string,
  repositories: number,
  now: Instant,
): Promise<void> {
  const documents = new Map<string, unknown>();
  for (let nth = 0; nth < repositories * REPORTS_PER_REPOSITORY; nth++) {
    const report = reportOf(nth % repositories, Math.floor(nth / repositories), now);
    documents.set(report.id, report);
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
    criteria: NAMES.map((id, index) => criterionOf(id, index, repository, age)),
  };
}

const NAMES: readonly string[] = Array.from(
  { length: CRITERIA },
  (_, index) => `criterion_with_a_usual_name_${String(index).padStart(2, '0')}`,
);

function criterionOf(id: string, index: number, repository: number, age: number): Criterion {
  if ((index + repository) % (CRITERIA / SKIPPED) === 0) return { id, skipped: true };
  const evaluated = 1 + (repository % 6);
  return { id, skipped: false, passed: (index * 7 + repository * 13 + age) % (evaluated + 1), evaluated };
}
