import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { waitFor } from '../support/wait-for.ts';

type Row = Readonly<Record<string, unknown>>;

/** An answer of the platform as sent over the wire. */
export interface Sent {
  /** When it was sent, according to the test's clock. */
  readonly at: number;
  readonly org: string;
  readonly collector: string;
  /** 0 if the connection was closed without an answer. */
  readonly status: number;
  /** The complete JSON body; undefined if it was cut off or is not JSON. */
  readonly body: unknown;
  /** The requested days, `YYYY-MM-DD`; empty if the endpoint has none. */
  readonly from: string;
  readonly to: string;
  /** Whether this redirects the client to another path of the same host, which then answers the same request. */
  readonly goesOn: boolean;
  /** Whether grouped rows were requested. */
  readonly grouped: boolean;
  /** Of a listing: the start of the page, and its maximum size; empty if the request does not say. */
  readonly cursor: string;
  readonly limit: string;
  /** The requested pause, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/** The simulated platform behind a listener that records what was actually sent. */
export interface Wire {
  readonly url: string;
  /** The answers sent since the last call, once none is under way: on a busy machine they end after the client has them. */
  take(): Promise<readonly Sent[]>;
  close(): Promise<void>;
}

const COLLECTORS: Readonly<Record<string, string>> = {
  wiki: 'wiki',
  'maturity-level-reports': 'readiness',
  'agent-readiness-reports': 'readiness',
};

/** Starts the listener on a free port of this machine. */
export async function createWire(platform: Sandbox, now: () => number): Promise<Wire> {
  const orgOf = new Map(platform.orgs.map(({ name, keys }) => [`Bearer ${keys.owner}`, name]));
  let sent: Sent[] = [];
  let underWay = 0;
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const url = new URL(request.url ?? '/', 'http://platform.invalid');
    const last = url.pathname.split('/').at(-1) ?? '';
    underWay += 1;
    const pieces: string[] = [];
    let whole = false;
    let goesOn = false;
    let retryAfter: string | undefined;
    const { write, end, writeHead } = response;
    response.writeHead = ((status: number, headers: Readonly<Record<string, string>>) => {
      goesOn = headers['location']?.startsWith('/') ?? false;
      retryAfter = headers['retry-after'];
      return Reflect.apply(writeHead, response, [status, headers]);
    }) as typeof response.writeHead;
    response.write = ((piece: string | Uint8Array, ...rest: unknown[]) => {
      pieces.push(Buffer.from(piece as string).toString('utf8'));
      return Reflect.apply(write, response, [piece, ...rest]);
    }) as typeof response.write;
    response.end = ((piece?: string | Uint8Array, ...rest: unknown[]) => {
      whole = true;
      if (piece !== undefined) pieces.push(Buffer.from(piece as string).toString('utf8'));
      return Reflect.apply(end, response, [piece, ...rest]);
    }) as typeof response.end;
    response.once('close', () => {
      underWay -= 1;
      sent.push({
        at: now(),
        org: orgOf.get(request.headers.authorization ?? '') ?? '',
        collector: COLLECTORS[last] ?? last,
        status: response.headersSent ? response.statusCode : 0,
        body: whole ? parsed(pieces.join('')) : undefined,
        from: url.searchParams.get('startDate') ?? '',
        to: url.searchParams.get('endDate') ?? '',
        goesOn,
        grouped: url.searchParams.has('group_by'),
        cursor: url.searchParams.get('cursor') ?? '',
        limit: url.searchParams.get('limit') ?? '',
        retryAfterMs: pauseOf(retryAfter, now()),
      });
    });
    platform.handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async take() {
      await waitFor(() => underWay === 0, { what: 'all answers have ended' });
      const taken = sent;
      sent = [];
      return taken;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The rows of an answer by day, as far as each certainly belongs to its day. */
interface DayRows {
  readonly rows: ReadonlyMap<string, Row>;
  /** Whether none of the lost rows could belong to a day without a row. */
  readonly isWhole: boolean;
}

/** Parses the rows of some days; a row without a plain date among these days, or one of several different ones for a day, is lost. */
export function dayRows(body: unknown, from: string, to: string): DayRows {
  const data = isRow(body) ? body['data'] : undefined;
  if (!Array.isArray(data)) return { rows: new Map(), isWhole: false };
  const rows = new Map<string, Row>();
  const doubled = new Set<string>();
  let lost = 0;
  for (const row of data) {
    const date = isRow(row) ? row['date'] : undefined;
    if (typeof date !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(date) || date < from || date > to) lost += 1;
    else if (!rows.has(date)) rows.set(date, row);
    else if (!isDeepStrictEqual(rows.get(date), row)) doubled.add(date);
  }
  for (const date of doubled) rows.delete(date);
  return { rows, isWhole: lost === 0 && doubled.size === 0 };
}

/** The organization named in an answer; undefined if there is none. */
export function orgIdOf(body: unknown): unknown {
  const meta = isRow(body) ? body['meta'] : undefined;
  return isRow(meta) ? meta['org_id'] : undefined;
}

/** Whether the platform says that the requested day is not finished yet, which is not a failure. */
export function isNotYet({ status, body }: Sent): boolean {
  return status === 400 && /\btoday\b/.test(JSON.stringify(body ?? ''));
}

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pauseOf(retryAfter: string | undefined, now: number): number | undefined {
  if (retryAfter === undefined) return undefined;
  return /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now;
}
