import { parse } from 'yaml';
import { type Episode, seconds } from './episodes.ts';

type Labels = Readonly<Record<string, string>>;

interface Route {
  readonly receiver: string;
  readonly matchers?: readonly string[];
  readonly group_by: readonly string[];
  readonly group_wait: string;
  readonly group_interval: string;
  readonly repeat_interval: string;
}

interface InhibitRule {
  readonly source_matchers: readonly string[];
  readonly target_matchers: readonly string[];
  readonly equal: readonly string[];
}

/** A message that says that alerts fire; messages that only resolve are left out. */
export interface Message {
  readonly at: number;
  readonly firing: readonly Episode[];
}

/** What Alertmanager would send for the alerts, by a configuration with one level of routes. Times are in seconds. */
export function messagesOf(configuration: string, episodes: readonly Episode[]): readonly Message[] {
  const config = parse(configuration) as {
    route: Route & { routes: readonly Route[] };
    inhibit_rules: readonly InhibitRule[];
  };
  const groups = new Map<string, { route: Route; members: Episode[] }>();
  for (const episode of episodes) {
    const labels = labelsOf(episode);
    const own = config.route.routes.find(({ matchers = [] }) => matches(matchers, labels));
    const route = { ...config.route, ...own };
    const key = JSON.stringify([own?.matchers, route.group_by.map((label) => labels[label] ?? '')]);
    const group = groups.get(key) ?? { route, members: [] };
    groups.set(key, group);
    group.members.push(episode);
  }
  const isInhibited = (target: Episode, at: number) =>
    config.inhibit_rules.some(
      ({ source_matchers: source, target_matchers: targets, equal }) =>
        matches(targets, labelsOf(target)) &&
        episodes.some(
          (other) =>
            isFiring(other, at) &&
            matches(source, labelsOf(other)) &&
            equal.every((label) => (labelsOf(other)[label] ?? '') === (labelsOf(target)[label] ?? '')),
        ),
    );
  return [...groups.values()].flatMap(({ route, members }) => ofGroup(route, members, isInhibited));
}

/** A group is looked at after its wait and then at its interval, for as long as it has alerts. */
function ofGroup(
  route: Route,
  members: readonly Episode[],
  isInhibited: (target: Episode, at: number) => boolean,
): readonly Message[] {
  const messages: Message[] = [];
  const waiting = members.toSorted((one, other) => one.from - other.from);
  const interval = seconds(route.group_interval);
  let told:
    | { readonly at: number; readonly firing: ReadonlySet<string>; readonly resolved: ReadonlySet<string> }
    | undefined;
  while (waiting.length > 0) {
    const [first] = waiting;
    for (let at = (first?.from ?? 0) + seconds(route.group_wait); ; at += interval) {
      const known = waiting.filter(({ from }) => from <= at);
      const shown = known.filter((episode) => !isInhibited(episode, at));
      const firing = shown.filter((episode) => isFiring(episode, at));
      const resolved = shown.filter((episode) => !isFiring(episode, at));
      // Where everything is inhibited, nothing is sent and nothing is forgotten.
      if (shown.length > 0 && isNews(firing, resolved, told, at - seconds(route.repeat_interval))) {
        if (firing.length > 0) messages.push({ at, firing });
        told = { at, firing: new Set(firing.map(identityOf)), resolved: new Set(resolved.map(identityOf)) };
      }
      // What has resolved leaves the group once it was looked at.
      for (const episode of known) {
        if (!isFiring(episode, at)) waiting.splice(waiting.indexOf(episode), 1);
      }
      if (!waiting.some(({ from }) => from <= at)) break;
    }
  }
  return messages;
}

function isNews(
  firing: readonly Episode[],
  resolved: readonly Episode[],
  told:
    | { readonly at: number; readonly firing: ReadonlySet<string>; readonly resolved: ReadonlySet<string> }
    | undefined,
  repeatedBefore: number,
): boolean {
  if (told === undefined) return firing.length > 0;
  if (firing.some((episode) => !told.firing.has(identityOf(episode)))) return true;
  if (firing.length === 0) return told.firing.size > 0;
  if (resolved.some((episode) => !told.resolved.has(identityOf(episode)))) return true;
  return told.at < repeatedBefore;
}

function isFiring({ from, until }: Episode, at: number): boolean {
  return at >= from && at < until;
}

function identityOf({ alert, labels }: Episode): string {
  return JSON.stringify([alert, Object.entries(labels).sort()]);
}

function labelsOf({ alert, severity, labels }: Episode): Labels {
  return { ...labels, severity, alertname: `AgentPlatform${alert}` };
}

function matches(matchers: readonly string[], labels: Labels): boolean {
  return matchers.every((matcher) => {
    const [, label = '', operator = '', value = ''] = /^(\w+)(=~|!~|!=|=)"(.*)"$/.exec(matcher) ?? [];
    const of = labels[label] ?? '';
    const isSame = operator.includes('~') ? new RegExp(`^(?:${value})$`).test(of) : of === value;
    return operator.startsWith('!') ? !isSame : isSame;
  });
}
