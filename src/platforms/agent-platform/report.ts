import * as z from 'zod';
import type { Criterion, ReadinessReport } from '../../collectors/readiness/dataset.ts';
import { apiContractOf } from '../api-contract.ts';
import {
  flag,
  members,
  rejected,
  requiredAmount,
  requiredInstant,
  requiredRepository,
  requiredText,
  text,
} from '../fields.ts';

const evaluated = z
  .object({ numerator: requiredAmount, denominator: requiredAmount })
  .refine(({ numerator, denominator }) => denominator >= 1 && numerator <= denominator);

const result = z.union([rejected, z.object({ numerator: z.null() }), evaluated]);

const modelUsed = z.preprocess(
  (value) => (typeof value === 'string' ? { id: value } : (value ?? undefined)),
  z.object({ id: text, reasoningEffort: text }).optional(),
);

/** An element of the response, reduced to its stored members. */
export const reportElement = z.compile(
  z
    .object({
      reportId: requiredText,
      createdAt: requiredInstant,
      repoUrl: requiredRepository,
      apps: members(z.unknown()),
      report: members(result),
      commitHash: text,
      branch: text,
      hasLocalChanges: flag,
      hasNonRemoteCommits: flag,
      modelUsed,
      droidVersion: text,
    })
    .transform(
      (raw): ReadinessReport => ({
        id: raw.reportId,
        createdAt: raw.createdAt,
        repo: raw.repoUrl,
        branch: raw.branch,
        commit: raw.commitHash,
        model: raw.modelUsed?.id,
        reasoningEffort: raw.modelUsed?.reasoningEffort,
        clientVersion: raw.droidVersion,
        localChanges: raw.hasLocalChanges,
        nonRemoteCommits: raw.hasNonRemoteCommits,
        applications: raw.apps?.length,
        criteria: raw.report?.map(criterion).sort(byId),
      }),
    ),
);

export const readinessContract = apiContractOf({
  schema: reportElement,
  whenOf: ({ createdAt }) => createdAt,
  records: { report: z.record(z.string(), evaluated) },
  unread: ['report.rationale'],
  values: {
    'modelUsed.reasoningEffort': [
      'low',
      'medium',
      'high',
      'off',
      'none',
      'dynamic',
      'minimal',
      'xhigh',
      'max',
    ],
  },
});

function criterion([id, outcome]: readonly [string, z.infer<typeof result>]): Criterion {
  if (outcome === null) return { id, skipped: null };
  if (outcome.numerator === null) return { id, skipped: true };
  return { id, skipped: false, passed: outcome.numerator, evaluated: outcome.denominator };
}

function byId(one: Criterion, other: Criterion): number {
  return one.id < other.id ? -1 : 1;
}
