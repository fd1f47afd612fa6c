import { formatDay } from '../calendar.ts';
import type { Row } from '../types.ts';
import type { Call, DateRange, JsonPieces } from './call.ts';

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
export function* reportList(reports: Iterable<Row>): JsonPieces {
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
