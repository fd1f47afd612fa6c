import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Sandbox } from '../../src/sandbox/index.ts';

type Row = Readonly<Record<string, unknown>>;

/** An answer of the platform as it went over the wire. */
export interface Sent {
  readonly org: string;
  readonly collector: string;
  /** 0 where the connection was closed without one. */
  readonly status: number;
  /** The whole JSON body; undefined where it was cut off or is none. */
  readonly body: unknown;
  /** The days that were asked for, `YYYY-MM-DD`; empty where the endpoint has none. */
  readonly from: string;
  readonly to: string;
  /** Whether this sends the client on to another path of the same host, which then answers the same request. */
  readonly goesOn: boolean;
  /** Whether rows were asked for in groups. */
  readonly grouped: boolean;
}

/** The simulated platform behind a listener that keeps what was really sent. */
export interface Wire {
  readonly url: string;
  /** The answers sent since this was last asked. */
  take(): readonly Sent[];
  close(): Promise<void>;
}

const COLLECTORS: Readonly<Record<string, string>> = {
  wiki: 'wiki',
  'maturity-level-reports': 'readiness',
  'agent-readiness-reports': 'readiness',
};

/** Starts the listener on a free port of this machine. */
export async function createWire(platform: Sandbox): Promise<Wire> {
  const orgOf = new Map(platform.orgs.map(({ name, keys }) => [`Bearer ${keys.owner}`, name]));
  let sent: Sent[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://platform.invalid');
    const last = url.pathname.split('/').at(-1) ?? '';
    const pieces: string[] = [];
    let whole = false;
    let goesOn = false;
    const { write, end, writeHead } = response;
    response.writeHead = ((status: number, headers: Readonly<Record<string, string>>) => {
      goesOn = headers['location']?.startsWith('/') ?? false;
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
      sent.push({
        org: orgOf.get(request.headers.authorization ?? '') ?? '',
        collector: COLLECTORS[last] ?? last,
        status: response.headersSent ? response.statusCode : 0,
        body: whole ? parsed(pieces.join('')) : undefined,
        from: url.searchParams.get('startDate') ?? '',
        to: url.searchParams.get('endDate') ?? '',
        goesOn,
        grouped: url.searchParams.has('group_by'),
      });
    });
    platform.handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
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

/** The rows of an answer's body by their day; those without a proper day are left out. */
export function rowsByDay(body: unknown): ReadonlyMap<string, Row> {
  const data = isRow(body) ? body['data'] : undefined;
  const rows = Array.isArray(data) ? data.filter(isRow) : [];
  return new Map(
    rows.flatMap((row) => (typeof row['date'] === 'string' ? [[row['date'], row] as const] : [])),
  );
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
