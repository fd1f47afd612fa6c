import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { ApiContract } from '../../catalog/api-contract.ts';
import type { DayReader, FetchedDays, Window } from '../../catalog/collector.ts';
import {
  type DatasetName,
  type DayDataset,
  type Reduced,
  withMember,
  withRejected,
} from '../../catalog/dataset.ts';
import type { Day } from '../../catalog/day.ts';
import { type Source, UnexpectedAnswer } from '../../catalog/source.ts';
import { type ApiContractParts, apiContractOf } from '../api-contract.ts';
import { amount, day, requiredText } from '../fields.ts';
import { salvage } from '../usable-row.ts';
import { API_FIELDS } from './api-fields.ts';

/** The reduced row of one element of `data`, and its day. */
export interface Dated<Row> {
  readonly date: Day;
  readonly row: Row;
  /** The name of the unusable field of each fault. */
  readonly faults?: readonly string[];
}

interface AnalyticsRequest {
  readonly dataset: DatasetName;
  readonly window: Window;
  readonly groupBy?: string;
  /** What the elements are known to contain; rows of groups have other fields than those of days. */
  readonly contract?: ApiContract;
}

export interface AnalyticsAnswer<Row> {
  /** In the order of the response; a day can occur more than once. */
  readonly rows: readonly Dated<Row>[];
  readonly rejected: number;
  /** Elements rejected as a whole; with any, the response may lack days. */
  readonly lost: number;
  readonly orgId: string | undefined;
  readonly bytes: number;
}

const DOUBLED = 'several different rows for one day; all of them were rejected';

const envelope = z.object({ data: z.array(z.unknown()), meta: z.unknown().optional() });
const meta = z.object({ org_id: requiredText });

/** The schemas of members of a row; those with several values need one. */
type Schemas<Row> = { readonly [Name in keyof Row]?: z.ZodType<Row[Name]> } & {
  readonly [Name in keyof Row as NonNullable<Row[Name]> extends readonly unknown[] ? Name : never]-?: unknown;
};

/**
 * The schema of an element of `data` whose fields are members of a row, nested ones as dotted paths; a member without a
 * schema is an amount.
 */
export function elementOf<Row extends object>(
  fields: readonly (readonly [member: string, field: string])[],
  schemas: Schemas<Row>,
) {
  const known = new Map<string, z.ZodType>(Object.entries(schemas));
  const shape = Object.fromEntries(fields.map(([member, field]) => [field, known.get(member) ?? amount]));
  return z.compile(
    z.object({ date: day, ...shape }).transform((raw): Dated<Row> => {
      let row: Readonly<Record<string, unknown>> = {};
      for (const [member, field] of fields) row = withMember(row, member, Reflect.get(raw, field));
      return { date: raw.date, row: row as Row };
    }),
  );
}

/** How the ungrouped answers about a dataset are read. */
export function readerOf<Row extends Reduced>(
  dataset: DayDataset<Row>,
  schemas: Schemas<Row>,
  known: Pick<ApiContractParts, 'unread' | 'values'> = {},
): DayReader<Row> & { readonly dayRow: z.ZodType<Dated<Row>> } {
  const { name, beyondDay = [] } = dataset;
  const places = placesOf(dataset);
  const fields = places.map(({ member, field }) => [member, field] as const);
  const partOf = new Map(places.map(({ field, part }) => [field, part]));
  const dayRow = elementOf<Row>(fields, schemas);
  const contract = apiContractOf({
    ...known,
    schema: dayRow,
    whenOf: dateOf,
    beyondDay: fields.flatMap(([member, field]) => (beyondDay.includes(member) ? field : [])),
  });
  return {
    dayRow,
    fetchDays: async (source, window) =>
      byDay(await askAnalytics(source, { dataset: name, window, contract }, dayRow), partOf),
  };
}

/** The field and the part of each member of a row that is read. */
function placesOf<Row>({ name, parts = {} }: DayDataset<Row>) {
  const fields = new Map<string, string>(Object.entries(API_FIELDS[name].members));
  return Object.entries(parts).flatMap(([part, { members }]) =>
    members.flatMap((member) => {
      const [field] = fields.get(member)?.split('[') ?? [];
      return field === undefined ? [] : [{ member, field, part }];
    }),
  );
}

/** When an element is from. */
export function dateOf({ date }: Readonly<Record<string, unknown>>): unknown {
  return date;
}

/** The elements of an answer, its meta data, and the platform's identifier of the organization, where it is given. */
export function contentOf(body: unknown) {
  const { success, data: content } = envelope.safeParse(body);
  if (!success) throw new UnexpectedAnswer('an object with an array data', body);
  return { ...content, orgId: meta.safeParse(content.meta).data?.org_id };
}

/** Fetches a window of an analytics endpoint; unusable elements and those of other days count as rejected. */
export async function askAnalytics<Row>(
  source: Source,
  { dataset, window, groupBy, contract }: AnalyticsRequest,
  schema: z.ZodType<Dated<Row>>,
): Promise<AnalyticsAnswer<Row>> {
  const answer = await source.get({
    endpoint: dataset,
    host: 'api',
    path: API_FIELDS[dataset].path,
    query: {
      startDate: window.from,
      endDate: window.to,
      ...(groupBy === undefined ? {} : { group_by: groupBy }),
    },
  });
  const { data, orgId } = contentOf(answer.body);
  if (contract !== undefined) source.compare?.(contract, data);
  const rows: Dated<Row>[] = [];
  let rejected = 0;
  let lost = 0;
  for (const element of data) {
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
    // A response with other days than requested may lack some of the requested ones.
    rejected += 1;
    lost += 1;
  }
  return { rows, rejected, lost, orgId, bytes: answer.bytes };
}

/**
 * Maps each day to its row, with the number of unusable fields by part. Several different rows for one day are all rejected,
 * because none is known to be the right one; identical ones are one row.
 */
function byDay<Row extends Reduced>(
  answer: AnalyticsAnswer<Row>,
  partOf: ReadonlyMap<string, string>,
): FetchedDays<Row> {
  const rows = new Map<Day, Row>();
  let doubled = 0;
  for (const [day, ofDay] of Map.groupBy(answer.rows, ({ date }) => date)) {
    const [first] = ofDay;
    if (first !== undefined && ofDay.every((row) => isDeepStrictEqual(row, first)))
      rows.set(
        day,
        withRejected(
          first.row,
          (first.faults ?? []).flatMap((field) => partOf.get(field) ?? []),
        ),
      );
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
