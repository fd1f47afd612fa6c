import type { Criterion, EvaluatedCriterion, ReadinessReport } from './dataset.ts';

export type CriterionStatus = 'passed' | 'partial' | 'failed' | 'skipped';

/** By rounding, a mean at the edge of a band may be this far below it. */
const ROUNDING = 1e-9;

/** The criteria that were not skipped. */
export function evaluatedOf(report: ReadinessReport | undefined): readonly EvaluatedCriterion[] {
  return report?.criteria?.filter((criterion) => !criterion.skipped) ?? [];
}

/** The mean of passed/evaluated over the criteria not skipped, 0 to 1; undefined if all were skipped. */
export function scoreOf(report: ReadinessReport | undefined): number | undefined {
  const criteria = evaluatedOf(report);
  if (criteria.length === 0) return undefined;
  return criteria.reduce((sum, criterion) => sum + ratioOf(criterion), 0) / criteria.length;
}

/** The level of a score in bands of 20 %: 1 below 20 %, 5 from 80 %. */
export function bandOf(score: number): number {
  return Math.min(5, Math.floor(score * 5 + ROUNDING) + 1);
}

/** The share of the evaluated applications that pass, 0 to 1. */
export function ratioOf({ passed, evaluated }: EvaluatedCriterion): number {
  return passed / evaluated;
}

/** Number of criteria by status; undefined if the report has no results. */
export function statusesOf(report: ReadinessReport): Readonly<Record<CriterionStatus, number>> | undefined {
  if (report.criteria === undefined) return undefined;
  const statuses = { passed: 0, partial: 0, failed: 0, skipped: 0 };
  for (const criterion of report.criteria) statuses[statusOf(criterion)] += 1;
  return statuses;
}

/** Number of criteria that were evaluated in both reports and score lower in the newer one. */
export function regressedBetween(newer: ReadinessReport, older: ReadinessReport): number {
  const before = new Map(evaluatedOf(older).map((criterion) => [criterion.id, ratioOf(criterion)]));
  return evaluatedOf(newer).filter((criterion) => ratioOf(criterion) < (before.get(criterion.id) ?? 0))
    .length;
}

function statusOf(criterion: Criterion): CriterionStatus {
  if (criterion.skipped) return 'skipped';
  if (criterion.passed === criterion.evaluated) return 'passed';
  return criterion.passed === 0 ? 'failed' : 'partial';
}
