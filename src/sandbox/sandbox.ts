import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dayAt, firstDay, parseDay } from './calendar.ts';
import { parseFaults } from './faults.ts';
import { createApi } from './http/api.ts';
import { createKeyRing } from './http/call.ts';
import { createHandler, createRequestLog } from './http/handler.ts';
import { createReadinessListing } from './readiness/listing.ts';
import type { Answering, Sandbox, SandboxOptions } from './types.ts';
import { createEditions } from './world/conditions.ts';
import { createOrg } from './world/org.ts';

/**
 * Idle connections stay open: on a busy machine, one would be closed while the next request is on its way, which then fails.
 */
const NEVER = 0;

/**
 * Creates a simulated platform. Its data follow from the seed and the clock only; it does not listen until asked.
 * `around` may change requests and answers. Throws an Error of one sentence on an invalid fault.
 */
export function createSandbox(
  options: SandboxOptions,
  around: (answer: Answering) => Answering = (answer) => answer,
): Sandbox {
  const { now, seed = 1, users = 40, repos = 12, orgs = 1, days, scenarios = [] } = options;
  let faults = parseFaults(options.faults ?? []);
  const editions = createEditions({
    now,
    late: (org) => faults.some((fault) => fault.name === 'revised-days' && (fault.org ?? org) === org),
  });
  // Recent events keep their date, however long the platform runs.
  const started = now();
  const spikeOn = scenarios.includes('credit-spike') ? dayAt(started) - 1 : undefined;
  const dropBefore = scenarios.includes('readiness-drop') ? started : undefined;
  const tenants = Array.from({ length: orgs }, (_, index) => {
    const org = createOrg(index, seed, { users, repos }, editions.of, spikeOn);
    return { org, readiness: createReadinessListing(org, dropBefore) };
  });
  const keys = createKeyRing(tenants);
  const log = createRequestLog(1000);
  const api = createApi({
    now,
    seed,
    keys,
    faults: () => faults,
    oldestOn: (today) => (days === undefined ? firstDay : Math.max(firstDay, today - days)),
  });
  const handler = createHandler({ answer: around(api), keys, log });
  const servers = new Set<Server>();

  return {
    orgs: tenants.map(({ org }) => ({ name: org.name, orgId: org.orgId, keys: org.keys })),
    get requests() {
      return log.all();
    },
    handler,
    async listen({ host, port }) {
      const server = createServer({ keepAliveTimeout: NEVER }, handler);
      await listening(server, host, port);
      servers.add(server);
      const { port: chosen } = server.address() as AddressInfo;
      return { url: `http://${hostInUrl(host)}:${chosen}`, port: chosen };
    },
    async close() {
      await Promise.all([...servers].map(closed));
      servers.clear();
    },
    setFaults(texts) {
      faults = parseFaults(texts);
    },
    setKeysRevoked: (revoked) => keys.setRevoked(revoked),
    reviseDay(text) {
      const day = parseDay(text);
      if (typeof day !== 'number') throw new Error(`"${text}" is not a day.`);
      editions.revise(day);
    },
  };
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** A wildcard listen address cannot be connected to. */
function hostInUrl(host: string): string {
  if (host === '' || host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
