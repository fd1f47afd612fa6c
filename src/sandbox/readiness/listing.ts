import { type Day, firstDay } from '../calendar.ts';
import type { Row } from '../types.ts';
import { evaluationOf, readinessReport } from './report.ts';
import { isNamed, type Repository } from './repositories.ts';
import { createEvaluationCalendar, type Evaluation, evaluationsBefore } from './schedule.ts';

interface ListingQuery {
  readonly repoId: string | undefined;
  /** The report after which to continue. */
  readonly after: Evaluation | undefined;
}

/**
 * Creates the listing of an organization's reports; the newest one before `dropBefore` (milliseconds) has a low score.
 */
export function createReadinessListing(
  orgSeed: number,
  repositories: readonly Repository[],
  dropBefore: number | undefined,
) {
  const calendar = createEvaluationCalendar(repositories);
  // The newest evaluation of a main branch that has earlier ones and does not lose criteria.
  const poor =
    dropBefore === undefined
      ? undefined
      : evaluationsBefore(calendar, dropBefore, firstDay).find(
          ({ aside, number, repository }) => !aside && number > 2 && repository.decay === undefined,
        );

  return {
    /** The report of a `startAfter`; undefined if there is none. */
    find: (id: string) => evaluationOf(id, orgSeed, repositories),
    /** Reports up to an instant, newest first, created one by one. */
    reports({ repoId, after }: ListingQuery, now: number, oldest: Day): IteratorObject<Row> {
      const named = new Set(repositories.filter((one) => repoId === undefined || isNamed(one, repoId)));
      // Everything newer than the cursor's day can be skipped.
      const from = after === undefined ? now : Math.min(now, after.createdAt);
      return evaluationsBefore(calendar, from, oldest)
        .filter((one) => named.has(one.repository) && (after === undefined || isLater(one, after)))
        .map((one) => readinessReport(orgSeed, one, poor !== undefined && isSame(one, poor)));
    },
  };
}

/** Whether an evaluation comes after the cursor in the order of the listing. */
function isLater(one: Evaluation, cursor: Evaluation): boolean {
  if (one.createdAt !== cursor.createdAt) return one.createdAt < cursor.createdAt;
  return one.repository.index > cursor.repository.index;
}

function isSame(one: Evaluation, other: Evaluation): boolean {
  return one.day === other.day && one.repository === other.repository && one.aside === other.aside;
}
