import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSerialQueue } from '../../../src/runtime/serial-queue.ts';
import type { Database, Query, Row } from '../../../src/store/database.ts';
import { COUNT_TABLES, createTable } from '../../../src/store/tables.ts';

export function openCounts(file: string): Database & { epochOf(query: Query): Promise<string> } {
  if (file !== ':memory:') mkdirSync(path.dirname(file), { recursive: true });
  const db = new DatabaseSync(file);
  const queue = createSerialQueue();
  for (const statement of COUNT_TABLES.flatMap(createTable)) db.exec(statement.replaceAll('S.', ''));
  const query: Query = async (text, values = []) =>
    db.prepare(text.replaceAll('S.', '').replace(/\$(\d+)/g, '?$1')).all(...values) as Row[];
  return {
    isUp: () => true,
    epochOf: async () => 'epoch',
    transaction: (work) =>
      queue.run(async () => {
        db.exec('BEGIN IMMEDIATE');
        try {
          const result = await work(query);
          db.exec('COMMIT');
          return result;
        } catch (error) {
          if (db.isTransaction) db.exec('ROLLBACK');
          throw error;
        }
      }),
    async close() {
      db.close();
    },
  };
}
