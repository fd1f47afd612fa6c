import type { DayCollector, DocumentCollector, FetchedDays, Window } from '../../src/catalog/collector.ts';
import { addDays, type Day, startOf } from '../../src/catalog/day.ts';
import type { Family, Sample } from '../../src/catalog/family.ts';
import type { PeopleSettings, ReadinessSettings } from '../../src/catalog/settings.ts';
import type { ApiRequest, PagedRequest, PagingEnd, Source } from '../../src/catalog/source.ts';
import type { View } from '../../src/catalog/view.ts';
import { DayMemo } from '../../src/pipeline/view.ts';
import { dayNamed } from '../support/day.ts';
import { fetchDays, fetchDocuments } from '../support/readers.ts';

/** The day that the fixtures describe. */
export const DAY = dayNamed('2026-03-10');

interface FakeSource extends Source {
  readonly requests: ApiRequest[];
  /** What was compared with a contract, as it was then. */
  readonly compared: unknown[];
}

interface FakeAnswers {
  /** The answer to a GET; an Error is thrown. */
  readonly get?: (request: ApiRequest) => unknown;
  /** The bodies of a listing's pages, in order. */
  readonly pages?: readonly unknown[];
  readonly end?: PagingEnd;
}

/** Runs the work without yielding. */
export async function inSlices<Result>(work: Generator<unknown, Result>): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** A platform with the given answers; the size of a body is that of its JSON text. */
export function createFakeSource(answers: FakeAnswers): FakeSource {
  const requests: ApiRequest[] = [];
  const compared: unknown[] = [];
  return {
    requests,
    compared,
    compare: (_contract, elements) => void compared.push(...structuredClone(elements)),
    async get(request) {
      requests.push(request);
      const body = answers.get?.(request);
      if (body instanceof Error) throw body;
      const text = JSON.stringify(body ?? null);
      return { body: JSON.parse(text), bytes: text.length };
    },
    async pages(request: PagedRequest, onItems) {
      requests.push(request);
      const pages = answers.pages ?? [];
      for (const body of pages) onItems(request.read(JSON.parse(JSON.stringify(body))).items);
      const end = answers.end ?? 'empty';
      return { end, complete: end === 'empty' || end === 'last', pages: pages.length, bytes: 0 };
    },
    lines: () => Promise.reject(new Error('not used')),
    inSlices,
  };
}

/** An answer of an analytics endpoint. */
export function analytics(...data: unknown[]) {
  return { data, meta: { org_id: 'org_1', start_date: DAY, end_date: DAY } };
}

/** What a collector derives from the rows of one answer for the days around `DAY`. */
export function fetchRows<Row>(
  collector: DayCollector<Row>,
  data: readonly unknown[],
  window: Window = { from: addDays(DAY, -3), to: DAY },
): Promise<FetchedDays<Row>> {
  const source = createFakeSource({
    get: ({ query: { group_by: groupBy } }) => (groupBy === undefined ? analytics(...data) : analytics()),
  });
  return fetchDays(collector, source, window);
}

interface ViewParts {
  readonly rows?: ReadonlyMap<Day, unknown>;
  readonly documents?: readonly unknown[];
  readonly asOf?: number;
  readonly readiness?: Partial<ReadinessSettings>;
  readonly orgId?: string;
  readonly people?: PeopleSettings | undefined;
  readonly datasets?: View['datasets'];
}

/** A view of the test's data; every dataset has the same rows and documents. */
export function createFakeView(parts: ViewParts): View {
  const rows = parts.rows ?? new Map<Day, unknown>();
  const days = [...rows.keys()].sort();
  // A view with other members than this one has figures of its own.
  const memos = new WeakMap<View, DayMemo>();
  return {
    asOf: parts.asOf ?? startOf(addDays(DAY, 1)),
    settings: {
      name: 'acme',
      readiness: {
        branches: [],
        cleanOnly: false,
        levelRule: 'none',
        criterionCounts: true,
        ...parts.readiness,
      },
      people: parts.people,
    },
    orgId: parts.orgId,
    datasets: parts.datasets ?? [],
    newestDay: () => days.at(-1),
    row: <Row>(_: unknown, day: Day) => rows.get(day) as Row | undefined,
    rowsBefore: <Row>(_: unknown, day: Day) =>
      days
        .filter((known) => known < day)
        .reverse()
        .map((known) => rows.get(known) as Row),
    rowsAfter: <Row>(_: unknown, day: Day) =>
      days.filter((known) => known > day).map((known) => rows.get(known) as Row),
    documents: <Document>() => (parts.documents ?? []) as readonly Document[],
    once(make) {
      return make(this);
    },
    ofDay(make, day) {
      const memo = memos.get(this) ?? new DayMemo();
      memos.set(this, memo);
      return memo.of(make, day, () => make(this, day));
    },
    uncoveredDays: () => 4,
  };
}

/** A family's samples as lines `{label="value"} 1`; undefined if the figure is absent. */
export function linesOf(family: Family, view: View): readonly string[] | undefined {
  const samples = family.scope === 'day' ? family.samplesOf(view, DAY) : family.samplesOf(view);
  return samples && [...samples].map(lineOf);
}

/** All samples of a collector's families, as lines under the name after `agent_platform_`. */
export function expositionOf(families: readonly Family[], view: View): readonly string[] {
  return families.flatMap((family) =>
    (linesOf(family, view) ?? []).map((line) => `${family.name.replace('agent_platform_', '')}${line}`),
  );
}

function lineOf({ labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(([name, text]) => `${name}=${JSON.stringify(text)}`);
  return pairs.length === 0 ? ` ${value}` : `{${pairs.join(',')}} ${value}`;
}

/** The result of an answer: the samples of `DAY` after fetching these rows. */
export async function exposedDay<Row>(
  collector: DayCollector<Row>,
  ...data: unknown[]
): Promise<readonly string[]> {
  const { rows } = await fetchRows(collector, data);
  return expositionOf(collector.families, createFakeView({ rows: stored(rows) }));
}

/** The result of a listing. */
export async function exposedDocuments<Document>(
  collector: DocumentCollector<Document>,
  source: Source,
  view: Omit<ViewParts, 'documents'> = {},
): Promise<readonly string[]> {
  const { documents } = await fetchDocuments(collector, source);
  return expositionOf(
    collector.families,
    createFakeView({ ...view, documents: JSON.parse(JSON.stringify(documents)) }),
  );
}

/** Rows after a round trip through a store of JSON. */
export function stored<Row>(rows: ReadonlyMap<Day, Row>): ReadonlyMap<Day, Row> {
  return new Map([...rows].map(([day, row]) => [day, JSON.parse(JSON.stringify(row))]));
}
