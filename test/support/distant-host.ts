import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import dns from 'node:dns';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { onTestFinished, vi } from 'vitest';

/** Listens, and accepts nothing until it is allowed to; then it answers everything with "distant". */
const LISTENER = `
const { createServer } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const server = createServer((socket) => {
  socket.on('error', () => undefined).on('data', (data) => {
    parentPort.postMessage({ data: data.toString('latin1') });
    socket.end('HTTP/1.1 200 OK\\r\\nContent-Length: 7\\r\\nConnection: close\\r\\n\\r\\ndistant');
  });
});
server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
  parentPort.postMessage({ port: server.address().port });
  setImmediate(() => Atomics.wait(new Int32Array(workerData), 0, 0));
});
`;

interface DistantHost {
  readonly port: number;
  /** What it received; another thread tells it, maybe after the answer has arrived. */
  readonly received: readonly string[];
}

/**
 * Gives a name two addresses for one test: connecting to the first takes a second, and connecting to the second fails, as
 * with IPv6 in a cluster without it. Linux drops what arrives while a queue of connections is full, and the
 * client's system tries again after a second.
 */
export async function startDistantHost(name: string): Promise<DistantHost> {
  const gate = new SharedArrayBuffer(4);
  const worker = new Worker(LISTENER, { eval: true, workerData: gate });
  const fillers: Socket[] = [];
  const received: string[] = [];
  const [{ port }] = (await once(worker, 'message')) as [{ port: number }];
  worker.on('message', ({ data }: { data: string }) => received.push(data));
  for (let nth = 0; nth < 2; nth += 1) {
    const filler = connect(port, '127.0.0.1');
    fillers.push(filler.on('error', () => undefined));
    await once(filler, 'connect');
  }

  const lookup: unknown = (host: string, _options: unknown, done: Done) =>
    host === name
      ? done(null, [
          { address: '127.0.0.1', family: 4 },
          { address: '::1', family: 6 },
        ])
      : done(new Error(`unexpected name ${host}`));
  vi.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup);
  function onSocket(message: unknown): void {
    const { socket } = message as { socket: Socket };
    // The listener accepts connections once the first attempt has been dropped.
    socket.once('connectionAttempt', () => setImmediate(accept));
  }
  function accept(): void {
    Atomics.store(new Int32Array(gate), 0, 1);
    Atomics.notify(new Int32Array(gate), 0);
  }
  subscribe('net.client.socket', onSocket);
  onTestFinished(async () => {
    unsubscribe('net.client.socket', onSocket);
    vi.restoreAllMocks();
    for (const filler of fillers) filler.destroy();
    accept();
    await worker.terminate();
  });
  return { port, received };
}

type Done = (error: Error | null, addresses?: readonly dns.LookupAddress[]) => void;
