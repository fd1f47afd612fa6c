import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { run } from '../../src/commands/healthcheck.ts';
import { healthcheckOptions } from '../../src/config/command-options.ts';
import { createOptions } from '../../src/config/options.ts';
import { configErrorOf } from '../config/loading.ts';
import { issue } from '../web-config/certificate.ts';
import { createContext } from './surroundings.ts';

const options = { ...createOptions([]), ...healthcheckOptions };
let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function listen(answer: RequestListener): Promise<number> {
  const started = createServer(answer);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const address = started.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

async function check(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<readonly [number, string]> {
  const { context, stdout } = createContext(options, args, environment, files);
  return [await run(context), stdout()];
}

describe('an exporter that answers 200 on /-/healthy is healthy', () => {
  const healthy: RequestListener = (request, response) => {
    response.statusCode = request.url === '/-/healthy' ? 200 : 404;
    response.end('healthy');
  };

  test.each([
    [(port: number) => [`--web.listen-address=:${port}`]],
    [(port: number) => [`--web.listen-address=0.0.0.0:${port}`]],
    [(port: number) => [`--web.listen-address=[::]:${port}`]],
    [(port: number) => [`--web.listen-address=127.0.0.1:${port}`]],
    [(port: number) => [`--url=http://127.0.0.1:${port}/`]],
  ])('%s', async (args) => {
    expect(await check(args(await listen(healthy)))).toEqual([0, 'healthy\n']);
  });

  test('by the environment, whatever else it contains', async () => {
    const port = await listen(healthy);
    const environment = { AGENT_PLATFORM_WEB_LISTEN_ADDRESS: `:${port}`, AGENT_PLATFORM_UNKNOWN: 'x' };
    expect(await check([], environment)).toEqual([0, 'healthy\n']);
  });

  test('by the file, whatever else it contains', async () => {
    const port = await listen(healthy);
    const files = { 'c.yml': `web: {listen_address: ":${port}"}\nunknown: {}\n` };
    expect(await check(['--config.file=c.yml'], {}, files)).toEqual([0, 'healthy\n']);
  });
});

test('another status is unhealthy', async () => {
  const port = await listen((_, response) => response.writeHead(503).end());
  expect(await check([`--url=http://127.0.0.1:${port}`])).toEqual([
    1,
    `unhealthy: http://127.0.0.1:${port}/-/healthy answered 503\n`,
  ]);
});

test('no answer is unhealthy', async () => {
  const port = await listen((request) => request.socket.destroy());
  const [code, said] = await check([`--web.listen-address=:${port}`]);
  expect(code).toBe(1);
  expect(said).toBe(`unhealthy: http://127.0.0.1:${port}/-/healthy: socket hang up\n`);
});

describe('behind a web configuration file', () => {
  const guarded = (port: number) => [`--web.listen-address=127.0.0.1:${port}`, '--web.config.file=web.yml'];
  const { certificate, key } = issue({ name: 'elsewhere.example' });

  async function listenSecurely(
    answer: RequestListener,
    onHandshake?: (socket: Socket) => void,
  ): Promise<number> {
    const started = createSecureServer({ cert: certificate, key }, answer);
    if (onHandshake !== undefined) started.prependListener('secureConnection', onHandshake);
    server = started;
    await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
    const address = started.address();
    return address !== null && typeof address === 'object' ? address.port : 0;
  }

  test.each([
    ['that answers', 200, 0],
    ['that asks for a password', 401, 0],
    ['that is broken', 500, 1],
  ])('an exporter %s', async (_, status, code) => {
    const answer: RequestListener = (__, response) => response.writeHead(status).end();
    expect((await check(guarded(await listen(answer))))[0]).toBe(code);
    server?.close();
    expect((await check(guarded(await listenSecurely(answer))))[0]).toBe(code);
  });

  test('an exporter that disconnects because of a missing client certificate is healthy', async () => {
    const port = await listenSecurely(
      () => undefined,
      (socket) => socket.destroy(),
    );
    expect(await check(guarded(port))).toEqual([0, 'healthy\n']);
  });

  test('a closed port is unhealthy', async () => {
    const port = await listenSecurely(() => undefined);
    await new Promise((resolve) => server?.close(resolve));
    expect((await check(guarded(port)))[0]).toBe(1);
  });

  test('an address that is given is only trusted by its certificate', async () => {
    const port = await listenSecurely((_, response) => response.end());
    const [code, said] = await check([`--url=https://127.0.0.1:${port}`, '--web.config.file=web.yml']);
    expect(code).toBe(1);
    expect(said).toContain('self-signed certificate');
  });
});

test('without a web configuration file, a password that is asked for is unhealthy', async () => {
  const port = await listen((_, response) => response.writeHead(401).end());
  expect((await check([`--web.listen-address=:${port}`]))[0]).toBe(1);
});

test.each([
  [['--web.listen-address=:0'], '--web.listen-address: port 0 cannot be checked'],
  [['--url=a.example'], '--url: is not an address, such as https://api.example.com'],
  [
    ['--web.listen-address=nine'],
    '--web.listen-address: "nine" is not an address to listen on, such as :9889, 127.0.0.1:9889 or [::1]:9889',
  ],
])('%j cannot be requested', async (args, message) => {
  expect((await configErrorOf(() => check(args))).message).toBe(message);
});
