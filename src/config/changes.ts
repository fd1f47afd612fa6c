import type { Config, OrgConfig } from './config.ts';

/** What another configuration changes. */
export interface ConfigChanges {
  /** Names of organizations that were not there before. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Names of organizations that are asked at another address, or stand for another one of the platform. */
  readonly moved: readonly string[];
  /** The options that differ and count only from the next start on, as flags without their dashes. */
  readonly fixed: readonly string[];
}

/** What stays as it was at the start: sockets, files and routes that others rely on. */
const FIXED: Readonly<Record<string, (config: Config) => unknown>> = {
  'config.file': ({ file }) => file.path,
  'config.watch': ({ file }) => file.watch,
  'storage.path': ({ storage }) => storage.path,
  'web.listen-address': ({ web }) => [web.listen.host, web.listen.port],
  'web.telemetry-path': ({ web }) => web.telemetryPath,
  'web.max-connections': ({ web }) => web.maxConnections,
  'web.config.file': ({ web }) => web.configFile,
  'web.open-health': ({ web }) => web.openHealth,
  'web.enable-lifecycle': ({ web }) => web.enableLifecycle,
  'hooks.requests-per-second': ({ hooks }) => hooks.requestsPerSecond,
  'log.format': ({ log }) => log.format,
};

/** Compares the configuration in use with another one. */
export function changesBetween(before: Config, after: Config): ConfigChanges {
  const [old, now] = [byName(before), byName(after)];
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    moved: [...now].filter(([name, org]) => isElsewhere(old.get(name), org)).map(([name]) => name),
    fixed: Object.entries(FIXED)
      .filter(([, read]) => JSON.stringify(read(before)) !== JSON.stringify(read(after)))
      .map(([option]) => option),
  };
}

function byName({ orgs }: Config): ReadonlyMap<string, OrgConfig> {
  return new Map(orgs.map((org) => [org.name, org]));
}

function isElsewhere(before: OrgConfig | undefined, now: OrgConfig): boolean {
  if (before === undefined) return false;
  return before.baseUrl !== now.baseUrl || before.appUrl !== now.appUrl || before.orgId !== now.orgId;
}
