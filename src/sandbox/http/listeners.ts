import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Idle connections stay open: on a busy machine, one would be closed while the next request is on its way, which then fails.
 */
const NEVER = 0;

/** Creates the listening servers of a simulated platform, none at first. */
export function createListeners() {
  const servers = new Set<Server>();
  return {
    /** Port 0 lets the system choose; rejects if the address is unavailable. */
    async listen(handler: RequestListener, { host, port }: { readonly host: string; readonly port: number }) {
      const server = createServer({ keepAliveTimeout: NEVER }, handler);
      server.listen(port, host);
      await once(server, 'listening');
      servers.add(server);
      const { port: chosen } = server.address() as AddressInfo;
      return { url: `http://${hostInUrl(host)}:${chosen}`, port: chosen };
    },
    /** Stops listening and breaks every open connection. */
    async close(): Promise<void> {
      const closing = [...servers].map((server) => once(server.close(), 'close'));
      for (const server of servers) server.closeAllConnections();
      servers.clear();
      await Promise.all(closing);
    },
  };
}

/** A wildcard listen address cannot be connected to. */
function hostInUrl(host: string): string {
  if (host === '' || host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
