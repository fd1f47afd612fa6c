import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Day } from '../../catalog/day.ts';
import type { Clock } from '../../runtime/clock.ts';
import { messageOf } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { runInSlices } from '../../runtime/slices.ts';
import type { History, RequestCount } from '../history.ts';
import { createMemoryHistory } from '../memory.ts';
import { createHistoryState } from '../state.ts';
import { openForReading, SOUND } from './check.ts';
import { UnusableHistory } from './errors.ts';
import type { SchemaVersionOf } from './file.ts';
import { inspect, refuseSpecial } from './inspect.ts';
import { type Loaded, load } from './load.ts';
import { requestFileBeside } from './requests.ts';

interface ReaderDeps {
  readonly path: string;
  readonly schemaVersionOf: SchemaVersionOf;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Logger;
}

/** A single row can be large. */
const ROWS_PER_LOOK = 1;

/** How often a file is read again that an exporter begins to change meanwhile. */
const MAX_READS = 3;

/**
 * Reads a history file beside the exporter that owns it, without a lock and without changing anything. What is added to
 * the history stays in memory. A missing file is an empty history. Rejects with a `ConfigError` if it is not a history of
 * this layout.
 */
export async function readHistoryFile({ path, schemaVersionOf, clock, log }: ReaderDeps): Promise<History> {
  const { loaded, requests } = await readAll();
  const { orgs, days, documents, unreadable } = loaded ?? {
    orgs: new Map(),
    days: 0,
    documents: 0,
    unreadable: 0,
  };
  log.info('Stored history loaded', { path, days, documents });
  if (unreadable > 0)
    log.warn('Fetching stored rows with an outdated schema or a bad checksum', { path, unreadable });
  return createMemoryHistory(createHistoryState(orgs), requests);

  async function readAll() {
    refuseSpecial(path);
    if (!existsSync(path)) return { loaded: undefined, requests: new Map<string, RequestCount>() };
    return { loaded: await readDays(), requests: await readRequests() };
  }

  async function readDays(): Promise<Loaded | undefined> {
    const read = (isSalvage: boolean) =>
      reading(path, (db) => runInSlices(load(db, schemaVersionOf, isSalvage), clock, ROWS_PER_LOOK));
    let problem = damageIn(path);
    if (problem === undefined) {
      try {
        return await read(false);
      } catch (error) {
        problem = messageOf(error);
      }
    }
    log.warn('History file damaged; what can be read of it is used', { path, detail: problem });
    return read(true).catch(() => undefined);
  }

  /** Without them, a daily limit counts from 0. */
  async function readRequests(): Promise<ReadonlyMap<string, RequestCount>> {
    const file = requestFileBeside(path);
    if (!existsSync(file)) return new Map();
    try {
      return await reading(file, async (db) => {
        const rows = db.prepare('SELECT org, day, requests FROM request_count').all();
        return new Map(
          rows.map((row) => [
            String(row['org']),
            { day: row['day'] as Day, requests: Number(row['requests']) },
          ]),
        );
      });
    } catch (error) {
      log.debug('The request counts cannot be read', { path: file, error: messageOf(error) });
      return new Map();
    }
  }
}

/**
 * Reads one state of a database. Without a log nobody writes it, and it is read as it is; if an exporter begins to write
 * meanwhile, it is read again by way of the log.
 */
async function reading<Result>(path: string, read: (db: DatabaseSync) => Promise<Result>): Promise<Result> {
  for (let nth = 1; ; nth += 1) {
    const isQuiet = !hasLog(path);
    const wasDisturbed = () => isQuiet && hasLog(path) && nth < MAX_READS;
    const db = openForReading(path);
    try {
      // All tables as of one moment.
      db.exec('BEGIN');
      const result = await read(db);
      if (!wasDisturbed()) return result;
    } catch (error) {
      if (!wasDisturbed()) throw error;
    } finally {
      db.close();
    }
  }
}

function hasLog(path: string): boolean {
  return existsSync(`${path}-wal`);
}

/** Every row has a checksum, so that only the header is looked at. Throws a `ConfigError` for another layout or program. */
function damageIn(path: string): string | undefined {
  try {
    inspect(path, () => SOUND);
    return undefined;
  } catch (error) {
    if (error instanceof UnusableHistory && error.reason === 'damaged') return error.message;
    throw error;
  }
}
