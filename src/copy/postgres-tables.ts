import { createHash } from 'node:crypto';
import type { Row } from '../history/postgres/database.ts';
import { msOf, storable } from '../history/postgres/values.ts';
import { nameOf } from '../history/state.ts';
import type { TableName, Values } from './tables.ts';

/** A part of the order in which rows are read. */
interface KeyPart {
  /** The column of the result, which the text of the next statement is made from. */
  readonly column: string;
  readonly sql: string;
  /** The parameter (`?`) as a value of the column's type. */
  readonly cast: string;
}

interface Statements {
  readonly from: string;
  readonly columns: string;
  readonly key: readonly KeyPart[];
  /** Rows per statement: documents can be large. */
  readonly batch: number;
  /** Undefined if the row contains nothing. */
  valuesOf(row: Row): Values | undefined;
  /** The condition for a row that contains nothing. */
  readonly isEmpty?: string;
  /** `S.` stands for the schema. */
  readonly insert: string;
  parameters(rows: readonly Values[]): readonly unknown[];
  /** Removes everything, if that is not a deletion. */
  readonly clear?: string;
}

const MANY = 5_000;
const SOME = 500;

/** Qualified: the result has a column of the same name. */
function text(from: string, column: string): KeyPart {
  return { column, sql: `${from}.${column}`, cast: '?::text' };
}

function instant(name: string): string {
  return `to_timestamp(${name} / 1000)`;
}

/** Columns of the rows as one array each; a slot becomes the columns `org` and `former`. */
function columnsOf(rows: readonly Values[], count: number): unknown[][] {
  return Array.from({ length: count }, (_, column) =>
    rows.map((row) => (typeof row[column] === 'string' ? storable(row[column]) : row[column])),
  );
}

function withSlots(rows: readonly Values[], count: number): unknown[][] {
  const slots = rows.map(([slot]) => String(slot));
  const names = slots.map(nameOf);
  return [
    names,
    slots.map((slot, index) => slot.slice(names[index]?.length)),
    ...columnsOf(rows, count).slice(1),
  ];
}

function plain(
  from: string,
  columns: readonly (readonly [name: string, type: 'text' | 'bigint' | 'date' | 'instant' | 'boolean'])[],
  more: Pick<Statements, 'key' | 'batch'> & { readonly version?: string },
): Statements {
  const shown = columns.map(([name, type]) => {
    if (type === 'instant') return msOf(name);
    if (type === 'bigint') return `${name}::float8`;
    if (type === 'boolean') return `${name}::int`;
    return `${name}::text`;
  });
  const names = columns.map(([name]) => name);
  const types = columns.map(([, type], index) => {
    const given = { text: 'text', bigint: 'bigint', date: 'date', instant: 'float8', boolean: 'integer' };
    return `$${index + 1}::${given[type]}[]`;
  });
  const values = columns.map(([name, type]) =>
    type === 'instant' ? instant(name) : type === 'boolean' ? `${name} = 1` : name,
  );
  const { version, ...rest } = more;
  const extra = version === undefined ? ['', ''] : [', version', `, ${version}`];
  return {
    ...{ from, ...rest },
    columns: shown.join(', '),
    valuesOf: (row) => names.map((name) => row[name] as Values[number]),
    insert: `INSERT INTO S.${from} (${names.join(', ')}${extra[0]}) SELECT ${values.join(', ')}${extra[1]}
      FROM unnest(${types.join(', ')}) AS new (${names.join(', ')}) ON CONFLICT DO NOTHING`,
    parameters: (rows) => columnsOf(rows, columns.length),
  };
}

/** A table with one row, whose columns are empty at first. */
function single(from: string, columns: readonly [main: string, ...rest: string[]]): Statements {
  const [main] = columns;
  const isDay = (column: string) => column === 'day';
  return {
    from,
    columns: columns.map((column) => (isDay(column) ? `${column}::text` : msOf(column))).join(', '),
    key: [{ column: 'single', sql: 'single', cast: '?::boolean' }],
    batch: MANY,
    isEmpty: `${main} IS NULL`,
    valuesOf: (row) =>
      row[main] === null ? undefined : columns.map((column) => row[column] as Values[number]),
    insert: `UPDATE S.${from} SET ${columns
      .map((column, index) =>
        isDay(column) ? `${column} = $${index + 1}::date` : `${column} = ${instant(`$${index + 1}::float8`)}`,
      )
      .join(', ')}`,
    parameters: (rows) => rows[0] ?? [],
    clear: `UPDATE S.${from} SET ${columns.map((column) => `${column} = NULL`).join(', ')}`,
  };
}

