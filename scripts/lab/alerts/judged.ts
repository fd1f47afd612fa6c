import type { PlantedEvent } from './budget-events.ts';
import type { Episode } from './episodes.ts';
import type { Message } from './notifications.ts';
import type { PlantedYear } from './planted.ts';

/** How an alert did in an organization's year. */
export interface Judged {
  readonly alert: string;
  readonly people: number;
  /** Planted events that were told, and that were not. */
  readonly found: number;
  readonly missed: number;
  /** Alerts that were told without an event. */
  readonly falsely: number;
  /** Alerts for what may be told but need not be. */
  readonly allowed: number;
  /** Months that exceed their budget by so little that they count as neither, and those among them that were told in time. */
  readonly barelyOver: number;
  readonly barelyOverTold: number;
  /** Messages that tell something for the first time. */
  readonly firstMessages: number;
  /** Messages that repeat what an earlier one said, because it still fires. */
  readonly reminders: number;
}

/** Compares what was told with what was planted; an alert that was only ever inhibited was not told. */
export function judge(year: PlantedYear, alert: string, messages: readonly Message[]): Judged {
  const own = messages.filter(({ firing }) => firing.some(isOwn)).toSorted((one, other) => one.at - other.at);
  const told = new Set(own.flatMap(({ firing }) => firing.filter(isOwn)));
  const events = year.events.filter((event) => event.alert === alert);
  const required = events.filter(({ optional }) => optional !== true);
  const found = required.filter((event) => [...told].some((episode) => isOf(episode, event)));
  const barelyOver = events.filter(({ isBarelyOver }) => isBarelyOver === true);
  const known = new Set<Episode>();
  const firstMessages = own.filter(({ firing }) => {
    const news = firing.filter((episode) => isOwn(episode) && !known.has(episode));
    for (const episode of news) known.add(episode);
    return news.length > 0;
  }).length;
  return {
    ...{ alert, people: year.people },
    found: found.length,
    missed: required.length - found.length,
    falsely: [...told].filter((episode) => !events.some((event) => isOf(episode, event))).length,
    allowed: [...told].filter((episode) => isAllowed(episode)).length,
    barelyOver: barelyOver.length,
    barelyOverTold: barelyOver.filter((event) => [...told].some((episode) => isOf(episode, event))).length,
    firstMessages,
    reminders: own.length - firstMessages,
  };

  function isAllowed(episode: Episode): boolean {
    const causes = events.filter((event) => isOf(episode, event));
    return causes.length > 0 && causes.every(({ optional }) => optional === true);
  }

  function isOwn(episode: Episode): boolean {
    return episode.alert === alert && episode.labels['org'] === year.name;
  }
}

function isOf({ from, until, labels }: Episode, event: PlantedEvent): boolean {
  const overlaps = 1000 * from < event.until && 1000 * until > event.from;
  return overlaps && Object.entries(event.labels ?? {}).every(([label, value]) => labels[label] === value);
}
