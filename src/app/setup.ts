import {
  type Collector,
  type DayCollector,
  type FetchingCollector,
  isDayCollector,
  isFetching,
} from '../catalog/collector.ts';
import type { CurrentFamily } from '../catalog/family.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import { aboutFamilies, collectors as allCollectors } from '../collectors/index.ts';
import type { Config, OrgConfig } from '../config/config.ts';

/** An organization as it is polled and shown. */
export interface ServedOrg {
  readonly config: OrgConfig;
  readonly settings: OrgSettings;
}

/** What follows from a configuration; it is replaced as a whole when the configuration is read again. */
export interface Setup {
  readonly config: Config;
  /** The collectors that run. */
  readonly collectors: readonly Collector[];
  /** Those among them that ask the platform; a derived one is published with the one it derives from. */
  readonly fetching: readonly FetchingCollector[];
  readonly names: ReadonlySet<string>;
  readonly about: readonly CurrentFamily[];
  readonly orgs: ReadonlyMap<string, ServedOrg>;
  /** How many series an organization may have. */
  readonly seriesBudget: number;
}

/** Sees what a configuration means. */
export function createSetup(config: Config): Setup {
  const collectors = allCollectors.filter(({ name }) => config.collectors.get(name) === true);
  return {
    config,
    collectors,
    fetching: collectors.filter(isFetching),
    names: new Set(collectors.map(({ name }) => name)),
    about: aboutFamilies(dayCollectors(collectors).map(({ dataset }) => dataset)),
    orgs: new Map(config.orgs.map((org) => [org.name, { config: org, settings: settingsOf(config, org) }])),
    seriesBudget: Math.floor(config.limits.series / Math.max(1, config.orgs.length)),
  };
}

/** Those of some collectors that fetch days. */
// biome-ignore lint/suspicious/noExplicitAny: as for FetchingCollector
export function dayCollectors(collectors: readonly Collector[]): readonly DayCollector<any>[] {
  return collectors.filter(isDayCollector);
}

/** Every family that can be published, in page order, whatever is configured. */
export function publishedFamilies() {
  const ofCollectors = allCollectors.flatMap(({ name: collector, families }) =>
    families.map(({ name, help }) => ({ name, help, collector })),
  );
  return [...ofCollectors, ...aboutFamilies([]).map(({ name, help }) => ({ name, help }))];
}

function settingsOf({ readiness, people }: Config, { name, contract }: OrgConfig): OrgSettings {
  return {
    name,
    readiness,
    contract,
    /** As they are now: the files about them may change while the service runs. */
    get people() {
      return people.current();
    },
  };
}
