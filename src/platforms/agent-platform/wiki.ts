import * as z from 'zod';
import type { DocumentReader, FetchedDocuments } from '../../catalog/collector.ts';
import type { Source } from '../../catalog/source.ts';
import { partialListing, type WikiRun } from '../../collectors/wiki/dataset.ts';
import { apiContractOf } from '../api-contract.ts';
import { amount, instant, repository, text } from '../fields.ts';
import { createListing } from '../usable-row.ts';
import { API_FIELDS } from './api-fields.ts';

const listings = z.union([
  z.array(z.unknown()),
  z.object({ wikiRuns: z.array(z.unknown()) }).transform(({ wikiRuns }) => wikiRuns),
  z.object({ runs: z.array(z.unknown()) }).transform(({ runs }) => runs),
  z.object({ data: z.array(z.unknown()) }).transform(({ data }) => data),
]);

/** The runs in a body of any known shape; undefined for other shapes. */
function runsOf(body: unknown): readonly unknown[] | undefined {
  return listings.safeParse(body).data;
}

/** A wiki run, reduced to its stored members; without an identifier, repository and time identify it. */
export const runElement = z.compile(
  z
    .object({
      wikiRunId: text,
      id: text,
      repoUrl: repository,
      createdAt: instant,
      completedAt: instant,
      status: text,
      pageCount: amount,
    })
    .transform((raw, context): WikiRun => {
      const at = raw.createdAt ?? raw.completedAt;
      const known = raw.repoUrl === undefined || at === undefined ? undefined : `${raw.repoUrl}@${at}`;
      const id = raw.wikiRunId ?? raw.id ?? known;
      if (id !== undefined) return { id, repo: raw.repoUrl, at, status: raw.status, pages: raw.pageCount };
      context.issues.push({ code: 'custom', message: 'a run without an id', input: raw });
      return z.NEVER;
    }),
);

const contract = apiContractOf({
  schema: runElement,
  whenOf: ({ createdAt, completedAt }) => createdAt ?? completedAt,
  unread: ['commitHash', 'branch', 'privacyLevel', 'modelUsed', 'droidVersion'],
});

/** Maximum number of runs read from a listing. */
const MAX_RUNS = 250_000;

const TOO_MANY = 'the listing exceeds the maximum number of runs; the last runs were ignored';

const UNKNOWN_SHAPE =
  'unknown shape of the wiki listing: neither an array nor an object with wikiRuns, runs or data';

/** The fields of what would be missing in a sum over runs. */
const SOURCES = { status: 'status', pages: 'pageCount' } as const;

export const reader: DocumentReader<WikiRun> = { fetchDocuments: fetchRuns };

/** Fetches the listing of wiki runs. */
async function fetchRuns(source: Source): Promise<FetchedDocuments<WikiRun>> {
  const answer = await source.get({ endpoint: 'wiki', host: 'api', path: API_FIELDS.wiki.path, query: {} });
  const runs = runsOf(answer.body);
  if (runs === undefined) return { documents: [], rejected: 0, complete: false, remarks: [UNKNOWN_SHAPE] };
  source.compare?.(contract, runs);
  const { found, add } = createListing(runElement, SOURCES);
  runs.slice(0, MAX_RUNS).forEach(add);
  const { documents, damaged, rejected } = found;
  const unusable = runs.length - documents.length;
  const fits = runs.length <= MAX_RUNS;
  // An unusable run may be a known one, which must not be deleted.
  const complete = unusable === 0;
  if (!complete) documents.push(partialListing({ usable: new Set(documents.map(idOf)).size, unusable }));
  return { documents, damaged, rejected, complete, remarks: fits ? [] : [TOO_MANY] };
}

function idOf({ id }: WikiRun): string {
  return id;
}
