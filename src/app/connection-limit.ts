import type { Config } from '../config/config.ts';
import type { Files } from '../files/reader.ts';
import type { Logger } from '../log/logger.ts';

/** File descriptors that the process itself needs: about thirty, with a margin. */
const OWN = 48;

/** Connections to the platform that stay open per organization. */
const PER_ORG = 4;

interface Wanted {
  /** The configured maximum. */
  readonly maxConnections: number;
  readonly orgs: number;
}

/**
 * The number of connections that HTTP clients may hold. Without a free file descriptor, the system accepts no connection, and idle
 * clients would lock out every scrape. So the exporter's own descriptors are reserved, except that clients always get an eighth of
 * all. `limits` is the text of `/proc/self/limits`; without it, the configured maximum applies.
 */
export function connectionLimit(limits: string | undefined, { maxConnections, orgs }: Wanted): number {
  const openFiles = Number(/^Max open files +(\d+)/m.exec(limits ?? '')?.[1] ?? Number.POSITIVE_INFINITY);
  const left = Math.max(openFiles - OWN - PER_ORG * orgs, Math.floor(openFiles / 8));
  return Math.min(maxConnections, Math.max(left, 1));
}

/** The number of connections that clients may hold on this machine; warns if it is below the configured one. */
export async function connectionsAllowed(
  files: Files,
  { web: { maxConnections }, orgs }: Pick<Config, 'web' | 'orgs'>,
  log: Logger,
): Promise<number> {
  // Only Linux has this file. Node.js has raised the soft limit to the hard one.
  const limits = await files.read('/proc/self/limits').catch(() => undefined);
  const connections = connectionLimit(limits, { maxConnections, orgs: orgs.length });
  if (connections < maxConnections) {
    const fields = { connections, configured: maxConnections };
    log.warn('Fewer connections than configured: the limit of open files is low', fields);
  }
  return connections;
}
