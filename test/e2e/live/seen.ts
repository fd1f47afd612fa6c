import { DAY } from '../harness.ts';
import type { LiveStory } from './row.ts';

export const CREDITS = 'agent_platform_daily_credits';
export const ORG_INFO = 'agent_platform_org_info';

/** The values that a label of a metric has on the page. */
export function labelsOf(label: string, metric: string) {
  return async (story: LiveStory): Promise<readonly string[]> =>
    Object.keys((await story.page()).by(label, metric)).sort();
}

/** The value of a metric on the page; undefined if it is not there. */
export function figureOf(metric: string, labels: Readonly<Record<string, string>> = {}) {
  return async (story: LiveStory): Promise<number | undefined> => (await story.page()).value(metric, labels);
}

/** Whether a metric is on the page. */
export function hasFamily(metric: string) {
  return async (story: LiveStory): Promise<boolean> => (await story.page()).find(metric).length > 0;
}

/** The collectors that fail for a reason once they are polled. */
export function failingFor(reason: string) {
  return async (story: LiveStory): Promise<readonly string[]> => {
    await story.poll();
    const failing = (await story.page()).by('collector', 'agent_platform_exporter_collector_failing', {
      reason,
    });
    return Object.keys(failing).filter((name) => failing[name] === 1);
  };
}

/** The platforms that the next poll asks. */
export async function platformsAsked(story: LiveStory): Promise<readonly string[]> {
  const platforms = { here: story.platform, elsewhere: story.elsewhere };
  const before = Object.values(platforms).map(({ requests }) => requests.length);
  await story.poll();
  return Object.entries(platforms).flatMap(([name, { requests }], index) =>
    requests.length > (before[index] ?? 0) ? [name] : [],
  );
}

/** The paths that the next poll asks for. */
export async function askedPaths(story: LiveStory): Promise<readonly string[]> {
  const before = story.platform.requests.length;
  await story.poll();
  return [...new Set(story.platform.requests.slice(before).map(({ path }) => path))];
}

/** How often the next poll sends the same request at most. */
export async function attemptsOfOne(story: LiveStory): Promise<number> {
  const before = story.platform.requests.length;
  await story.poll();
  const asked = story.platform.requests.slice(before);
  const same = Map.groupBy(asked, ({ path, query }) => JSON.stringify([path, query]));
  return Math.max(...[...same.values()].map((attempts) => attempts.length));
}

/** Whether the platform was asked since a schedule has ticked for the first time. */
export function isAskedAfter(schedule: string) {
  const before = new WeakMap<LiveStory, number>();
  return (story: LiveStory): boolean => {
    const count = story.platform.requests.length;
    if (!before.has(story)) before.set(story, count);
    story.ticker.tick(schedule);
    return count > (before.get(story) ?? 0);
  };
}

/** The organizations that the page of the service lists. */
export async function servedOrgs(story: LiveStory): Promise<readonly string[]> {
  const status = (await (await story.get('/status')).json()) as {
    readonly orgs: readonly { readonly name: string }[];
  };
  return status.orgs.map(({ name }) => name);
}

/** How many of the newest days the first poll of the next day asks for. */
export async function daysAskedAgain(story: LiveStory): Promise<number> {
  story.clock.advance(DAY);
  const before = story.platform.requests.length;
  await story.poll();
  const starts = story.platform.requests
    .slice(before)
    .map(({ query }) => Date.parse(query['startDate'] ?? ''));
  return Math.floor((story.clock.now() - Math.min(...starts)) / DAY);
}
