import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { startProgram } from './program.ts';

// Elsewhere the limit of open files cannot be read.
test.runIf(process.platform === 'linux')(
  'with 64 file descriptors, 80 idle clients do not lock scrapes out',
  async () => {
    const program = await startProgram([], undefined, { openFiles: 64 });
    expect(program.log()).toMatch(/level=warn.*limit of open files.* connections=12 configured=512/);
    const port = Number(/Serving.* port=(\d+)/.exec(program.log())?.[1]);
    let open = 0;
    for (let count = 0; count < 80; count++) {
      const socket = connect(port, '127.0.0.1');
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open -= 1;
      });
      await once(socket, 'connect');
      open += 1;
      // Without reading, a socket never tells that it was closed.
      socket.resume();
    }
    await waitFor(() => expect(open).toBeLessThanOrEqual(12));
    for (let scrape = 0; scrape < 3; scrape++) {
      expect((await program.get('/metrics', { headers: { connection: 'close' } })).status).toBe(200);
    }
    await waitFor(async () => {
      const page = await program.page();
      const success = Object.values(page.by('collector', 'agent_platform_exporter_collector_success'));
      expect(success.length).toBeGreaterThan(5);
      expect(success).not.toContain(0);
    });
  },
);
