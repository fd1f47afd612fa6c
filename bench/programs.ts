import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const KNOCK_MS = 20;
const GIVE_UP_MS = 60_000;

/** Asks a program to exit; resolves when it has. */
export async function endProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill();
  await gone;
}

/** A port on loopback that was free just now with the one after it, which a simulated Copilot takes for its organization. */
export async function freePort(): Promise<number> {
  while (true) {
    await using server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await using next = createServer().listen(port + 1, '127.0.0.1');
    const isFree = await once(next, 'listening').then(
      () => true,
      () => false,
    );
    if (isFree) return port;
  }
}

/** Resolves once a URL answers with a status that is wanted; rejects if the program ends, or after a minute. */
export async function whenAnswering(
  child: ChildProcess,
  url: string,
  wanted = (_status: number) => true,
): Promise<void> {
  const startedAt = performance.now();
  while (true) {
    const answer = await fetch(url).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer !== undefined && wanted(answer.status)) return;
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended`);
    if (performance.now() - startedAt > GIVE_UP_MS) throw new Error(`${url} does not answer`);
    await wait(KNOCK_MS);
  }
}
