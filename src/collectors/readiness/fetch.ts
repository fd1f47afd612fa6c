import * as z from 'zod';
import type { FetchedDocuments } from '../../catalog/collector.ts';
import { type Page, type Source, UnexpectedAnswer } from '../../catalog/source.ts';
import {
  flag,
  members,
  requiredAmount,
  requiredInstant,
  requiredRepository,
  requiredText,
  text,
} from '../fields.ts';
import { salvage } from '../usable-row.ts';
import { type Criterion, READINESS_PATH, type ReadinessReport } from './dataset.ts';

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

/** An element of `reports`, reduced to its stored members. */
export const reportElement = z
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
      criteria: raw.report?.map(criterion).sort((one, other) => (one.id < other.id ? -1 : 1)),
    }),
  );

function criterion([id, outcome]: readonly [string, z.infer<typeof result>]): Criterion {
  if (outcome.numerator === null) return { id, skipped: true };
  return { id, skipped: false, passed: outcome.numerator, evaluated: outcome.denominator };
}

/** Numbers of reports per page, tried in this order while answers are too large. */
const PAGE_SIZES = [100, 20, 4, 1] as const;

/** Maximum number of criterion results kept of a listing: some 500 MB. */
const MAX_RESULTS = 5_000_000;

const listing = z.object({ reports: z.array(z.unknown()) });

const identified = z.object({ reportId: z.string().min(1) });

/** Walks the whole listing of reports; starts over with smaller pages if an answer is too large. */
export async function fetchReports(source: Source): Promise<FetchedDocuments<ReadinessReport>> {
  let tooLarge: unknown;
  for (const size of PAGE_SIZES) {
    try {
      return await walkReports(source, size);
    } catch (thrown) {
      if (!isTooLarge(thrown)) throw thrown;
      tooLarge = thrown;
    }
  }
  throw tooLarge;
}

/** The API does not specify the order of the listing, so only an empty page is the last. */
async function walkReports(source: Source, pageSize: number): Promise<FetchedDocuments<ReadinessReport>> {
  const documents: ReadinessReport[] = [];
  const damaged: ReadinessReport[] = [];
  let rejected = 0;
  let lost = 0;
  let left = MAX_RESULTS;
  const outcome = await source.pages(
    {
      endpoint: 'readiness',
      host: 'app',
      path: READINESS_PATH,
      query: { limit: String(pageSize) },
      cursorParameter: 'startAfter',
      read,
      idOf,
    },
    (items) => {
      for (const item of items) {
        const salvaged = salvage(reportElement, item);
        rejected += salvaged.rejected;
        if (salvaged.row === undefined) {
          lost += 1;
          continue;
        }
        left -= 1 + (salvaged.row.criteria?.length ?? 0);
        if (left < 0) {
          rejected += 1;
          continue;
        }
        documents.push(salvaged.row);
        if (salvaged.rejected > 0) damaged.push(salvaged.row);
      }
    },
  );
  // A page whose last report has no identifier ends the walk too, but not the listing.
  const walked = outcome.complete && outcome.end === 'empty';
  const complete = walked && left >= 0 && lost === 0;
  const remarks = [
    ...(walked ? [] : [`incomplete listing of reports (${outcome.end})`]),
    ...(left >= 0
      ? []
      : ['the listing exceeds the maximum number of results; the last reports were ignored']),
  ];
  return { documents, damaged, rejected, complete, remarks };
}

function isTooLarge(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'tooLarge' in thrown && thrown.tooLarge === true;
}

function read(body: unknown): Page {
  const page = listing.safeParse(body);
  if (!page.success) throw new UnexpectedAnswer('an object with an array reports', body);
  const items = page.data.reports;
  return { items, next: idOf(items.at(-1)) };
}

function idOf(item: unknown): string | undefined {
  return identified.safeParse(item).data?.reportId;
}
