import { type Collector, isFetching } from '../catalog/collector.ts';
import { dayOf, endOf } from '../catalog/day.ts';
import type { KeptOrg } from '../exposition/kept-page.ts';
import type { Segment } from '../exposition/segment.ts';
import type { OrgHistory } from '../history/history.ts';
import type { PublishedCollector } from '../pipeline/published-orgs.ts';
import { createSlices } from '../runtime/slices.ts';
import type { Core } from './core.ts';
import type { Deployment } from './deployment.ts';
import type { DeployedOrg } from './org.ts';

/** The published parts of all organizations, which are made from what is stored now. */
export interface CapturedPage {
  readonly orgs: readonly KeptOrg[];
  /** From this instant on, something on the page would have changed without a new answer. */
  readonly until: number | undefined;
}

type CapturedCore = Pick<Core, 'history' | 'published' | 'publication' | 'runs' | 'clock'>;

/**
 * Takes the published part of each organization; undefined if one of them is not what the deployment would make of the
 * stored data now, as while a run stores and publishes its answers. Data that is stored meanwhile may be missing.
 */
export async function capturePage(core: CapturedCore, of: Deployment): Promise<CapturedPage | undefined> {
  const orgs: KeptOrg[] = [];
  let until = Number.POSITIVE_INFINITY;
  const slices = createSlices(core.clock);
  for (const org of of.orgs.values()) {
    await slices.next();
    const { name } = org.config;
    const stored = await core.history.read(name);
    // Nothing is awaited from here on: the part is that of the stored data.
    const { collectors, made } = core.published.of(name);
    const segments = core.publication.segmentsOf(name);
    if (segments === undefined || made === undefined || made.origin.orgId !== stored.orgId) return undefined;
    // Nothing is known of a new day, and identities are shown for a number of days only.
    until = Math.min(until, endOf(dayOf(made.origin.asOf)));
    for (const collector of of.collectors) {
      const published = collectors.get(collector.name);
      if (published === undefined || !isOfStored(published, org, stored, collector)) return undefined;
      until = Math.min(until, changesAt(published, stored, collector, of.config.metrics.maxAgeMs));
    }
    orgs.push({ org: name, segments, ...factsOf(core, of, name, collectors, segments) });
  }
  if (until <= core.clock.now()) return undefined;
  return { orgs, until: until === Number.POSITIVE_INFINITY ? undefined : until };
}

function isOfStored(
  { content, origin }: PublishedCollector,
  org: DeployedOrg,
  stored: OrgHistory,
  { dataset }: Collector,
): boolean {
  const now = stored.contentOf(dataset.name);
  return origin.settings === org.settings && content.every((part, index) => part === now[index]);
}

/** When families would go away because of their age, or when a document that is listed already will exist. */
function changesAt(
  { expired, nextAt = Number.POSITIVE_INFINITY }: PublishedCollector,
  stored: OrgHistory,
  { dataset }: Collector,
  maxAgeMs: number,
): number {
  const answeredAt = stored.answeredAt(dataset.name);
  if (expired || answeredAt === undefined) return nextAt;
  return Math.min(nextAt, answeredAt + maxAgeMs);
}

/** What the exporter's own metrics say about an organization's published part. */
function factsOf(
  { runs }: CapturedCore,
  { collectors: enabled }: Deployment,
  org: string,
  published: ReadonlyMap<string, PublishedCollector>,
  segments: ReadonlyMap<string, readonly Segment[]>,
): Omit<KeptOrg, 'org' | 'segments'> {
  const succeededAt: Record<string, number> = {};
  for (const { name } of enabled.filter(isFetching)) {
    const { lastSuccessAt } = runs.get(org, name);
    if (lastSuccessAt !== undefined) succeededAt[name] = lastSuccessAt;
  }
  const folded: Record<string, number> = {};
  const dropped: Record<string, number> = {};
  for (const [collector, { families }] of published) {
    const shown = new Set(segments.get(collector));
    dropped[collector] = families.filter(({ segment }) => segment && !shown.has(segment)).length;
    for (const { family, folded: count } of families)
      if (family.labels.length > 0) folded[family.name] = count;
  }
  return { succeededAt, folded, dropped };
}
