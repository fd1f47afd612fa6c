import { isFetching } from '../catalog/collector.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import { orgChanges } from '../config/config.ts';
import type { Core } from './core.ts';
import { type Deployment, datasetsOf, secretsOf } from './deployment.ts';
import type { DeployedJob } from './job.ts';
import { isTouched } from './org.ts';
import { trafficSettings } from './traffic.ts';

/** Creates the clients of a deployment; rejects with a `ConfigError` on an invalid address or proxy. */
export async function connect({ orgs }: Deployment, { clock }: Pick<Core, 'clock'>): Promise<void> {
  for (const { connection } of orgs.values()) {
    await connection.open();
    await clock.slices.next();
  }
}

/** Makes a deployment the current one, and ends the runs of the previous one. */
export function putInUse(next: Deployment, core: Core, previous?: Deployment): void {
  if (previous !== undefined) {
    // A pending error may still contain a former key.
    for (const key of secretsOf(previous)) core.redactor.remember(key);
    previous.retired.abort();
  }
  const { config, names, rules, orgs } = next;
  core.log.setLevel(config.log.level);
  core.turns.setLimit(config.api.maxConcurrentRequests);
  core.traffic.use(trafficSettings(config, datasetsOf(next).dayDatasets));
  core.page.setCollectors(names);
  core.publisher.use(rules, new Map([...orgs].map(([name, { settings }]) => [name, settings])));
}

/**
 * Waits for the runs of the previous deployment, and removes organizations and collectors that no longer exist. Records the jobs to
 * run again under the next deployment: those that were running, those with another address, and failing ones with other settings.
 */
export async function retire(previous: Deployment, next: Deployment, core: Core): Promise<void> {
  const { moved } = orgChanges(previous.config, next.config);
  const [restarting, waiting]: [string[], DeployedJob[]] = [[], []];
  for (const { name, org, collector } of previous.jobs.values()) {
    const job = next.jobs.get(name);
    const isFailing = core.runs.get(org, collector).failure !== undefined;
    const isHelped = isFailing && isTouched(previous.orgs.get(org), next.orgs.get(org));
    if (job === undefined || moved.includes(org) || isHelped || core.scheduler.isRunning(name))
      restarting.push(name);
    else waiting.push(job);
  }
  closeConnections(previous, next);
  const ended = core.scheduler.retire(restarting);
  // Idle jobs wait for their next tick as jobs of the next deployment; those of the previous one would end at once.
  core.scheduler.adopt(waiting);
  await ended;
  await forget(previous, next, core);
}

/** Publishes metrics about the configuration, and sets all counters of organizations to 0, so that a first increase is visible. */
export function startCounters(deployment: Deployment, { instruments }: Core): void {
  const { config, orgs } = deployment;
  instruments.familiesExcluded(config.metrics.excluded);
  instruments.configOrgs([...orgs.keys(), ...config.elsewhere]);
  for (const [org, { settings }] of orgs) instruments.initCounters(org, datasetsOf(deployment, settings));
}

/** The jobs of the named collectors, or all. */
export function jobsOf({ jobs }: Deployment, collectors?: ReadonlySet<string>): readonly DeployedJob[] {
  return [...jobs.values()].filter(({ collector }) => collectors?.has(collector) ?? true);
}

/** Closes the connections that one deployment has and another does not. */
export function closeConnections(of: Deployment, butNotOf?: Deployment): void {
  for (const [org, { connection }] of of.orgs) {
    if (butNotOf?.orgs.get(org)?.connection !== connection) connection.close();
  }
}

/** Removes the state and metrics of jobs that are no longer polled: they would never change again. */
async function forget(previous: Deployment, next: Deployment, core: Core): Promise<void> {
  const { runs, publisher, instruments } = core;
  for (const { name, org, collector } of previous.jobs.values()) {
    if (next.jobs.has(name)) continue;
    runs.forget(org, collector);
  }
  for (const org of previous.orgs.keys()) {
    const [before, now] = [previous.orgs.get(org), next.orgs.get(org)];
    if (now !== undefined && now.config.platform === before?.config.platform) continue;
    publisher.forget(org);
    instruments.forgetOrg(org);
  }
  // Unpublished families fold no values.
  const { excluded } = next.config.metrics;
  for (const org of next.orgs.keys()) {
    if (excluded.size > 0) await instruments.forgetFamilies(org, excluded);
  }
  const fetched = new Set(datasetsOf(next).endpoints);
  const gone = allCollectors.filter(({ name }) => previous.names.has(name) && !next.names.has(name));
  for (const collector of gone) {
    const dataset = collector.dataset.name;
    for (const org of next.orgs.keys()) {
      await instruments.forgetCollector({
        org,
        collector: collector.name,
        dataset: isFetching(collector) && !fetched.has(dataset) ? dataset : undefined,
        metrics: new Set(collector.families.map(({ name }) => name)),
      });
    }
  }
}
