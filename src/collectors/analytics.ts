import * as z from 'zod';
import type { FetchedDays, Window } from '../catalog/collector.ts';
import { type DatasetName, type Reduced, type RowParts, withRejected } from '../catalog/dataset.ts';
import type { Day } from '../catalog/day.ts';
import { type Source, UnexpectedAnswer } from '../catalog/source.ts';
import { requiredText } from './fields.ts';
import { salvage } from './salvage.ts';

/** What is kept of one element of an answer's `data`, and the day that it is about. */
export interface Dated<Row> {
  readonly date: Day;
  readonly row: Row;
  /** The element's unusable members, each as often as it had faults. */
  readonly faults?: readonly string[];
}

export interface AnalyticsRequest {
  readonly dataset: DatasetName;
  readonly window: Window;
  readonly groupBy?: string;
}

export interface AnalyticsAnswer<Row> {
  /** In the answer's order; a day may come more than once. */
  readonly rows: readonly Dated<Row>[];
  readonly rejected: number;
  /** Whole elements among the rejected ones: the answer is not known to hold every day that there is. */
  readonly lost: number;
  readonly orgId: string | undefined;
  readonly bytes: number;
}

const DOUBLED = 'several rows came for one day, and none of them says that it is the newer one';

const envelope = z.object({ data: z.array(z.unknown()), meta: z.unknown().optional() });
const meta = z.object({ org_id: requiredText });

/** Asks an analytics endpoint for a window; elements that are unusable or of other days are counted as rejected. */
export async function askAnalytics<Row>(
  source: Source,
  { dataset, window, groupBy }: AnalyticsRequest,
  schema: z.ZodType<Dated<Row>>,
): Promise<AnalyticsAnswer<Row>> {
  const { body, bytes } = await source.get({
    endpoint: dataset,
    host: 'api',
    path: `/api/v1/analytics/${dataset}`,
    query: {
      startDate: window.from,
      endDate: window.to,
      ...(groupBy === undefined ? {} : { group_by: groupBy }),
    },
  });
  const answer = envelope.safeParse(body);
  if (!answer.success) throw new UnexpectedAnswer('an object with an array data', body);
  const rows: Dated<Row>[] = [];
  let rejected = 0;
  let lost = 0;
  for (const element of answer.data.data) {
    const salvaged = salvage(schema, element);
    rejected += salvaged.rejected;
    if (salvaged.row === undefined) {
      lost += 1;
      continue;
    }
    if (salvaged.row.date >= window.from && salvaged.row.date <= window.to) {
      rows.push({ ...salvaged.row, faults: salvaged.members });
      continue;
    }
    // Who answers for other days than the ones asked for has perhaps left some of these out.
    rejected += 1;
    lost += 1;
  }
  return { rows, rejected, lost, orgId: meta.safeParse(answer.data.meta).data?.org_id, bytes };
}

/**
 * Gives each day its row, which says which of its parts were not usable. Of several rows for one day none is known to
 * be the right one: all of them are rejected.
 */
export function byDay<Row extends Reduced>(
  answer: AnalyticsAnswer<Row>,
  parts: RowParts = {},
): FetchedDays<Row> {
  const rows = new Map<Day, Row>();
  let doubled = 0;
  for (const [day, ofDay] of Map.groupBy(answer.rows, ({ date }) => date)) {
    const [only, another] = ofDay;
    if (only !== undefined && another === undefined)
      rows.set(day, withRejected(only.row, only.faults ?? [], parts));
    else doubled += ofDay.length;
  }
  return {
    rows,
    rejected: answer.rejected + doubled,
    lost: answer.lost + doubled,
    orgId: answer.orgId,
    bytes: answer.bytes,
    remarks: doubled === 0 ? [] : [DOUBLED],
  };
}
