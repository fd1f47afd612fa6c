import type { loadConfig } from './load.ts';
import type { OrgConfig } from './orgs.ts';

export type { OrgConfig } from './orgs.ts';

/** A complete, valid configuration; options.ts says what each value means. */
export type Config = Readonly<Awaited<ReturnType<typeof loadConfig>>>;

/** The parts that require a restart: sockets, files and routes. A reload that changes them logs a warning. */
type StartPart = 'restart' | 'file' | 'storage' | 'web' | 'hooks';
export type StartConfig = Pick<Config, StartPart | 'log'>;

/** The part of a configuration that a reload applies. */
export type LiveConfig = Omit<Config, StartPart>;

/** Settings of the platform client. */
export type ApiConfig = Config['api'];

/** Settings of the hook intake. */
export type HooksConfig = Config['hooks'];

/** The names of the organizations that another configuration changes. */
export type OrgChanges = ReturnType<typeof orgChanges>;

/** Compares the organizations of two configurations. */
export function orgChanges(before: LiveConfig, after: LiveConfig) {
  const [old, now] = [byName(before), byName(after)];
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    /** Organizations with another address, or with another identifier on the platform. */
    moved: [...now].filter(([name, org]) => isElsewhere(old.get(name), org)).map(([name]) => name),
  };
}

/** The options that differ from those of the start and require a restart, as flags without their dashes. */
export function restartOptions(start: StartConfig, now: StartConfig): readonly string[] {
  return [...start.restart.keys()].filter(
    (flag) => JSON.stringify(start.restart.get(flag)) !== JSON.stringify(now.restart.get(flag)),
  );
}

function byName({ orgs }: LiveConfig): ReadonlyMap<string, OrgConfig> {
  return new Map(orgs.map((org) => [org.name, org]));
}

function isElsewhere(before: OrgConfig | undefined, now: OrgConfig): boolean {
  if (before === undefined) return false;
  const places = [before, now].map(({ platform, baseUrl, appUrl, orgId, account, kind }) =>
    [platform.name, baseUrl, appUrl, orgId, account, kind].join('\n'),
  );
  return places[0] !== places[1];
}