/** How the tables are read and written. */
export const STATEMENTS: Readonly<Record<TableName, Statements>> = {
  org: {
    from: 'org',
    columns: 'org, former, org_id, confirmed_key',
    key: [text('org', 'org'), text('org', 'former')],
    batch: SOME,
    valuesOf: (row) => [slotOf(row), cell(row, 'org_id'), cell(row, 'confirmed_key')],
    insert: `INSERT INTO S.org (org, former, org_id, confirmed_key, version)
      SELECT org, former, org_id, confirmed_key, 1
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS new (org, former, org_id, confirmed_key)
      ON CONFLICT DO NOTHING`,
    parameters: (rows) => withSlots(rows, 3),
  },
  dataset: {
    from: 'dataset',
    columns: `org, former, dataset, ${msOf('answered_at')}, ${msOf('succeeded_at')}, revised_on::text`,
    key: [text('dataset', 'org'), text('dataset', 'former'), text('dataset', 'dataset')],
    batch: SOME,
    valuesOf: (row) => [
      ...[slotOf(row), cell(row, 'dataset'), cell(row, 'answered_at')],
      ...[cell(row, 'succeeded_at'), cell(row, 'revised_on')],
    ],
    insert: `INSERT INTO S.dataset (org, former, dataset, answered_at, succeeded_at, revised_on, version)
      SELECT org, former, dataset, ${instant('answered_at')}, ${instant('succeeded_at')}, revised_on, 1
      FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::float8[], $6::date[])
      AS new (org, former, dataset, answered_at, succeeded_at, revised_on) ON CONFLICT DO NOTHING`,
    parameters: (rows) => withSlots(rows, 5),
  },
  day: {
    from: 'day',
    columns: 'org, former, dataset, day::text, form, data::text, sum::float8',
    key: [
      text('day', 'org'),
      text('day', 'former'),
      text('day', 'dataset'),
      { ...text('day', 'day'), cast: '?::date' },
    ],
    batch: SOME,
    valuesOf: (row) => [
      ...[slotOf(row), cell(row, 'dataset'), cell(row, 'day')],
      ...[cell(row, 'form'), cell(row, 'data'), cell(row, 'sum')],
    ],
    insert: `INSERT INTO S.day (org, former, dataset, day, form, data, sum, version)
      SELECT org, former, dataset, day, form, data::json, sum, 1
      FROM unnest($1::text[], $2::text[], $3::text[], $4::date[], $5::integer[], $6::text[], $7::bigint[])
      AS new (org, former, dataset, day, form, data, sum) ON CONFLICT DO NOTHING`,
    parameters: (rows) => withSlots(rows, 6),
  },
  document: {
    from: 'document',
    columns: 'org, former, dataset, key, id, form, data::text, sum::float8',
    key: [
      text('document', 'org'),
      text('document', 'former'),
      text('document', 'dataset'),
      text('document', 'key'),
    ],
    batch: SOME,
    valuesOf: (row) => [
      ...[slotOf(row), cell(row, 'dataset'), cell(row, 'id')],
      ...[cell(row, 'form'), cell(row, 'data'), cell(row, 'sum')],
    ],
    insert: `INSERT INTO S.document (org, former, dataset, id, form, data, sum, key, version)
      SELECT org, former, dataset, id, form, data::json, sum, key, 1
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::bigint[], $8::text[])
      AS new (org, former, dataset, id, form, data, sum, key) ON CONFLICT DO NOTHING`,
    parameters: (rows) => [
      ...withSlots(rows, 6),
      rows.map(([, , id]) => createHash('sha256').update(String(id)).digest('hex')),
    ],
  },
  request_count: plain(
    'request_count',
    [
      ['org', 'text'],
      ['day', 'date'],
      ['requests', 'bigint'],
    ],
    { key: [text('request_count', 'org')], batch: SOME },
  ),
  sweep: single('sweep', ['day', 'doubted_since']),
  hook_event: plain(
    'hook_event',
    [
      ['name', 'text'],
      ['count', 'bigint'],
      ['last_at', 'instant'],
    ],
    { key: [text('hook_event', 'name')], batch: SOME },
  ),
  hook_session_end: plain(
    'hook_session_end',
    [
      ['reason', 'text'],
      ['count', 'bigint'],
    ],
    { key: [text('hook_session_end', 'reason')], batch: SOME },
  ),
  hook_session: plain(
    'hook_session',
    [
      ['id', 'text'],
      ['at', 'instant'],
      ['waiting', 'boolean'],
      ['until', 'instant'],
    ],
    { key: [text('hook_session', 'id')], batch: MANY, version: '(SELECT version + 1 FROM S.hook_state)' },
  ),
  hook_seen: plain(
    'hook_seen',
    [
      ['id', 'text'],
      ['at', 'instant'],
    ],
    // A file forgets ids in the order in which they were written.
    {
      key: [{ ...text('hook_seen', 'at'), cast: 'to_timestamp(?::float8 / 1000)' }, text('hook_seen', 'id')],
      batch: MANY,
    },
  ),
  hook_ageing: single('hook_state', ['ageing_at', 'doubted_since']),
  hook_forgotten: single('hook_state', ['forgotten_at']),
};

function slotOf(row: Row): string {
  return `${String(row['org'])}${String(row['former'])}`;
}

function cell(row: Row, column: string): Values[number] {
  return row[column] as Values[number];
}
