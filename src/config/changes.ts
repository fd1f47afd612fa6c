import type { LiveConfig, OrgConfig, StartConfig } from './config.ts';

/** The names of the organizations that another configuration changes. */
export interface OrgChanges {
  /** New organizations. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Organizations with another address, or with another identifier on the platform. */
  readonly moved: readonly string[];
}

/** Options that require a restart: sockets, files and routes. */
const FIXED: Readonly<Record<string, (config: StartConfig) => unknown>> = {
  'config.file': ({ file }) => file.path,
  'config.watch': ({ file }) => file.watch,
  'storage.path': ({ storage }) => storage.path,
  'storage.url': ({ storage }) => storage.url?.describe(),
  'storage.on-damage': ({ storage }) => storage.onDamage,
  'web.listen-address': ({ web }) => [web.listen.host, web.listen.port],
  'web.telemetry-path': ({ web }) => web.telemetryPath,
  'web.max-connections': ({ web }) => web.maxConnections,
  'web.allowed-hosts': ({ web }) => web.allowedHosts,
  'web.config.file': ({ web }) => web.configFile,
  'web.open-health': ({ web }) => web.openHealth,
  'web.enable-lifecycle': ({ web }) => web.enableLifecycle,
  'hooks.requests-per-second': ({ hooks }) => hooks.requestsPerSecond,
  'log.format': ({ log }) => log.format,
};

/** Compares the organizations of two configurations. */
export function orgChanges(before: LiveConfig, after: LiveConfig): OrgChanges {
  const [old, now] = [byName(before), byName(after)];
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    moved: [...now].filter(([name, org]) => isElsewhere(old.get(name), org)).map(([name]) => name),
  };
}

/** The options that differ from those of the start and require a restart, as flags without their dashes. */
export function restartOptions(start: StartConfig, now: StartConfig): readonly string[] {
  return Object.entries(FIXED)
    .filter(([, read]) => JSON.stringify(read(start)) !== JSON.stringify(read(now)))
    .map(([option]) => option);
}

function byName({ orgs }: LiveConfig): ReadonlyMap<string, OrgConfig> {
  return new Map(orgs.map((org) => [org.name, org]));
}

function isElsewhere(before: OrgConfig | undefined, now: OrgConfig): boolean {
  if (before === undefined) return false;
  return before.baseUrl !== now.baseUrl || before.appUrl !== now.appUrl || before.orgId !== now.orgId;
}
