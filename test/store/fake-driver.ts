import { EventEmitter } from 'node:events';
import type { Value } from '../../src/store/database.ts';
import { PostgresDatabase } from '../../src/store/postgres.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

interface Statement {
  readonly text: string;
  readonly query_timeout: number;
  readonly values?: readonly Value[];
}

/** An error with a code of PostgreSQL or of the system. */
export const coded = (code: string) => Object.assign(new Error(`the error ${code}`), { code });

/** A database whose driver answers each statement with what `answer` returns or throws, by default with its first word. */
export function createServer() {
  const sent: Statement[] = [];
  const released: boolean[] = [];
  const pools: FakePool[] = [];
  let losses = 0;
  let connects = 0;
  const state = {
    url: 'postgres://user@server/database?schema=own',
    files: {},
    answer: (_text: string): unknown => undefined,
    connect: () => undefined as unknown,
  };

  class FakeClient extends EventEmitter {
    async query(statement: Statement) {
      sent.push(statement);
      const [command] = statement.text.split(' ');
      return { rows: [{ n: 1 }], command, ...((await state.answer(statement.text)) as object | undefined) };
    }

    release(isBroken: boolean): void {
      released.push(isBroken);
    }
  }

  class FakePool extends EventEmitter {
    isEnded = false;
    readonly config: {
      readonly max: number;
      readonly types: { getTypeParser(oid: number, format?: string): unknown };
    };
    constructor(config: FakePool['config']) {
      super();
      this.config = config;
      pools.push(this);
    }

    async connect(): Promise<FakeClient> {
      connects += 1;
      await state.connect();
      const client = new FakeClient();
      this.emit('connect', client);
      return client;
    }

    async end(): Promise<void> {
      this.isEnded = true;
    }
  }

  const log = createFakeLogger();
  const database = new PostgresDatabase({
    url: { read: async () => ({ url: state.url, ...state.files }), describe: () => 'the test' },
    loadDriver: async () =>
      ({ Pool: FakePool, types: { getTypeParser: (oid: number) => `parser of ${oid}` } }) as never,
    log,
    onLost: () => {
      losses += 1;
    },
  });
  /** Uses it once; resolves with why that failed. */
  const use = (mode?: 'snapshot' | 'leader') =>
    database
      .transaction((query) => query('SELECT 1'), mode)
      .then(
        () => 'done',
        (error: { readonly details?: { readonly reason: string } }) => error.details?.reason,
      );
  const levels = () => log.events.map(({ level }) => level);
  return {
    ...{ database, state, sent, released, pools, log, levels, use },
    losses: () => losses,
    /** How often a connection was asked for. */
    connects: () => connects,
  };
}
