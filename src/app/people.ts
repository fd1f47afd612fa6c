import type { Collector } from '../catalog/collector.ts';
import { isDayCollector } from '../catalog/collector.ts';
import { daysBetween, yesterdayOf } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { People } from '../config/people/people.ts';
import type { History } from '../history/history.ts';
import type { Clock } from '../runtime/clock.ts';
import { ConfigError, messageOf } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';

export interface PeopleParts {
  /** As the configuration in use says. */
  people(): People;
  readonly collectors: readonly Collector[];
  readonly history: History;
  settingsOf(org: string): OrgSettings | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Sees to it that people are shown as the operator wants it now. */
export interface PeopleFollower {
  /** Reads files again that have changed; gives whether people are to be shown in another way now. Never rejects. */
  follow(): Promise<boolean>;
  /** Takes out of the history what may no longer be kept of people. */
  condense(): Promise<void>;
}

/** Creates what follows the files about people. */
export function createPeopleFollower(parts: PeopleParts): PeopleFollower {
  const { history, clock, log } = parts;
  const datasets = parts.collectors.filter(isDayCollector).map(({ dataset }) => dataset);
  let told: string | undefined;
  let last = stampOf(parts.people());

  function tell(error: unknown): void {
    const message = messageOf(error);
    if (message === told) return;
    told = message;
    const hint = error instanceof ConfigError ? error.hint : undefined;
    log.error('What says how people are shown cannot be used, what was read before stays', {
      error: message,
      hint,
    });
  }

  return {
    async follow() {
      const people = parts.people();
      try {
        await people.refresh();
        told = undefined;
      } catch (error) {
        tell(error);
      }
      const now = stampOf(people);
      if (now === last) return false;
      last = now;
      log.info('People are shown in another way now, their newest days are asked for again');
      return true;
    },
    async condense() {
      const yesterday = yesterdayOf(clock.now());
      for (const { name, condense } of datasets) {
        if (condense === undefined) continue;
        await history.amend(name, (row, day, org) => {
          const settings = parts.settingsOf(org) ?? ANYBODY;
          return condense(row, daysBetween(day, yesterday), settings);
        });
      }
    },
  };
}

/** Another one where people are told apart or belong to teams in another way. */
function stampOf(people: People): string {
  const { identity, teamRules } = people.current();
  return `${identity} ${teamRules}`;
}

/** For organizations that are no longer polled: nobody is told apart. */
const ANYBODY: OrgSettings = {
  name: '',
  readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: false },
};
