import type { DocumentDataset } from '../../catalog/dataset.ts';
import type { Instant } from '../../catalog/day.ts';

/** A criterion without a result: it did not apply, or null if its result was unusable. */
interface UnevaluatedCriterion {
  readonly id: string;
  readonly skipped: true | null;
}

/** A criterion's result over `evaluated` (at least 1) applications, of which `passed` pass it. */
export interface EvaluatedCriterion {
  readonly id: string;
  readonly skipped: false;
  readonly passed: number;
  readonly evaluated: number;
}

export type Criterion = UnevaluatedCriterion | EvaluatedCriterion;

/** The stored part of a readiness report: never a rationale or a description of an application. */
export interface ReadinessReport {
  readonly id: string;
  readonly createdAt: Instant;
  /** Host and path only. */
  readonly repo: string;
  readonly branch?: string | undefined;
  readonly commit?: string | undefined;
  readonly model?: string | undefined;
  readonly reasoningEffort?: string | undefined;
  readonly clientVersion?: string | undefined;
  readonly localChanges?: boolean | undefined;
  readonly nonRemoteCommits?: boolean | undefined;
  /** Null if the applications were unusable. */
  readonly applications?: number | null | undefined;
  /** Each criterion once, by its name; missing if the report has no results, null if they were unusable as a whole. */
  readonly criteria?: readonly Criterion[] | null | undefined;
}

export const readinessDataset: DocumentDataset<ReadinessReport> = {
  kind: 'documents',
  name: 'readiness',
  idOf: ({ id }) => id,
  existsFrom: ({ createdAt }) => createdAt,
  // Version 2 omitted unusable criteria, so that the rest of a report looked complete.
  schemaVersion: 3,
};
