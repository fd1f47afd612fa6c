import type { Collector } from '../catalog/collector.ts';
import type { DatasetName } from '../catalog/dataset.ts';
import { type Instant, yesterdayOf } from '../catalog/day.ts';
import type { OrgHistory } from '../history/history.ts';
import type { Origin, PublishedCollector, PublishedOrg } from './published-orgs.ts';

/** What a publication would be made from now. */
interface Present {
  readonly origin: Origin;
  readonly history: OrgHistory;
  /** The datasets that may have changed. */
  readonly touched: ReadonlySet<DatasetName>;
}

/**
 * Whether a collector is published as it would be again, if its data is not too old by now: most polls answer what is known.
 * It compares what the families are made from, never what they show.
 */
export function isPublished(
  { name, dataset }: Collector,
  { made, collectors }: Pick<PublishedOrg, 'made' | 'collectors'>,
  { origin, history, touched }: Present,
): boolean {
  const before = collectors.get(name);
  const content = history.contentOf(dataset.name);
  return (
    made !== undefined &&
    before !== undefined &&
    isSameOrigin(made.origin, origin) &&
    made.history.revisedOn(dataset.name) === history.revisedOn(dataset.name) &&
    isSameContent(made.history.contentOf(dataset.name), content) &&
    (!touched.has(dataset.name) || isCurrent(before, origin, content))
  );
}

/** Whether a collector's families would be rendered again as they are, if the days without a row are the same. */
export function isCurrent(
  { origin, content, nextAt = Number.POSITIVE_INFINITY }: PublishedCollector,
  now: Origin,
  stored: readonly object[],
): boolean {
  return isSameOrigin(origin, now) && now.asOf < nextAt && isSameContent(content, stored);
}

/** When the next listed document will exist, on a platform whose clock is ahead of this one. */
export function nextDocumentAt(
  { dataset }: Collector,
  history: OrgHistory,
  now: Instant,
): Instant | undefined {
  if (dataset.kind === 'days') return undefined;
  let next: Instant | undefined;
  for (const document of history.documents(dataset.name)) {
    const at = dataset.existsFrom?.(document) ?? 0;
    if (at > now && (next === undefined || at < next)) next = at;
  }
  return next;
}

function isSameOrigin(then: Origin, now: Origin): boolean {
  return (
    now.publisher === then.publisher &&
    now.settings === then.settings &&
    now.orgId === then.orgId &&
    yesterdayOf(now.asOf) === yesterdayOf(then.asOf) &&
    // A clock that was set back may hide documents again.
    now.asOf >= then.asOf
  );
}

function isSameContent(one: readonly object[], other: readonly object[]): boolean {
  return one.every((part, at) => part === other[at]);
}
