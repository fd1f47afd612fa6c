import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dayAt, firstDay, parseDay } from './calendar.ts';
import { parseFaults } from './faults.ts';
import { createApi } from './http/api.ts';
import { keyHolders } from './http/call.ts';
import { createHandler } from './http/handler.ts';
import type { Answering, SandboxOptions, SandboxOrg } from './types.ts';
import { createEditions } from './world/conditions.ts';
import { createOrg } from './world/org.ts';

/**
 * Idle connections stay open: on a busy machine, one would be closed while the next request is on its way, which then fails.
 */
const NEVER = 0;

/** A simulated platform. */
export type Sandbox = ReturnType<typeof createSandbox>;

/**
 * Creates a simulated platform. Its data follow from the seed and the clock only; it does not listen until asked.
 * `around` may change requests and answers. Throws an Error of one sentence on an invalid fault.
 */
export function createSandbox(
  options: SandboxOptions,
  around: (answer: Answering) => Answering = (answer) => answer,
) {
  const { now, seed = 1, users = 40, repos = 12, orgs = 1, days, scenarios = [] } = options;
  let faults = parseFaults(options.faults ?? []);
  const isLate = (org: string) =>
    faults.some((fault) => fault.name === 'revised-days' && (fault.org ?? org) === org);
  const editions = createEditions(now, isLate);
  // Recent events keep their date, however long the platform runs.
  const started = now();
  const spikeOn = scenarios.includes('credit-spike') ? dayAt(started) - 1 : undefined;
  const dropBefore = scenarios.includes('readiness-drop') ? started : undefined;
  const tenants = Array.from({ length: orgs }, (_, index) =>
    createOrg(index, seed, { users, repos }, editions.of, { spikeOn, dropBefore }),
  );
  const api = createApi({
    now,
    seed,
    keys: keyHolders(tenants),
    faults: () => faults,
    oldestOn: (today) => (days === undefined ? firstDay : Math.max(firstDay, today - days)),
  });
  const handler = createHandler(around(api));
  const servers = new Set<Server>();

  return {
    orgs: tenants.map(({ name, orgId, keys }): SandboxOrg => ({ name, orgId, keys })),
    handler,
    /** Port 0 lets the system choose; rejects if the address is unavailable. */
    async listen({ host, port }: { readonly host: string; readonly port: number }) {
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
    /** Replaces all faults; throws an Error of one sentence on a text that is not a fault. */
    setFaults(texts: readonly string[]): void {
      faults = parseFaults(texts);
    },
    /** Changes the figures of that day (`YYYY-MM-DD`) to slightly higher ones; each call changes them again. */
    reviseDay(text: string): void {
      const day = parseDay(text);
      if (typeof day !== 'number') throw new Error(`"${text}" is not a day.`);
      editions.revise(day);
    },
  };
}

/** A wildcard listen address cannot be connected to. */
function hostInUrl(host: string): string {
  if (host === '' || host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
