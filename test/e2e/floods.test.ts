import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { startProgram } from './program.ts';

const MIB = 1024;
const CLIENTS = 40;

/** The largest resident memory that a process has had so far, in KiB. */
function peak(pid: number | undefined): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

// Elsewhere the memory of another process cannot be read.
test.runIf(process.platform === 'linux')(
  'clients that send 2 000 requests without reading cost little memory, and no scrape',
  async () => {
    const program = await startProgram([]);
    await waitFor(async () => expect((await program.get('/-/ready')).status).toBe(200));
    const before = peak(program.process.pid);
    const port = Number(/Serving.* port=(\d+)/.exec(program.log())?.[1]);
    for (const path of ['/', '/metrics', '/-/healthy']) {
      let open = CLIENTS;
      const sockets = Array.from({ length: CLIENTS }, () => {
        const socket = connect(port, '127.0.0.1').on('error', () => undefined);
        onTestFinished(() => void socket.destroy());
        socket.on('close', () => {
          open -= 1;
        });
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(2_000));
        return socket;
      });
      expect((await program.get('/metrics')).status).toBe(200);
      // Without reading, a socket never tells that it was closed.
      for (const socket of sockets) socket.resume();
      await waitFor(() => expect(open).toBe(0));
    }
    expect(peak(program.process.pid) - before).toBeLessThan(64 * MIB);
  },
);
