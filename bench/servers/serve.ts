import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The options that this process was started with. */
export function serverOptions<Options>(): Options {
  const [, , text = '{}'] = process.argv;
  return JSON.parse(text) as Options;
}

/** Listens on loopback, reports the port to the parent process, and exits with it. */
export function listenForParent(server: Server): void {
  process.on('disconnect', () => process.exit());
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
}
