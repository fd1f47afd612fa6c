import type { LiveConfig, StartConfig } from './config.ts';
import type { OrgConfig } from './orgs.ts';

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
