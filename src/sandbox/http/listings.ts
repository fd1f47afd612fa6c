import { formatDay } from '../calendar.ts';
import { wikiRuns } from '../readiness/wiki-runs.ts';
import type { Row } from '../types.ts';
import { badRequest, type Call, type DateRange, type JsonPieces, type Refusal } from './call.ts';

/** The analytics envelope, one piece per batch of rows. */
export function* envelope(
  batches: Iterable<readonly Row[]>,
  { org }: Call,
  { start, end }: DateRange,
  more: Row = {},
): JsonPieces {
  const meta = {
    org_id: org.orgId,
    start_date: formatDay(start),
    end_date: formatDay(end),
    ...more,
  };
  yield '{"data":[';
  yield* separated(batches);
  yield `],"meta":${JSON.stringify(meta)}}`;
}

/** The readiness listing, one piece per report. */
function* reportList(reports: Iterable<Row>): JsonPieces {
  yield '{"reports":[';
  yield* separated(Iterator.from(reports).map((report) => [report]));
  yield ']}';
}

function* separated(batches: Iterable<readonly Row[]>): JsonPieces {
  let separator = '';
  for (const batch of batches) {
    if (batch.length === 0) continue;
    yield separator + batch.map((row) => JSON.stringify(row)).join(',');
    separator = ',';
  }
}

/** Answers the readiness listing, newest first; without a limit it lists everything. */
export function answerReadiness({ org, query, now, oldest }: Call): JsonPieces | Refusal {
  const limit = query.get('limit');
  if (limit !== null && !/^0*[1-9]\d{0,8}$/.test(limit))
    return badRequest('limit must be a positive integer');
  const startAfter = query.get('startAfter') || undefined;
  const after = startAfter === undefined ? undefined : org.readiness.find(startAfter);
  if (startAfter !== undefined && after === undefined)
    return badRequest('startAfter is not the id of a report');
  const repoId = query.get('repoId') || undefined;
  const reports = org.readiness.reports({ repoId, after }, now, oldest);
  return reportList(limit === null ? reports : reports.take(Number(limit)));
}

/** Answers the wiki listing, which takes no parameters. */
export function answerWiki({ org, now, oldest }: Call): JsonPieces {
  return [JSON.stringify({ wikiRuns: wikiRuns(org.repositories, now, oldest) })];
}
