import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../bench/programs.ts';
import { waitFor } from '../support/wait-for.ts';
import { startPlatform, startServe } from './platform.ts';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

const IDLE = 1_000;
const SLOW = 200;
const JOBS = 10;

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

const programs = createPrograms();

/** A Prometheus with these scrape configurations. */
async function startPrometheus(scrapes: string) {
  const folder = programs.folder();
  const file = join(folder, 'prometheus.yml');
  await writeFile(file, `global: {scrape_interval: 2s, scrape_timeout: 2s}\nscrape_configs:\n${scrapes}`);
  const port = await freePort();
  programs.start('prometheus', [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  return async (expression: string): Promise<readonly Series[]> => {
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`;
    const { data } = (await (await fetch(url)).json()) as { data: { result: readonly Series[] } };
    return data.result;
  };
}

/** Connections that are reopened whenever the exporter closes them, until the test ends. */
function besiege(url: string, count: number, first: () => string, then: (socket: Socket) => void) {
  const { hostname, port } = new URL(url);
  const state = { opened: 0, ended: false };
  onTestFinished(() => {
    state.ended = true;
  });
  function open(): void {
    if (state.ended) return;
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    socket.once('connect', () => {
      state.opened += 1;
      socket.write(first());
      then(socket);
    });
    socket.once('close', () => setTimeout(open, 1_000));
  }
  for (let index = 0; index < count; index++) open();
  return state;
}

/** Sends one character per second, and reads nothing of the answer. */
function drip(socket: Socket): void {
  socket.pause();
  const timer = setInterval(() => socket.write('a'), 1_000);
  socket.once('close', () => clearInterval(timer));
}

describe.runIf(requireTool('prometheus'))('Prometheus', () => {
  test('misses no scrape while a thousand connections idle and two hundred are slow', async () => {
    const platform = await startPlatform(programs);
    const serve = await startServe(programs, platform.url);
    const target = new URL(serve.url).host;
    // Many targets, so that a scrape may take as long as a busy machine needs, and there are many all the same.
    const jobs = Array.from(
      { length: JOBS },
      (_, index) =>
        `  - {job_name: exporter-${index}, scrape_interval: 15s, scrape_timeout: 15s, static_configs: [{targets: ['${target}']}]}\n`,
    );
    const query = await startPrometheus(jobs.join(''));
    const value = async (expression: string) => Number((await query(expression))[0]?.value[1]);
    await waitFor(async () => expect(await value('sum(up)')).toBe(JOBS));

    const idle = besiege(
      serve.url,
      IDLE,
      () => '',
      () => undefined,
    );
    const dripping = besiege(serve.url, SLOW / 2, () => 'GET /metrics HTTP/1.1\r\nHost: x\r\nX-Slow: ', drip);
    const reading = besiege(
      serve.url,
      SLOW / 2,
      () => 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(8),
      (socket) => void socket.pause(),
    );
    await waitFor(() => expect(idle.opened).toBeGreaterThanOrEqual(IDLE));
    await waitFor(() => {
      expect(dripping.opened).toBeGreaterThanOrEqual(SLOW / 2);
      expect(reading.opened).toBeGreaterThanOrEqual(SLOW / 2);
    });
    const scrapes = 'sum(count_over_time(up[1h]))';
    const before = await value(scrapes);
    // One each may have begun before.
    await waitFor(async () => expect(await value(scrapes)).toBeGreaterThan(before + 2 * JOBS));

    expect(await value('min(min_over_time(up[1h]))')).toBe(1);
    expect(await value('max(max_over_time(process_open_fds[1h]))')).toBeLessThan(700);
    expect(serve.program.stderr()).not.toMatch(/level=(error|warn)/);
  });

  test('scrapes each organization as a target of its own', async () => {
    const platform = await startPlatform(programs, ['--orgs=2']);
    const { url } = await startServe(programs, platform.url);
    const query = await startPrometheus(`  - job_name: agent-platform
    metrics_path: /probe
    static_configs: [{targets: [acme, nobody]}]
    relabel_configs:
      - {source_labels: [__address__], target_label: __param_target}
      - {source_labels: [__param_target], target_label: instance}
      - {target_label: __address__, replacement: '${new URL(url).host}'}
`);
    const byInstance = async (expression: string) =>
      Object.fromEntries(
        (await query(expression)).map(({ metric, value }) => [metric['instance'], Number(value[1])]),
      );
    await waitFor(async () => expect(await byInstance('up')).toEqual({ acme: 1, nobody: 0 }));
    await waitFor(async () => expect(await byInstance('probe_success')).toEqual({ acme: 1 }));
    const orgs = await query('group by (instance, org) ({__name__=~"agent_platform_.+"})');
    expect(orgs.map(({ metric }) => metric)).toEqual([{ instance: 'acme', org: 'acme' }]);
  });
});

describe('a client that', () => {
  async function answerTo(url: string, text: string): Promise<string> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    let answer = '';
    socket.on('data', (data) => {
      answer += String(data);
    });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(text);
    await waitFor(() => expect(answer).toContain('\r\n\r\n'));
    return answer;
  }

  test.each([
    ['sends no HTTP', '\x16\x03\x01planted\r\n\r\n', 400],
    ['sends an endless line', `GET /${'planted'.repeat(5_000)} HTTP/1.1\r\n`, 431],
    [
      'sends two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n',
      400,
    ],
    [
      'smuggles',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
    ],
    ['breaks a header', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\nSet-Cookie: planted\r\n\r\n', 400],
    ['names no host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['asks for a proxy', 'GET http://planted.example/ HTTP/1.1\r\nHost: planted.example\r\n\r\n', 200],
    ['asks for a file', 'GET /../../etc/planted HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    ['uses a strange method', 'PROPFIND /metrics HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ['traces', 'TRACE / HTTP/1.1\r\nHost: x\r\nCookie: planted\r\n\r\n', 405],
  ])('%s gets an answer that repeats and reveals nothing', async (_, text, status) => {
    const platform = await shared();
    const answer = await answerTo(platform, text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).not.toMatch(/planted|node_modules|at .*\.ts:|x-powered-by|^server:/im);
  });

  let exporter: Promise<string> | undefined;
  function shared(): Promise<string> {
    exporter ??= startPlatform(programs)
      .then(({ url }) => startServe(programs, url))
      .then(({ url }) => url);
    return exporter;
  }
});
