import type { Instant } from '../../../catalog/day.ts';
import { troubleOf } from '../../../history/sqlite/errors.ts';
import type { Changes } from '../counts.ts';
import { type Commit, type HookStore, HookStoreError, REMEMBERED_MS } from '../store.ts';
import { type HookFile, openHookFile } from './file.ts';
import { createHookTables, type HookTables, nextAgeing } from './tables.ts';

/** Maximum number of remembered ids, in a file of about 100 MB. */
const MAX_IDS = 1_000_000;

/** An event may come from a clock that is a day ahead. */
const DAY_MS = 24 * 3_600_000;

/** Number of ids removed per commit: more than a commit adds, and few enough to take no noticeable time. */
const FORGOTTEN_AT_ONCE = 4_000;

interface Open {
  readonly file: HookFile;
  readonly tables: HookTables;
}

/** Stores hook events in an SQLite file; it is opened on first use, and again if it was removed. */
export function createSqliteHookStore({
  path,
  maxIds = MAX_IDS,
}: {
  readonly path: string;
  readonly maxIds?: number;
}): HookStore {
  let open: Open | undefined;
  let forgotten: Instant = 0;

  function opened(): Open {
    if (open?.file.isInPlace()) return open;
    closeNow();
    const file = openHookFile(path);
    try {
      open = { file, tables: createHookTables(file.db) };
      forgotten = Math.max(forgotten, open.tables.forgotten());
      return open;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  function closeNow(): void {
    const closing = open;
    open = undefined;
    closing?.file.close();
  }

  function store({ tables }: Open, { take, decide }: Commit): Changes {
    const { ids, now } = take();
    const isNew = ids.map((id) => tables.remember(id, now));
    const changes = decide(isNew);
    tables.write(changes);
    const ageing = nextAgeing(tables.ageing(), now);
    tables.putAgeing(ageing);
    tables.forget(ageing.at - REMEMBERED_MS - DAY_MS, maxIds, FORGOTTEN_AT_ONCE);
    return changes;
  }

  function storeWhole(commit: Commit): Changes {
    const current = opened();
    const { db } = current.file;
    db.exec('BEGIN IMMEDIATE');
    try {
      const changes = store(current, commit);
      db.exec('COMMIT');
      forgotten = Math.max(forgotten, current.tables.forgotten());
      return changes;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }

  return {
    load: async () => explained(path, () => opened().tables.read()),
    commit: async (commit) => explained(path, () => storeWhole(commit)),
    forgottenBefore: (now) => Math.max(now - REMEMBERED_MS, forgotten),
    async close() {
      closeNow();
    },
  };
}

function explained<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const { reason, detail, hint } = troubleOf(error);
    const damaged = `stop the exporter and move ${path} away: the counters then start at 0`;
    throw new HookStoreError({ reason, detail, hint: reason === 'damaged' ? damaged : hint });
  }
}
