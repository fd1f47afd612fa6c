import { formatDay } from '../calendar.ts';
import { damaged, misdated } from '../faults/damage.ts';
import { bloated } from '../faults/hostile.ts';
import type { RequestFaults } from '../faults/injector.ts';
import type { Row } from '../types.ts';
import type { Call, DateRange, JsonPieces } from './call.ts';

/** The analytics envelope, one chunk per batch of rows. */
export function* envelope(
  batches: Iterable<readonly Row[]>,
  call: Call,
  { start, end }: DateRange,
  more: Row = {},
): JsonPieces {
  const meta = {
    org_id: call.tenant.org.orgId,
    start_date: formatDay(start),
    end_date: formatDay(end),
    ...more,
  };
  yield '{"data":[';
  let separator = '';
  for (const batch of batches) {
    const texts = prepared(batch, call.faults).map((row) => JSON.stringify(row));
    if (texts.length === 0) continue;
    yield separator + texts.join(',');
    separator = ',';
  }
  yield `],"meta":${JSON.stringify(meta)}}`;
}

/** The readiness listing, one chunk per report. */
export function* reportList(reports: Iterable<Row>, faults: RequestFaults): JsonPieces {
  let last: unknown = null;
  yield '{"reports":[';
  let first = true;
  for (const report of reports) {
    const [row] = first ? prepared([report], faults) : [damaged(report, faults)];
    yield (first ? '' : ',') + JSON.stringify(row);
    first = false;
    last = report['reportId'];
  }
  yield faults.strikes('moved') === undefined ? ']}' : `],"nextStartAfter":${JSON.stringify(last)}}`;
}

/** Applies faults to rows: damages some and inflates the first. */
export function prepared(rows: readonly Row[], faults: RequestFaults): unknown[] {
  const oversize = faults.strikes('oversize');
  const dated = rows.flatMap((row) => misdated(row, faults));
  return dated.map((row, index) => {
    const sent = bloated(damaged(row, faults), faults);
    if (oversize === undefined || index > 0 || typeof sent !== 'object') return sent;
    return { ...sent, padding: 'x'.repeat(Number(oversize.detail)) };
  });
}
