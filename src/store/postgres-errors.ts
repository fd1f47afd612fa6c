import { ConfigError, messageOf } from '../text/errors.ts';

/** Why a database is unavailable. */
type DatabaseReason =
  | 'unreachable'
  | 'credentials'
  | 'privileges'
  | 'tls'
  | 'missing'
  | 'full'
  | 'read-only'
  | 'slow'
  | 'newer'
  | 'older'
  | 'encoding'
  | 'gone'
  | 'settings'
  | 'failed';

/** The problem of a database, and a hint for the operator. */
export interface DatabaseTrouble {
  readonly reason: DatabaseReason;
  readonly detail: string;
  readonly hint: string;
}

const HINTS: Readonly<Record<DatabaseReason, string>> = {
  unreachable: 'check that the server of storage.url is running and reachable from here',
  credentials: 'correct the user and password of storage.url; a URL file is read again when it changes',
  privileges: 'grant the privileges that docs/postgresql.md lists',
  tls: 'check sslmode and sslrootcert of storage.url; its files are read again when they change',
  missing: 'create the database of storage.url',
  full: 'free space on the server, or raise its limit of connections',
  'read-only': 'storage.url must lead to the primary server, and default_transaction_read_only be off',
  slow: 'look for locks and load on the server',
  newer: 'run a release at least as new as the one that has migrated the schema',
  older:
    'remove the schema, or name another one with the parameter schema of storage.url: its days are fetched again',
  encoding:
    "create a database with ENCODING 'UTF8' TEMPLATE template0, and name it in storage.url; pg_dump copies what is stored",
  gone: 'nothing: an exporter makes the schema again, if it may',
  settings: 'correct storage.url',
  failed: "see the server's log",
};

/** Reasons that only an operator can end. */
export const LASTING: ReadonlySet<DatabaseReason> = new Set([
  'credentials',
  'privileges',
  'tls',
  'missing',
  'newer',
  'older',
  'encoding',
  'settings',
]);

/** The reason by SQLSTATE, or by the class of a SQLSTATE. */
const STATES: Readonly<Record<string, DatabaseReason>> = {
  '08': 'unreachable',
  '28': 'credentials',
  '53': 'full',
  '57': 'unreachable',
  '57014': 'slow',
  '55P03': 'slow',
  '25P03': 'slow',
  '25006': 'read-only',
  '3D000': 'missing',
  '42501': 'privileges',
  '40P01': 'slow',
  '42P01': 'gone',
  '3F000': 'gone',
};

const SYSTEM_REASONS = /^(?:E(?:CONN|HOST|NET|PIPE|TIMEDOUT|AI_|ADDR)|ENOTFOUND)/;
const TLS_REASONS = /^(?:ERR_TLS|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|ERR_SSL|EPROTO|HOSTNAME_MISMATCH)/;

/** This release must not use the schema or the database. */
export class UnusableSchema extends Error {
  readonly reason: DatabaseReason;

  constructor(reason: DatabaseReason, message: string) {
    super(message);
    this.name = 'UnusableSchema';
    this.reason = reason;
  }
}

/** Classifies an error of the driver, the server or the network. */
export function troubleOf(error: unknown): DatabaseTrouble {
  const reason = reasonOf(error);
  return { reason, detail: detailOf(error), hint: HINTS[reason] };
}

/** Whether a connection was lost, so that another server may answer next. An error from the server is no lost connection. */
export function isConnectionLost(error: unknown): boolean {
  const { reason } = troubleOf(error);
  if (reason === 'unreachable' || reason === 'read-only') return true;
  return (
    reason === 'slow' &&
    !(error instanceof Error && 'code' in error && /^[0-9A-Z]{5}$/.test(String(error.code)))
  );
}

/** The message of an error. The error of several addresses has none of its own, so their messages are joined. */
function detailOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return messageOf(error);
}

function reasonOf(error: unknown): DatabaseReason {
  if (error instanceof UnusableSchema) return error.reason;
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (error instanceof ConfigError) return 'settings';
  if (!(error instanceof Error)) return 'failed';
  const code = 'code' in error ? String(error.code) : '';
  if (SYSTEM_REASONS.test(code)) return 'unreachable';
  if (TLS_REASONS.test(code) || /does not support SSL|certificate|altnames/i.test(error.message))
    return 'tls';
  if (code === 'ENOENT' || code === 'EACCES' || code === 'ERR_INVALID_URL') return 'settings';
  const state = STATES[code] ?? STATES[code.slice(0, 2)];
  if (state !== undefined && /^[0-9A-Z]{5}$/.test(code)) return state;
  if (/timeout|timed out/i.test(error.message)) return 'slow';
  if (/terminated|Connection ended|not queryable|closed/i.test(error.message)) return 'unreachable';
  if (/SASL|SCRAM|password/i.test(error.message)) return 'credentials';
  return 'failed';
}
