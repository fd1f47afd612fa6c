import { isDeepStrictEqual } from 'node:util';
import {
  type Collector,
  type FetchingCollector,
  filledOn,
  isDayCollector,
  isFetching,
  withoutFamilies,
} from '../catalog/collector.ts';
import type { DatasetName } from '../catalog/dataset.ts';
import type { OrgSettings, PeopleSettings } from '../catalog/settings.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import type { LiveConfig } from '../config/config.ts';
import { seriesBudgetOf } from '../pipeline/budget.ts';
import type { PublishRules } from '../pipeline/publisher.ts';
import { Runner } from '../pipeline/runner.ts';
import type { Core } from './core.ts';
import { type DeployedJob, jobOf } from './job.ts';
import { type DeployedOrg, deployOrg, samePeople } from './org.ts';

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
  /** The collectors that send requests; a derived collector is published together with its source. */
  readonly fetching: readonly FetchingCollector[];
  readonly names: ReadonlySet<string>;
  /** The organizations by name. */
  readonly orgs: ReadonlyMap<string, DeployedOrg>;
  readonly rules: PublishRules;
  /** The jobs by name: each fetching collector of each organization. */
  readonly jobs: ReadonlyMap<string, DeployedJob>;
  /** Aborted when another deployment replaces this one, which ends its runs. */
  readonly retired: AbortController;
}

/**
 * Builds a deployment from a configuration. Reuses unchanged organizations and rules of the previous deployment, so that they are
 * not published again. Has no side effects, so the result can be discarded.
 */
export function createDeployment(config: LiveConfig, core: Core, previous?: Deployment): Deployment {
  const enabled = allCollectors.filter(({ name }) => config.collectors.get(name) === true);
  const rules = rulesOf(config, enabled, previous);
  const fetching = enabled.filter(isFetching);
  const people = samePeople(previous?.people, config.people.current());
  const retired = new AbortController();
  const runner = new Runner({
    ...core,
    historyStart: rules.historyStart,
    retentionDays: config.history.retention,
    revisionDays: config.history.revisionWindow,
    stopping: core.stopping.signal,
  });
  const orgs = new Map(
    config.orgs.map((org): [string, DeployedOrg] => [
      org.name,
      deployOrg({ org, config, people }, core, previous?.orgs.get(org.name)),
    ]),
  );
  const jobs = [...orgs.values()].flatMap((org) =>
    filledOn(fetching, org.settings).map((collector) =>
      jobOf({ ...core, org, collector, runner, schedules: config.schedules, retired: retired.signal }),
    ),
  );
  return {
    ...{ config, people, fetching, orgs, rules, retired },
    collectors: rules.collectors,
    names: new Set(enabled.map(({ name }) => name)),
    jobs: new Map(jobs.map((job) => [job.name, job])),
  };
}

/** The publishing rules of a configuration; the previous object if they are equal. */
function rulesOf(
  config: LiveConfig,
  enabled: readonly Collector[],
  previous: Deployment | undefined,
): PublishRules {
  const same = previous?.rules;
  const rules: PublishRules = {
    collectors: withoutFamilies(enabled, config.metrics.excluded),
    historyStart: config.history.start,
    retentionDays: config.history.retention,
    labelLimit: (label) => config.limits.valuesPerLabel(label),
    seriesBudget: seriesBudgetOf(config.limits.series, config.orgs.length),
    maxAgeMs: config.metrics.maxAge,
  };
  return same !== undefined && isDeepStrictEqual(plain(same), plain(rules)) ? same : rules;
}

/** The rules as plain values, for comparison. */
function plain({ collectors, labelLimit, ...rest }: PublishRules) {
  const limited = collectors.map(({ name, families }) => [
    name,
    families.map((family) => [family.name, family.labels.map(labelLimit)]),
  ]);
  return { ...rest, limited };
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

/** The datasets that are requested for all organizations or for one, and those of them that have days. */
export function datasetsOf(
  { fetching }: Pick<Deployment, 'fetching'>,
  org?: OrgSettings,
): {
  readonly endpoints: readonly DatasetName[];
  readonly dayDatasets: readonly DatasetName[];
} {
  const own = org === undefined ? fetching : filledOn(fetching, org);
  return {
    endpoints: own.map(({ dataset }) => dataset.name),
    dayDatasets: own.filter(isDayCollector).map(({ dataset }) => dataset.name),
  };
}
