import type { TableName } from './tables.ts';

/** A file and those beside it. */
export const FILES = ['history', 'requests', 'hooks'] as const;
export type FileName = (typeof FILES)[number];

interface Statements {
  readonly file: FileName;
  readonly read: string;
  readonly write: string;
}

/** How each table is read and written, and in which file it is. */
export const STATEMENTS: Readonly<Record<TableName, Statements>> = {
  org: {
    file: 'history',
    read: 'SELECT name, org_id, confirmed_key FROM org ORDER BY name',
    write: 'INSERT OR REPLACE INTO org (name, org_id, confirmed_key) VALUES (?, ?, ?)',
  },
  dataset: {
    file: 'history',
    read: 'SELECT org, name, answered_at, succeeded_at, revised_on FROM dataset ORDER BY org, name',
    write:
      'INSERT OR REPLACE INTO dataset (org, name, answered_at, succeeded_at, revised_on) VALUES (?, ?, ?, ?, ?)',
  },
  day: {
    file: 'history',
    read: 'SELECT org, dataset, day, form, row, sum FROM day ORDER BY org, dataset, day',
    write: 'INSERT OR REPLACE INTO day (org, dataset, day, form, row, sum) VALUES (?, ?, ?, ?, ?, ?)',
  },
  document: {
    file: 'history',
    read: 'SELECT org, dataset, id, form, body, sum FROM document ORDER BY org, dataset, id',
    write: 'INSERT OR REPLACE INTO document (org, dataset, id, form, body, sum) VALUES (?, ?, ?, ?, ?, ?)',
  },
  request_count: {
    file: 'requests',
    read: 'SELECT org, day, requests FROM request_count ORDER BY org',
    write: 'INSERT OR REPLACE INTO request_count (org, day, requests) VALUES (?, ?, ?)',
  },
  sweep: {
    file: 'history',
    read: 'SELECT day, doubted_since FROM sweep',
    write: 'INSERT OR REPLACE INTO sweep (only, day, doubted_since) VALUES (1, ?, ?)',
  },
  hook_event: {
    file: 'hooks',
    read: 'SELECT name, count, last_at FROM event ORDER BY name',
    write: 'INSERT OR REPLACE INTO event (name, count, last_at) VALUES (?, ?, ?)',
  },
  hook_session_end: {
    file: 'hooks',
    read: 'SELECT reason, count FROM session_end ORDER BY reason',
    write: 'INSERT OR REPLACE INTO session_end (reason, count) VALUES (?, ?)',
  },
  hook_session: {
    file: 'hooks',
    read: 'SELECT id, at, waiting, until FROM session ORDER BY id',
    write: 'INSERT OR REPLACE INTO session (id, at, waiting, until) VALUES (?, ?, ?, ?)',
  },
  hook_seen: {
    file: 'hooks',
    read: 'SELECT id, at FROM seen ORDER BY arrival',
    write: 'INSERT INTO seen (id, at) VALUES (?, ?) ON CONFLICT DO NOTHING',
  },
  hook_ageing: {
    file: 'hooks',
    read: 'SELECT at, doubted_since FROM ageing',
    write: 'INSERT OR REPLACE INTO ageing (only, at, doubted_since) VALUES (1, ?, ?)',
  },
  hook_forgotten: {
    file: 'hooks',
    read: 'SELECT at FROM forgotten WHERE at > 0',
    write: 'UPDATE forgotten SET at = ?',
  },
};
