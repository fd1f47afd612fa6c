import { wikiBody, wikiRuns, wikiShape } from '../readiness/wiki-runs.ts';
import type { Row } from '../types.ts';
import { prepared, reportList } from './body-chunks.ts';
import { badRequest, type Call, type JsonPieces, type Refusal } from './call.ts';

/** Answers the readiness listing, newest first; without a limit it lists everything. */
export function answerReadiness({ tenant, query, faults, now, oldest }: Call): JsonPieces | Refusal {
  const limitText = query.get('limit');
  if (limitText !== null && !/^0*[1-9]\d{0,8}$/.test(limitText))
    return badRequest('limit must be a positive integer');
  const asked = limitText === null ? Number.POSITIVE_INFINITY : Number(limitText);
  const startAfter = query.get('startAfter') || undefined;
  const isEndless = faults.strikes('endless-pages') !== undefined;
  const page = isEndless ? Number(startAfter?.split('~')[1] ?? 0) + 1 : 0;
  const after = startAfter === undefined || isEndless ? undefined : tenant.readiness.find(startAfter);
  if (startAfter !== undefined && after === undefined && !isEndless)
    return badRequest('startAfter is not the id of a report');
  const listing = {
    repoId: query.get('repoId') || undefined,
    limit:
      faults.strikes('ignore-limit') === undefined
        ? Math.min(asked, Number(faults.strikes('limit-cap')?.detail ?? asked))
        : Number.POSITIVE_INFINITY,
    after: faults.strikes('ignore-start-after') === undefined ? after : undefined,
    oldestFirst: faults.strikes('oldest-first') !== undefined,
    manySkipped: faults.strikes('null-numerators') !== undefined,
  };
  const reports = tenant.readiness.reports(listing, now, oldest);
  return reportList(isEndless ? renamed(reports, page) : reports, faults);
}

/** The same reports on every page, with new identifiers each time. */
function* renamed(reports: Iterable<Row>, page: number): Generator<Row> {
  for (const report of reports) yield { ...report, reportId: `${String(report['reportId'])}~${page}` };
}

/** Answers the wiki listing, which takes no parameters. */
export function answerWiki({ tenant, faults, now, oldest }: Call): JsonPieces {
  const shape = wikiShape(faults.strikes('wiki-shape')?.detail);
  const runs = prepared(wikiRuns(tenant.org, now, oldest, shape), faults);
  return [JSON.stringify(wikiBody(runs, shape))];
}
