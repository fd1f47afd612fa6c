import * as z from 'zod';
import type { FetchedDocuments } from '../../catalog/collector.ts';
import { type Page, type Source, UnexpectedAnswer } from '../../catalog/source.ts';
import { requiredText } from '../fields.ts';
import { salvage } from '../salvage.ts';
import type { ReadinessReport } from './dataset.ts';
import { reportElement } from './schema.ts';

export const READINESS_PATH = '/api/organization/maturity-level-reports';
const PAGE_SIZE = '100';

const listing = z.object({ reports: z.array(z.unknown()) });
const identified = z.object({ reportId: requiredText });

/** Walks the whole listing of reports; its order is promised nowhere, so that no page can be the last but an empty one. */
export async function fetchReports(source: Source): Promise<FetchedDocuments<ReadinessReport>> {
  const documents: ReadinessReport[] = [];
  let rejected = 0;
  const outcome = await source.pages(
    {
      endpoint: 'readiness',
      host: 'app',
      path: READINESS_PATH,
      query: { limit: PAGE_SIZE },
      cursorParameter: 'startAfter',
      read,
      idOf,
    },
    (items) => {
      for (const item of items) {
        const salvaged = salvage(reportElement, item);
        rejected += salvaged.rejected;
        if (salvaged.row !== undefined) documents.push(salvaged.row);
      }
    },
  );
  // A page whose last report has no identifier ends the walk too, but not the listing.
  return { documents, rejected, complete: outcome.complete && outcome.end === 'empty', remarks: [] };
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
