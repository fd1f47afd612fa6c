import { isDayCollector } from '../catalog/collector.ts';
import { daysBetween, yesterdayOf } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import type { Core } from './core.ts';
import type { Deployment } from './deployment.ts';
import { samePeople } from './org.ts';

/** Whether the identity mode, the teams or their budgets have changed. */
export function showsOtherPeople({ people, config }: Deployment): boolean {
  return samePeople(people, config.people.current()) !== people;
}

/** The collectors whose rows depend on the settings about people. */
export function collectorsOfPeople({ collectors }: Deployment): ReadonlySet<string> {
  return new Set(
    collectors
      .filter(isDayCollector)
      .flatMap(({ name, dataset }) => (dataset.isCurrent === undefined ? [] : [name])),
  );
}

/** Removes identities of people that may no longer be stored, including those of disabled collectors. */
export async function stripOldIdentities(
  { orgs, names }: Deployment,
  { history, clock }: Core,
): Promise<void> {
  const yesterday = yesterdayOf(clock.now());
  for (const { name: collector, dataset } of allCollectors.filter(isDayCollector)) {
    const { name, stripOldIdentities } = dataset;
    if (stripOldIdentities === undefined) continue;
    const isShown = names.has(collector);
    await history.amend(name, (row, day, org) => {
      const settings = (isShown ? orgs.get(org)?.settings : undefined) ?? ANYBODY;
      return stripOldIdentities(row, daysBetween(day, yesterday), settings);
    });
  }
}

/** The settings for organizations and collectors that are no longer configured: people are not identified. */
const ANYBODY: OrgSettings = {
  name: '',
  readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: false },
};
