import type { Connection } from './connection.ts';

/** Servers close what was idle for five seconds, Node's default; before that, connections are replaced. */
const MAX_IDLE_MS = 2000;

interface ConnectionsDeps {
  readonly open: (port: number) => Promise<Connection>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** The connections to each server, kept from one load to the next so that a short load does not measure connecting. */
export interface Connections {
  /** Resolves with this many open connections to a server. */
  take(port: number, count: number): Promise<readonly Connection[]>;
  /** Keeps them for the next load on the server. */
  keep(port: number, connections: readonly Connection[]): void;
}

export function createConnections({ open, now }: ConnectionsDeps): Connections {
  const kept = new Map<number, { readonly connections: readonly Connection[]; readonly at: number }>();
  return {
    async take(port, count) {
      const last = kept.get(port);
      kept.delete(port);
      if (last?.connections.length === count && now() - last.at < MAX_IDLE_MS) return last.connections;
      for (const connection of last?.connections ?? []) connection.close();
      return Promise.all(Array.from({ length: count }, () => open(port)));
    },
    keep(port, connections) {
      kept.set(port, { connections, at: now() });
    },
  };
}
