/** A column: `bigint` is a whole number (SQLite takes it as INTEGER); a `?` at the end means that it may be null. */
type ColumnType = 'text' | 'text?' | 'bigint' | 'bigint?';

/** A table, the same in both dialects; its columns are in the order of `columns`. */
export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  readonly key: readonly string[];
  readonly indexes?: readonly (readonly string[])[];
}

/**
 * The tables with data that can be fetched again. `org` is the name of an organization, `former` the platform's identifier of a former organization
 * of that name that was set aside (empty for the current one). `form` is the dataset's schema version when the row was written; `active` whether
 * it shows activity, `unsettled` whether its last answer was incomplete; `data` is JSON, null for a day that was answered without a row, and `sum`
 * the CRC-32 of that text: SQLite notices no wrong bit in it. `observed` has an `Observed`, as JSON. The lags of days, which
 * cannot be asked again, are here because they are counted in the transaction of their rows.
 */
export const DAY_TABLES: readonly Table[] = [
  {
    name: 'org',
    columns: { org: 'text', former: 'text', org_id: 'text?', confirmed_key: 'text?' },
    key: ['org', 'former'],
  },
  {
    name: 'dataset',
    columns: {
      org: 'text',
      former: 'text',
      dataset: 'text',
      revision: 'bigint',
      answered_at: 'bigint?',
      succeeded_at: 'bigint?',
      revised_on: 'text?',
    },
    key: ['org', 'former', 'dataset'],
  },
  {
    name: 'day',
    columns: {
      org: 'text',
      former: 'text',
      dataset: 'text',
      day: 'text',
      form: 'bigint',
      active: 'bigint?',
      unsettled: 'bigint',
      data: 'text?',
      sum: 'bigint',
    },
    key: ['org', 'former', 'dataset', 'day'],
    indexes: [['day']],
  },
  {
    name: 'document',
    columns: {
      org: 'text',
      former: 'text',
      dataset: 'text',
      id: 'text',
      form: 'bigint',
      data: 'text',
      sum: 'bigint',
    },
    key: ['org', 'former', 'dataset', 'id'],
  },
  {
    name: 'observed',
    columns: { org: 'text', former: 'text', dataset: 'text', data: 'text' },
    key: ['org', 'former', 'dataset'],
  },
  {
    name: 'sweep',
    columns: { single: 'bigint', day: 'text?', doubted_since: 'bigint?' },
    key: ['single'],
  },
];

/** The tables with data that cannot be fetched again: request counts, hook counts and the ids of counted events. */
export const COUNT_TABLES: readonly Table[] = [
  { name: 'request_count', columns: { org: 'text', day: 'text', requests: 'bigint' }, key: ['org'] },
  {
    name: 'hook_state',
    columns: {
      single: 'bigint',
      version: 'bigint',
      ageing_at: 'bigint?',
      doubted_since: 'bigint?',
      forgotten_at: 'bigint',
      ids: 'bigint',
    },
    key: ['single'],
  },
  { name: 'hook_event', columns: { name: 'text', count: 'bigint', last_at: 'bigint' }, key: ['name'] },
  { name: 'hook_session_end', columns: { reason: 'text', count: 'bigint' }, key: ['reason'] },
  {
    name: 'hook_session',
    columns: { id: 'text', at: 'bigint', waiting: 'bigint', until: 'bigint', version: 'bigint' },
    key: ['id'],
    indexes: [
      ['until', 'version'],
      ['waiting', 'until'],
    ],
  },
  {
    name: 'hook_moment',
    columns: { session: 'text', at: 'bigint', type: 'text', waiting: 'bigint', due: 'bigint' },
    key: ['session', 'at'],
    indexes: [['waiting', 'due']],
  },
  {
    name: 'hook_wait',
    columns: { type: 'text', bound: 'bigint', count: 'bigint', ms: 'bigint' },
    key: ['type', 'bound'],
  },
  { name: 'hook_seen', columns: { id: 'text', at: 'bigint' }, key: ['id'], indexes: [['at']] },
];

/** All tables of a store, in the order in which they are created and copied. */
export const TABLES: readonly Table[] = [...DAY_TABLES, ...COUNT_TABLES];

/** The statements that create a table where it is missing. */
export function createTable({ name, columns, key, indexes = [] }: Table): readonly string[] {
  const defined = Object.entries(columns).map(([column, type]) =>
    type.endsWith('?') ? `${column} ${type.slice(0, -1)}` : `${column} ${type} NOT NULL`,
  );
  return [
    `CREATE TABLE IF NOT EXISTS S.${name} (${defined.join(', ')}, PRIMARY KEY (${key.join(', ')}))`,
    ...indexes.map(
      (index) => `CREATE INDEX IF NOT EXISTS ${name}_${index.join('_')} ON S.${name} (${index.join(', ')})`,
    ),
  ];
}
