import {
  type Collector,
  type FetchingCollector,
  isDayCollector,
  isFetching,
  withoutFamilies,
} from '../catalog/collector.ts';
import type { DatasetName } from '../catalog/dataset.ts';
import type { PeopleSettings } from '../catalog/settings.ts';
import { aboutFamilies, collectors as allCollectors } from '../collectors/index.ts';
import type { LiveConfig } from '../config/config.ts';
import { seriesBudgetOf } from '../pipeline/budget.ts';
import { createPublisher, type Publisher } from '../pipeline/publisher.ts';
import { createRunner } from '../pipeline/runner.ts';
import type { Core } from './core.ts';
import { withoutForeignRows } from './foreign-rows.ts';
import { type DeployedJob, jobOf } from './job.ts';
import { type DeployedOrg, deployOrg, orgSettings } from './org.ts';

/**
 * Everything derived from one configuration. It is immutable: another configuration, or a changed file that it names,
 * results in another deployment, which replaces it as a whole.
 */
export interface Deployment {
  readonly config: LiveConfig;
  /** How people are identified and assigned to teams. */
  readonly people: PeopleSettings;
  /** The enabled collectors, without the excluded metric families. */
  readonly collectors: readonly Collector[];
  /** Those that send requests; a derived collector is published together with its source. */
  readonly fetching: readonly FetchingCollector[];
  readonly names: ReadonlySet<string>;
  /** The organizations by name. */
  readonly orgs: ReadonlyMap<string, DeployedOrg>;
  readonly publisher: Publisher;
  /** The jobs by name: each fetching collector of each organization. */
  readonly jobs: ReadonlyMap<string, DeployedJob>;
  /** Aborted once another deployment has replaced this one: its runs end. */
  readonly retired: AbortController;
}

/**
 * Builds a deployment from a configuration. It takes over what is unchanged of the previous one's organizations. It has no side
 * effects, so it can be discarded.
 */
export function createDeployment(config: LiveConfig, core: Core, previous?: Deployment): Deployment {
  const enabled = allCollectors.filter(({ name }) => config.collectors.get(name) === true);
  const collectors = withoutFamilies(enabled, config.metrics.excluded);
  const fetching = enabled.filter(isFetching);
  const dayDatasets = collectors.filter(isDayCollector).map(({ dataset }) => dataset);
  const people = config.people.current();
  const retired = new AbortController();
  const keeping = { historyStart: config.history.start, retentionDays: config.history.retention };
  const shownHistory = withoutForeignRows(core.history, {
    hasOthers: () => core.store.leadership?.hasOtherSettings() === true,
    settingsOf: (org) => orgs.get(org)?.settings,
    datasets: dayDatasets,
    clock: core.clock,
  });
  const publisher = createPublisher({
    ...core,
    collectors,
    aboutFamilies,
    ...keeping,
    labelLimit: (label) => config.limits.valuesPerLabel(label),
    seriesBudget: seriesBudgetOf(config.limits.series, config.orgs.length),
    maxAgeMs: config.metrics.maxAge,
    retired: retired.signal,
    history: shownHistory,
  });
  const runner = createRunner({
    ...core,
    ...keeping,
    revisionDays: config.history.revisionWindow,
    // A run may end under a later deployment, whose settings then apply.
    publisher: {
      publish: ({ name }) => core.publish(name),
      showsIdle: core.published.showsIdle,
    },
    stopping: core.stopping.signal,
  });
  const orgs = new Map(
    config.orgs.map((org): [string, DeployedOrg] => {
      const parts = { config: org, api: config.api, settings: orgSettings(org, config, people) };
      return [org.name, deployOrg(parts, core, previous?.orgs.get(org.name))];
    }),
  );
  const jobs = [...orgs.values()].flatMap((org) =>
    fetching.map((collector) =>
      jobOf({ ...core, org, collector, runner, schedules: config.schedules, retired: retired.signal }),
    ),
  );
  return {
    config,
    people,
    collectors,
    fetching,
    orgs,
    publisher,
    retired,
    names: new Set(collectors.map(({ name }) => name)),
    jobs: new Map(jobs.map((job) => [job.name, job])),
  };
}

/** The keys of a configuration, for redaction. */
export function secretsIn({ orgs, people }: LiveConfig): readonly string[] {
  return [...orgs.flatMap(({ credential }) => credential.secrets()), ...people.secrets()];
}

/** The keys of a deployment, including inherited ones, for redaction. */
export function secretsOf({ orgs, config }: Deployment): readonly string[] {
  const takenOver = [...orgs.values()].flatMap(({ connection }) => connection.credential.secrets());
  return [...takenOver, ...secretsIn(config)];
}

/** The requested endpoints, and the datasets of days among them. */
export function datasetsOf({ fetching, collectors }: Deployment): {
  readonly endpoints: readonly DatasetName[];
  readonly dayDatasets: readonly DatasetName[];
} {
  return {
    endpoints: fetching.map(({ dataset }) => dataset.name),
    dayDatasets: collectors.filter(isDayCollector).map(({ dataset }) => dataset.name),
  };
}
