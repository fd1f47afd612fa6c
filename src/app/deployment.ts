import {
  type Collector,
  type DayCollector,
  type FetchingCollector,
  isDayCollector,
  isFetching,
} from '../catalog/collector.ts';
import type { DatasetName } from '../catalog/dataset.ts';
import type { PeopleSettings } from '../catalog/settings.ts';
import { aboutFamilies, collectors as allCollectors } from '../collectors/index.ts';
import type { LiveConfig } from '../config/config.ts';
import { seriesBudgetOf } from '../pipeline/budget.ts';
import { createPublisher, type Publisher } from '../pipeline/publisher.ts';
import { createRunner, type Runner } from '../pipeline/runner.ts';
import type { Core } from './core.ts';
import { type DeployedJob, jobOf } from './job.ts';
import { connectionOf, type DeployedOrg } from './org.ts';

/**
 * Everything that follows from one configuration. It is immutable: another configuration, or a file that it follows,
 * makes another deployment, which is put in its place as a whole.
 */
export interface Deployment {
  readonly config: LiveConfig;
  /** How people are told apart and who belongs to which team. */
  readonly people: PeopleSettings;
  /** The collectors that run. */
  readonly collectors: readonly Collector[];
  /** Those among them that ask the platform; a derived one is published with the one it derives from. */
  readonly fetching: readonly FetchingCollector[];
  readonly names: ReadonlySet<string>;
  /** The organizations by name. */
  readonly orgs: ReadonlyMap<string, DeployedOrg>;
  readonly publisher: Publisher;
  readonly runner: Runner;
  /** The jobs by name: each fetching collector of each organization. */
  readonly jobs: ReadonlyMap<string, DeployedJob>;
  /** Aborted once another deployment has taken over. */
  readonly retired: AbortController;
}

/**
 * Builds a deployment from a configuration. Of the one before it takes over the connections whose settings stay the
 * same, and with them the runs under way. It changes nothing outside, so that it may be thrown away.
 */
export function createDeployment(config: LiveConfig, core: Core, previous?: Deployment): Deployment {
  const collectors = allCollectors.filter(({ name }) => config.collectors.get(name) === true);
  const fetching = collectors.filter(isFetching);
  const people = config.people.current();
  const retired = new AbortController();
  const { history, published, runs, memory, publication, instruments, renderSegment, progress } = core;
  const { clock, log } = core;
  const keeping = { historyStart: config.history.start, retentionDays: config.history.retentionDays };
  const publisher = createPublisher({
    collectors,
    aboutFamilies: aboutFamilies(dayCollectors(collectors).map(({ dataset }) => dataset)),
    ...keeping,
    labelLimit: (label) => config.limits.valuesPerLabel(label),
    seriesBudget: seriesBudgetOf(config.limits.series, config.orgs.length),
    maxAgeMs: config.metrics.maxAgeMs,
    retired: retired.signal,
    ...{ history, published, publication, instruments, renderSegment, clock, log },
  });
  const runner = createRunner({
    ...keeping,
    revisionDays: config.history.revisionWindowDays,
    // A run may end under a later deployment, whose settings then count.
    publisher: {
      publish: ({ name }, collector) => core.publish(name, collector),
      showsIdle: published.showsIdle,
    },
    onTried: core.onTried,
    stopping: core.stopping.signal,
    ...{ history, runs, memory, instruments, progress, clock, log },
  });
  const orgs = new Map(
    config.orgs.map((org): [string, DeployedOrg] => {
      const { readiness } = config;
      const settings = { name: org.name, readiness, contract: org.contract, people };
      const connection = connectionOf(org, config.api, core, previous?.orgs.get(org.name)?.connection);
      return [org.name, { config: org, settings, connection }];
    }),
  );
  const jobs = [...orgs.values()].flatMap((org) =>
    fetching.map((collector) =>
      jobOf({ org, collector, runner, schedules: config.schedules }, previous?.jobs),
    ),
  );
  return {
    ...{ config, people, collectors, fetching, orgs, publisher, runner, retired },
    names: new Set(collectors.map(({ name }) => name)),
    jobs: new Map(jobs.map((job) => [job.name, job])),
  };
}

/** Those of some collectors that fetch days. */
// biome-ignore lint/suspicious/noExplicitAny: as for FetchingCollector
export function dayCollectors(collectors: readonly Collector[]): readonly DayCollector<any>[] {
  return collectors.filter(isDayCollector);
}

/** What no log may repeat: the keys of a configuration. */
export function secretsIn({ orgs, people }: LiveConfig): readonly string[] {
  return [...orgs.flatMap(({ credential }) => credential.secrets()), ...people.secrets()];
}

/** What no log may repeat: the keys of a deployment, also those that it took over. */
export function secretsOf({ orgs, config }: Deployment): readonly string[] {
  const takenOver = [...orgs.values()].flatMap(({ connection }) => connection.credential.secrets());
  return [...takenOver, ...secretsIn(config)];
}

/** The endpoints that are asked, and the datasets of days among them. */
export function datasetsOf({ fetching, collectors }: Deployment): {
  readonly endpoints: readonly DatasetName[];
  readonly dayDatasets: readonly DatasetName[];
} {
  return {
    endpoints: fetching.map(({ dataset }) => dataset.name),
    dayDatasets: dayCollectors(collectors).map(({ dataset }) => dataset.name),
  };
}
