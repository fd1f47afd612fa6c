import { textSeed } from '../../../src/sandbox/random.ts';
import type { Answer, ApiRequest, Endpoint, Row } from '../../../src/sandbox/types.ts';
import { bloated } from './bloat.ts';
import { damaged, misdated, worsened } from './damage.ts';
import type { Faults } from './faults.ts';
import type { Damage } from './kinds.ts';
import { bodyOf, otherMetadata, rowsOf } from './paging.ts';

/** Remembers what was sent to an organization. */
interface Memory {
  /** Whether it was sent before; records that it was. */
  sentBefore(what: string): boolean;
}

/** Faults of the rows of an answer, or of what is around them. */
const OF_BODIES: readonly Damage[] = [
  ...(['bad-rows', 'huge-numbers', 'worse-again', 'doubled-days', 'strange-dates', 'oversize'] as const),
  ...(['many-names', 'long-names', 'odd-keys', 'no-by-model', 'null-numerators', 'wiki-shape'] as const),
  ...(['endless-pages', 'moved', 'repeated-cursor', 'null-cursor', 'odd-paging'] as const),
];

/** A right answer with a damaged body. */
export async function damagedAnswer(
  answer: Answer,
  request: ApiRequest,
  endpoint: Endpoint,
  faults: Faults,
  memory: Memory,
): Promise<Answer> {
  const isIntact = OF_BODIES.every((name) => faults.applies(name) === undefined);
  if (isIntact) return { ...answer, body: remembered(answer, request, endpoint, memory) };
  const body = await bodyOf(answer);
  return { ...answer, body: damagedBody(body, request, endpoint, faults, memory) };
}

/** The pieces of an intact answer; the days of their rows count as sent. */
async function* remembered(
  { body }: Answer,
  { url }: ApiRequest,
  endpoint: Endpoint,
  memory: Memory,
): AsyncGenerator<string | Uint8Array> {
  const isRemembered = isFirstOfDays(url, endpoint);
  for await (const piece of body) {
    if (isRemembered) {
      for (const [, day] of String(piece).matchAll(/"date":"(\d{4}-\d\d-\d\d)"/g))
        memory.sentBefore(`${endpoint} ${day}`);
    }
    yield piece;
  }
}

/** Whether these are the rows of days, and not the groups of a day, or a later page. */
function isFirstOfDays({ searchParams }: URL, endpoint: Endpoint): boolean {
  if (endpoint === 'readiness' || endpoint === 'wiki') return false;
  return endpoint === 'users' ? !searchParams.get('cursor') : !searchParams.has('group_by');
}

function* damagedBody(
  body: Readonly<Record<string, unknown>>,
  { url }: ApiRequest,
  endpoint: Endpoint,
  faults: Faults,
  memory: Memory,
): Generator<string> {
  const { searchParams } = url;
  if (endpoint === 'wiki') {
    const shape = faults.strikes('wiki-shape')?.detail;
    const runs = rowsOf(body, 'wikiRuns').map((run) => (spellsOtherwise(shape) ? otherSpelling(run) : run));
    yield JSON.stringify(wikiBody([...damagedRows(runs, faults)], shape));
    return;
  }
  if (endpoint === 'readiness') {
    const page = Number(searchParams.get('startAfter')?.split('~')[1] ?? 0) + 1;
    const isEndless = faults.strikes('endless-pages') !== undefined;
    const manySkipped = faults.strikes('null-numerators') !== undefined;
    const reports = rowsOf(body, 'reports')
      .map((report) => (isEndless ? { ...report, reportId: `${report['reportId']}~${page}` } : report))
      .map((report) => (manySkipped ? withSkipped(report) : report));
    const [first, ...others] = reports;
    const newest = first === undefined ? [] : damagedRows([first], faults);
    yield* listed('reports', [...newest, ...others.map((report) => damaged(report, faults))]);
    const last = reports.at(-1)?.['reportId'] ?? null;
    yield faults.strikes('moved') === undefined ? ']}' : `],"nextStartAfter":${JSON.stringify(last)}}`;
    return;
  }
  let rows = rowsOf(body, 'data');
  if (endpoint === 'tokens' && !searchParams.has('group_by') && faults.strikes('no-by-model') !== undefined)
    rows = rows.map(({ by_model: _model, by_user: _user, ...row }) => row);
  if (isFirstOfDays(url, endpoint)) {
    const days = new Set(rows.map(({ date }) => String(date)));
    const again = new Set([...days].filter((day) => memory.sentBefore(`${endpoint} ${day}`)));
    const isAgain = ({ date }: Row) => (endpoint === 'users' ? again.size > 0 : again.has(String(date)));
    if (faults.strikes('worse-again') !== undefined)
      rows = rows.map((row) => (isAgain(row) ? worsened(row) : row));
  }
  yield* listed('data', damagedRows(rows, faults, endpoint !== 'users'));
  const meta = body['meta'] as Row;
  const sent = endpoint === 'users' ? otherMetadata(meta, searchParams.get('cursor') ?? '', faults) : meta;
  yield `],"meta":${JSON.stringify(sent)}}`;
}

function* listed(name: string, rows: Iterable<unknown>): Generator<string> {
  yield `{"${name}":[`;
  let separator = '';
  for (const row of rows) {
    yield separator + JSON.stringify(row);
    separator = ',';
  }
}

/** Rows as faults of rows have them; `oversize` enlarges the first one, or the first one of each day. */
function* damagedRows(rows: readonly Row[], faults: Faults, daily = false): Generator<unknown> {
  const oversize = faults.strikes('oversize');
  const enlarged = new Set<unknown>();
  for (const row of rows) {
    for (const dated of misdated(row, faults)) {
      const sent = bloated(damaged(dated, faults), faults);
      const place = daily && row['date'];
      const isFirst = !enlarged.has(place);
      enlarged.add(place);
      if (oversize === undefined || !isFirst || typeof sent !== 'object') yield sent;
      else yield { ...sent, padding: 'x'.repeat(Number(oversize.detail)) };
    }
  }
}

/** The report with about half of its criteria skipped. */
function withSkipped(report: Row): Row {
  const criteria = Object.entries(report['report'] as Readonly<Record<string, Row>>);
  const skipped = criteria.map(([id, criterion]) =>
    textSeed(id) % 2 === 0 ? [id, { ...criterion, numerator: null }] : [id, criterion],
  );
  return { ...report, report: Object.fromEntries(skipped) };
}

function spellsOtherwise(shape: string | undefined): boolean {
  return shape !== undefined && shape !== 'wikiRuns' && shape !== 'data';
}

/** The spelling of other deployments: a time as ISO text, a status, and the end of the run. */
function otherSpelling({ createdAt, ...rest }: Row): Row {
  const started = Number(createdAt);
  const failed = started % 7 === 0;
  return {
    ...rest,
    createdAt: new Date(started).toISOString(),
    status: failed ? 'failed' : 'completed',
    ...(failed ? {} : { completedAt: new Date(started + 1_500_000).toISOString() }),
  };
}

/** The wiki listing in the shape of another deployment, or in one that clients do not know. */
function wikiBody(runs: readonly unknown[], shape: string | undefined): unknown {
  switch (shape) {
    case 'bare':
      return runs;
    case 'data':
      return { data: runs };
    case 'runs':
      return { runs };
    case 'unknown':
      return { result: { wikis: runs.map((run) => ({ payload: run })) } };
    default:
      return { wikiRuns: runs };
  }
}
