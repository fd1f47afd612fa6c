import { type Day, dayAt, firstDay, parseDay } from '../calendar.ts';
import type { SandboxOptions } from '../types.ts';
import type { createEditions } from './conditions.ts';
import { createOrg } from './org.ts';

/** Creates the organizations of a world; `editions` are those of their days. */
export function createTenants(
  { now, seed = 1, users = 40, repos = 12, orgs = 1, days, scenarios = [] }: SandboxOptions,
  editions: ReturnType<typeof createEditions>,
) {
  // Recent events keep their date, however long the platform runs.
  const started = now();
  const spikeOn = scenarios.includes('credit-spike') ? dayAt(started) - 1 : undefined;
  const steady = scenarios.includes('steady');
  const dropBefore = scenarios.includes('readiness-drop') ? started : undefined;
  return {
    tenants: Array.from({ length: orgs }, (_, index) =>
      createOrg(index, seed, { users, repos }, editions.of, { spikeOn, dropBefore, steady }),
    ),
    /** The oldest existing day, relative to today. */
    oldestOn: (today: Day) => (days === undefined ? firstDay : Math.max(firstDay, today - days)),
    /** Changes the figures of that day (`YYYY-MM-DD`) to slightly higher ones; each call changes them again. */
    reviseDay(text: string): void {
      const day = parseDay(text);
      if (typeof day !== 'number') throw new Error(`"${text}" is not a day.`);
      editions.revise(day);
    },
  };
}
