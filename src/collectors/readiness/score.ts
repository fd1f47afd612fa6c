import { DEVIATION_SCALE, medianOf } from '../statistics.ts';
import type { Criterion, EvaluatedCriterion, ReadinessReport } from './dataset.ts';

type CriterionStatus = 'passed' | 'partial' | 'failed' | 'skipped';

/** Tolerance for rounding: a mean at the lower edge of a band may be this far below it. */
const ROUNDING = 1e-9;

/** The criteria that were evaluated, with a usable result. */
function evaluatedOf(report: ReadinessReport | undefined): readonly EvaluatedCriterion[] {
  return report?.criteria?.filter((criterion) => criterion.skipped === false) ?? [];
}

/** Whether a result of a report was unusable, so that what depends on all of them is unknown. */
function isPartial({ criteria }: ReadinessReport): boolean {
  return criteria === null || criteria?.some(({ skipped }) => skipped === null) === true;
}

/** The mean of passed/evaluated over the criteria not skipped, 0 to 1; undefined if all were skipped or one is unusable. */
export function scoreOf(report: ReadinessReport | undefined): number | undefined {
  const criteria = evaluatedOf(report);
  if (criteria.length === 0 || report === undefined || isPartial(report)) return undefined;
  return criteria.reduce((sum, criterion) => sum + ratioOf(criterion), 0) / criteria.length;
}

/** The maximum and minimum number of differences between earlier reports from which the noise is estimated. */
const MAX_DIFFERENCES = 10;
const MIN_DIFFERENCES = 3;
/** The least noise to assume; also used with too few differences. */
const MIN_NOISE = 0.02;
const UNKNOWN_NOISE = 0.1;

/**
 * The score below which a report counts as a regression: it falls by more than the noise of the earlier scores (newest first)
 * explains. Undefined without a previous score.
 */
export function lowerBound(
  previous: ReadinessReport | undefined,
  earlier: readonly ReadinessReport[],
): number | undefined {
  const score = scoreOf(previous);
  return score === undefined ? undefined : Math.max(0, score - noiseOf(earlier));
}

function noiseOf(earlier: readonly ReadinessReport[]): number {
  const scores: number[] = [];
  for (const report of earlier) {
    const score = scoreOf(report);
    if (score !== undefined) scores.push(score);
    if (scores.length > MAX_DIFFERENCES) break;
  }
  const differences = scores.slice(1).map((score, index) => Math.abs(score - (scores[index] ?? score)));
  if (differences.length < MIN_DIFFERENCES) return UNKNOWN_NOISE;
  return Math.max(MIN_NOISE, 3 * DEVIATION_SCALE * medianOf(differences));
}

/** The level of a score in bands of 20 %: 1 below 20 %, 5 from 80 %. */
export function bandOf(score: number): number {
  return Math.min(5, Math.floor(score * 5 + ROUNDING) + 1);
}

/** The share of the evaluated applications that pass, 0 to 1. */
export function ratioOf({ passed, evaluated }: EvaluatedCriterion): number {
  return passed / evaluated;
}

/** Number of criteria by status, each null if a result is unusable; undefined if the report has no results. */
export function statusesOf(
  report: ReadinessReport,
): Readonly<Record<CriterionStatus, number | null>> | undefined {
  const { criteria } = report;
  if (criteria === undefined) return undefined;
  const statuses = { passed: 0, partial: 0, failed: 0, skipped: 0 };
  for (const criterion of criteria ?? []) {
    if (criterion.skipped !== null) statuses[statusOf(criterion)] += 1;
  }
  // An unusable result could be of any status.
  return isPartial(report) ? { passed: null, partial: null, failed: null, skipped: null } : statuses;
}

/** A criterion that was evaluated in two reports with different ratios. */
interface Change {
  readonly id: string;
  readonly now: number;
  readonly before: number;
}

/** The criteria that were evaluated in both reports, and whose ratios differ. */
export function changedBetween(
  newer: ReadinessReport,
  older: ReadinessReport | undefined,
): readonly Change[] {
  const former = new Map(evaluatedOf(older).map((criterion) => [criterion.id, ratioOf(criterion)]));
  return evaluatedOf(newer).flatMap((criterion) => {
    const [now, before] = [ratioOf(criterion), former.get(criterion.id)];
    return before === undefined || before === now ? [] : [{ id: criterion.id, now, before }];
  });
}

/**
 * Number of criteria that were evaluated in both reports and score lower in the newer one; null if a result is unusable,
 * undefined without results of both.
 */
export function regressedBetween(newer: ReadinessReport, older: ReadinessReport): number | null | undefined {
  if (newer.criteria === undefined || older.criteria === undefined) return undefined;
  if (isPartial(newer) || isPartial(older)) return null;
  return changedBetween(newer, older).filter(({ now, before }) => now < before).length;
}

function statusOf(criterion: Criterion): CriterionStatus {
  if (criterion.skipped !== false) return 'skipped';
  if (criterion.passed === criterion.evaluated) return 'passed';
  return criterion.passed === 0 ? 'failed' : 'partial';
}
