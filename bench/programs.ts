import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const KNOCK_MS = 20;

/** Asks a program to exit; resolves when it has. */
export async function endProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill();
  await gone;
}

/** A port on loopback that was free just now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}

/** Resolves once a Prometheus is ready; rejects if it ends or is not ready after `giveUpMs`. */
export async function whenReady(prometheus: ChildProcess, host: string, giveUpMs: number): Promise<void> {
  const startedAt = performance.now();
  while (!(await isReady(host))) {
    if (prometheus.exitCode !== null) throw new Error('prometheus ended');
    if (performance.now() - startedAt > giveUpMs) throw new Error('prometheus is not ready');
    await wait(KNOCK_MS);
  }
}

async function isReady(host: string): Promise<boolean> {
  const answer = await fetch(`http://${host}/-/ready`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok === true;
}
