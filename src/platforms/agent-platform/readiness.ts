import * as z from 'zod';
import type { DocumentReader, FetchedDocuments } from '../../catalog/collector.ts';
import { isObject } from '../../catalog/object.ts';
import { type Page, type Source, UnexpectedAnswer } from '../../catalog/source.ts';
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
import { createListing } from '../usable-row.ts';
import { API_FIELDS } from './api-fields.ts';

/** Path of the listing on newer platforms, some of which no longer have that of the contract. */
const NEWER_PATH = '/api/organization/agent-readiness-reports';

/** Numbers of reports per page, tried in this order while answers are too large. */
const PAGE_SIZES = [100, 20, 4, 1] as const;

/** Maximum number of criterion results kept of a listing: some 500 MB. */
const MAX_RESULTS = 5_000_000;

/** The fields of what would be missing in a sum over repositories. */
const SOURCES = { applications: 'apps', criteria: 'report' } as const;

const listing = z.object({
  reports: z.array(z.unknown()),
  nextStartAfter: z.string().min(1).optional().catch(undefined),
});

const identified = z.object({ reportId: z.string().min(1) });

export const reader: DocumentReader<ReadinessReport> = { fetchDocuments: fetchReports };

/** Walks the whole listing of reports; starts over with smaller pages if an answer is too large. */
async function fetchReports(source: Source): Promise<FetchedDocuments<ReadinessReport>> {
  let tooLarge: unknown;
  for (const size of PAGE_SIZES) {
    try {
      return await walkReports(source, size);
    } catch (thrown) {
      if (!isObject(thrown) || thrown['tooLarge'] !== true) throw thrown;
      tooLarge = thrown;
    }
  }
  throw tooLarge;
}

/** The API does not specify the order of the listing, so only an empty page is the last. */
async function walkReports(source: Source, pageSize: number): Promise<FetchedDocuments<ReadinessReport>> {
  let left = MAX_RESULTS;
  const { found, add } = createListing(reportElement, SOURCES, ({ criteria }) => {
    left -= 1 + (criteria?.length ?? 0);
    return left >= 0;
  });
  const outcome = await source.pages(
    {
      endpoint: 'readiness',
      host: 'app',
      path: API_FIELDS.readiness.path,
      otherPaths: [NEWER_PATH],
      query: { limit: String(pageSize) },
      cursorParameter: 'startAfter',
      read,
      idOf,
    },
    (items) => {
      source.compare?.(readinessContract, items);
      items.forEach(add);
    },
  );
  const { lost, ...documents } = found;
  // A page whose last report has no identifier ends the walk too, but not the listing.
  const walked = outcome.complete && outcome.end === 'empty';
  const complete = walked && left >= 0 && lost === 0;
  const remarks = [
    ...(walked ? [] : [`incomplete listing of reports (${outcome.end})`]),
    ...(left >= 0
      ? []
      : ['the listing exceeds the maximum number of results; the last reports were ignored']),
  ];
  return { ...documents, complete, remarks };
}

function read(body: unknown): Page {
  const page = listing.safeParse(body);
  if (!page.success) throw new UnexpectedAnswer('an object with an array reports', body);
  const { reports: items, nextStartAfter } = page.data;
  // By the contract, the last report is the cursor; newer platforms name it.
  return { items, next: nextStartAfter ?? idOf(items.at(-1)) };
}

function idOf(item: unknown): string | undefined {
  return identified.safeParse(item).data?.reportId;
}

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

const readinessContract = apiContractOf({
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
