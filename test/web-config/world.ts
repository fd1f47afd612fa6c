import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { Agent as PlainAgent, request as requestPlain } from 'node:http';
import { Agent, request as requestSecure } from 'node:https';
import { hashSync } from 'bcryptjs';
import { onTestFinished } from 'vitest';
import { createHttpServer } from '../../src/server/http-server.ts';
import { writeHeaders } from '../../src/server/respond.ts';
import { openWebConfig, type WebConfig } from '../../src/web-config/web-config.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { type Issued, issue } from './certificate.ts';

/** Cheap to compare. */
export const HASH = hashSync('good', 4);
export const FILE = '/etc/exporter/web.yml';

export const authority = issue({ name: 'authority', isAuthority: true });
const server = issue({ name: 'server', issuer: authority, dns: ['localhost'] });
export const successor = issue({ name: 'successor', issuer: authority, dns: ['localhost'] });
export const client = issue({ name: 'client', issuer: authority, dns: ['prometheus.example'] });
const stranger = issue({ name: 'another authority', isAuthority: true });
export const forged = issue({ name: 'forged', issuer: stranger, dns: ['prometheus.example'] });

interface Asked {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The name in the server's certificate. */
  readonly server: string | undefined;
  /** Whether the connection was reused. */
  readonly reused: boolean;
}

export interface Ask {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly auth?: string;
  readonly certificate?: Issued;
  readonly agent?: Agent;
  readonly tls?: object;
}

export interface World {
  readonly port: number;
  readonly web: WebConfig;
  readonly clock: FakeClock;
  readonly log: ReturnType<typeof createFakeLogger>;
  readonly files: Map<string, string | Error>;
  write(yaml: string): void;
  /** Rejects if the connection is closed. */
  ask(ask?: Ask): Promise<Asked>;
}

/** An application that answers with the requested route, behind a web configuration file. */
export async function startWorld(
  yaml: string,
  options: {
    readonly openHealth?: boolean;
    readonly app?: RequestListener;
    readonly maxConnections?: number;
  } = {},
): Promise<World> {
  const files = new Map<string, string | Error>([
    [FILE, yaml],
    ['/etc/exporter/server.crt', server.certificate],
    ['/etc/exporter/server.key', server.key],
    ['/etc/exporter/ca.crt', authority.certificate],
  ]);
  const [clock, log] = [createFakeClock(0), createFakeLogger()];
  const web = await openWebConfig({
    file: FILE,
    files: createFakeFiles(files),
    clock,
    log,
    openPaths: options.openHealth === true ? ['/-/healthy', '/-/ready'] : [],
    tokenPaths: ['/hooks/events'],
  });
  const app: RequestListener =
    options.app ??
    ((request, response) => {
      writeHeaders(response, 200, ['Content-Security-Policy', "default-src 'none'", 'X-Own', 'yes']);
      response.end(`${request.method} ${request.url}`);
    });
  const { maxConnections = 100 } = options;
  const http = createHttpServer({ ...web.serve(app), clock: createSystemClock(), maxConnections });
  const { port } = await http.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await http.close(0);
    await web.close();
  });

  async function ask({
    path = '/metrics',
    method = 'GET',
    auth,
    certificate,
    ...more
  }: Ask = {}): Promise<Asked> {
    const common = { host: '127.0.0.1', port, path, method, headers: more.headers ?? {} };
    const withAuth = auth === undefined ? common : { ...common, auth };
    const request =
      web.scheme === 'http'
        ? requestPlain({ ...withAuth, agent: new PlainAgent() })
        : requestSecure({
            ...withAuth,
            agent: more.agent ?? new Agent(),
            servername: 'localhost',
            ca: authority.certificate,
            ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key }),
            ...more.tls,
          });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const { socket } = response;
    const peer =
      'getPeerCertificate' in socket && typeof socket.getPeerCertificate === 'function'
        ? socket.getPeerCertificate()
        : undefined;
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: String(Buffer.concat(await response.toArray())),
      server: peer?.subject?.CN,
      reused: request.reusedSocket,
    };
  }

  return { port, web, clock, log, files, write: (text) => files.set(FILE, text), ask };
}

/** A file with TLS, and more keys of its section. */
export function tlsFile(more = ''): string {
  return `tls_server_config: {cert_file: server.crt, key_file: server.key${more}}\n`;
}
