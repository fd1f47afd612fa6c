import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startChild } from '../child.ts';
import { CORES, moveToCore, onCore } from '../cores.ts';
import { endProgram, freePort, whenReady } from '../programs.ts';

/** An empty receiver of remote write. */
interface Receiver {
  /** Such as `Prometheus 2.42.0`. */
  readonly name: string;
  readonly url: string;
  /** Lower bound of the samples received; undefined if it does not count them. */
  samples(): Promise<number | undefined>;
  stop(): Promise<void>;
}

const GIVE_UP_MS = 20_000;
const CONFIG = 'global: {scrape_interval: 1h}\nstorage: {tsdb: {out_of_order_time_window: 1600d}}\n';
/** In order and out of order; some versions count the latter twice. */
const APPENDED = /^prometheus_tsdb_head_(?:out_of_order_)?samples_appended_total(?:\{.*\})? (\S+)$/gm;

/**
 * Starts Prometheus as in docs/backfill.md if it is on the path, otherwise a server that discards what it receives; `apart`
 * on a processor of its own.
 */
export async function startReceiver(directory: string, apart: boolean): Promise<Receiver> {
  const { stdout } = spawnSync('prometheus', ['--version'], { encoding: 'utf8' });
  const version = /version ([\d.]+)/.exec(stdout ?? '')?.[1];
  return version === undefined ? startPlain(directory, apart) : startPrometheus(version, apart);
}

async function startPlain(directory: string, apart: boolean): Promise<Receiver> {
  const { port, pid, stop } = await startChild(directory, 'servers/receiver.js');
  if (apart) moveToCore(CORES.peer, pid);
  const url = `http://127.0.0.1:${port}`;
  return { name: 'a plain node:http server', url, samples: async () => undefined, stop };
}

async function startPrometheus(version: string, apart: boolean): Promise<Receiver> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-prometheus-'));
  const config = path.join(folder, 'prometheus.yml');
  writeFileSync(config, CONFIG);
  const host = `127.0.0.1:${await freePort()}`;
  const flags = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${path.join(folder, 'data')}`,
    '--storage.tsdb.retention.time=6y',
    '--web.enable-remote-write-receiver',
    `--web.listen-address=${host}`,
    '--log.level=error',
  ];
  const [command = '', ...args] = apart ? onCore(CORES.peer, 'prometheus', flags) : ['prometheus', ...flags];
  const program = spawn(command, args, { stdio: 'ignore' });
  async function stop(): Promise<void> {
    await endProgram(program);
    rmSync(folder, { recursive: true });
  }
  try {
    await whenReady(program, host, GIVE_UP_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    name: `Prometheus ${version}`,
    url: `http://${host}/api/v1/write`,
    async samples() {
      const page = await (await fetch(`http://${host}/metrics`)).text();
      return [...page.matchAll(APPENDED)].reduce((sum, [, count]) => sum + Number(count), 0);
    },
    stop,
  };
}
