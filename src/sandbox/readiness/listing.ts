import { type Day, firstDay } from '../calendar.ts';
import { createRecent } from '../lru-cache.ts';
import type { Row } from '../types.ts';
import type { Org } from '../world/org.ts';
import { evaluationOf, readinessReport } from './report.ts';
import { isNamed } from './repositories.ts';
import {
  createEvaluationCalendar,
  type Evaluation,
  type EvaluationCalendar,
  evaluationsBefore,
} from './schedule.ts';

interface ListingQuery {
  readonly repoId: string | undefined;
  readonly limit: number;
  /** The report after which to continue. */
  readonly after: Evaluation | undefined;
}

/** The readiness reports of one organization. */
export interface ReadinessListing {
  /** The report of a `startAfter`; undefined if there is none. */
  find(id: string): Evaluation | undefined;
  /** Reports up to an instant, newest first, created one by one. */
  reports(query: ListingQuery, now: number, oldest: Day): Generator<Row>;
}

/**
 * Creates the listing of an organization's reports; the newest one before `dropBefore` (milliseconds) has a low score.
 */
export function createReadinessListing(org: Org, dropBefore?: number): ReadinessListing {
  const calendar = createEvaluationCalendar(org.repositories);
  const poor = createRecent<Evaluation | undefined>(1);

  function isPoor(evaluation: Evaluation): boolean {
    if (dropBefore === undefined) return false;
    const newest = poor.get('newest', () => newestToCompare(calendar, dropBefore));
    return newest !== undefined && isSame(evaluation, newest);
  }

  return {
    find: (id) => evaluationOf(id, org.seed, org.repositories()),
    *reports(query, now, oldest) {
      const { repoId } = query;
      const named = repoId && new Set(org.repositories().filter((repository) => isNamed(repository, repoId)));
      let given = 0;
      for (const evaluation of evaluations(calendar, query, now, oldest)) {
        if (given === query.limit) return;
        if (named && !named.has(evaluation.repository)) continue;
        yield readinessReport(org.seed, evaluation, isPoor(evaluation));
        given += 1;
      }
    },
  };
}

function* evaluations(
  calendar: EvaluationCalendar,
  { after }: ListingQuery,
  now: number,
  oldest: Day,
): Generator<Evaluation> {
  // Everything newer than the cursor's day can be skipped.
  const from = after === undefined ? now : Math.min(now, after.createdAt);
  for (const evaluation of evaluationsBefore(calendar, from, oldest)) {
    if (after === undefined || isLater(evaluation, after)) yield evaluation;
  }
}

/** The newest evaluation of a main branch that has earlier ones and does not lose criteria. */
function newestToCompare(calendar: EvaluationCalendar, before: number): Evaluation | undefined {
  return evaluationsBefore(calendar, before, firstDay).find(
    ({ aside, number, repository }) => !aside && number > 2 && repository.decay === undefined,
  );
}

/** Whether an evaluation comes after the cursor in the order of the listing. */
function isLater(one: Evaluation, cursor: Evaluation): boolean {
  if (one.createdAt !== cursor.createdAt) return one.createdAt < cursor.createdAt;
  return one.repository.index > cursor.repository.index;
}

function isSame(one: Evaluation, other: Evaluation): boolean {
  return one.day === other.day && one.repository === other.repository && one.aside === other.aside;
}
