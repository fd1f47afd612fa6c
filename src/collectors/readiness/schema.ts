import * as z from 'zod';
import {
  flag,
  isObject,
  isPlainAmount,
  isPlainInstant,
  isPlainText,
  MAX_MEMBERS,
  members,
  requiredAmount,
  requiredInstant,
  requiredRepository,
  requiredText,
  text,
} from '../fields.ts';
import { repositoryOf } from '../repository.ts';
import type { Criterion, ReadinessReport } from './dataset.ts';

const result = z.union([
  z.object({ numerator: z.null() }),
  z
    .object({ numerator: requiredAmount, denominator: requiredAmount })
    .refine(({ numerator, denominator }) => denominator >= 1 && numerator <= denominator),
]);

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

function criterion([id, outcome]: readonly [string, z.infer<typeof result>]): Criterion {
  if (outcome.numerator === null) return { id, skipped: true };
  return { id, skipped: false, passed: outcome.numerator, evaluated: outcome.denominator };
}

function byId(one: Criterion, other: Criterion): number {
  return one.id < other.id ? -1 : 1;
}

/**
 * Reads a well-formed element with the same result as the schema. Hand-written because every run reads the whole listing,
 * of which the schema leaves five times the garbage. Undefined for anything unusual: then the schema decides.
 */
export function plainReport(element: unknown): ReadinessReport | undefined {
  if (!isObject(element)) return undefined;
  const {
    reportId: id,
    createdAt,
    repoUrl,
    branch,
    commitHash: commit,
    droidVersion: clientVersion,
  } = element;
  const { hasLocalChanges: localChanges, hasNonRemoteCommits: nonRemoteCommits, modelUsed = {} } = element;
  if (!isPlainText(id) || !isPlainInstant(createdAt) || typeof repoUrl !== 'string') return undefined;
  if (!isOptionalText(branch) || !isOptionalText(commit) || !isOptionalText(clientVersion)) return undefined;
  if (!isOptionalFlag(localChanges) || !isOptionalFlag(nonRemoteCommits)) return undefined;
  if (!isObject(modelUsed) || !isObject(element['apps']) || !isObject(element['report'])) return undefined;
  const { id: model, reasoningEffort } = modelUsed;
  if (!isOptionalText(model) || !isOptionalText(reasoningEffort)) return undefined;
  const applications = Object.keys(element['apps']).length;
  if (applications > MAX_MEMBERS) return undefined;
  const repo = repositoryOf(repoUrl);
  const criteria = plainCriteria(element['report']);
  if (repo === undefined || criteria === undefined) return undefined;
  return {
    ...{ id, createdAt, repo, branch, commit, model, reasoningEffort, clientVersion },
    ...{ localChanges, nonRemoteCommits, applications, criteria },
  };
}

/** The criteria in their order; undefined if one of them is unusual. */
function plainCriteria(results: Readonly<Record<string, unknown>>): readonly Criterion[] | undefined {
  const names = Object.keys(results);
  if (names.length > MAX_MEMBERS) return undefined;
  const criteria: Criterion[] = [];
  for (const id of names) {
    const result = results[id];
    if (!isPlainText(id) || !isObject(result)) return undefined;
    const { numerator: passed, denominator: evaluated } = result;
    if (passed === null) criteria.push({ id, skipped: true });
    else if (isPlainAmount(passed) && isPlainAmount(evaluated) && evaluated >= 1 && passed <= evaluated)
      criteria.push({ id, skipped: false, passed, evaluated });
    else return undefined;
  }
  return criteria.sort(byId);
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || isPlainText(value);
}

function isOptionalFlag(value: unknown): value is boolean | undefined {
  return value === undefined || typeof value === 'boolean';
}
