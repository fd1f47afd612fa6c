import { backfillCase } from './backfill.ts';
import type { Case } from './case.ts';
import { copilotPeopleCase } from './copilot-people.ts';
import { hookCase } from './hook.ts';
import { organizationsCase } from './organizations.ts';
import { panelsCase } from './panels.ts';
import { peopleCase } from './people.ts';
import { replicasCase } from './replicas.ts';
import { scrapesCase } from './scrapes.ts';

/** All cases in the order of the page. */
export const CASES: readonly Case[] = [
  scrapesCase({ series: 1000, runs: 3, rounds: 20, block: 50, resident: 160, registries: false }),
  scrapesCase({ series: 100_000, runs: 3, rounds: 20, block: 50, resident: 260, registries: true }),
  scrapesCase({ series: 1_000_000, runs: 1, rounds: 20, block: 100, resident: 900, registries: false }),
  organizationsCase({ orgs: 1, days: 310, runs: 3, firstSync: 5, restart: 1 }),
  organizationsCase({ orgs: 100, days: 310, runs: 1, firstSync: 60, restart: 5 }),
  organizationsCase({ orgs: 500, days: 15, runs: 1, firstSync: 60, round: 30 }),
  organizationsCase({ orgs: 500, days: 310, runs: 1, round: 30, restart: 20, resident: 450 }),
  peopleCase(42_000, 1),
  copilotPeopleCase(20_000, 3),
  hookCase(40, 1),
  backfillCase({ orgs: 1, users: 400, repos: 100, days: 310 }, 1),
  panelsCase({ days: 365, orgs: 2, models: 60, repos: 500, people: 1000 }, 3),
  replicasCase(500, 1),
  replicasCase(500, 3),
];

/** The same with one run of the smallest sizes: they show that everything works. */
export const QUICK_CASES: readonly Case[] = [
  scrapesCase({ series: 1000, runs: 1, rounds: 1, block: 50, resident: 160, registries: true }),
  organizationsCase({ orgs: 3, days: 3, runs: 1 }),
  peopleCase(100, 1),
  copilotPeopleCase(20, 1),
  hookCase(1, 1),
  backfillCase({ orgs: 1, users: 5, repos: 2, days: 5 }, 1),
  { ...panelsCase({ days: 3, orgs: 1, models: 2, repos: 2, people: 2 }, 1), onRequest: false },
];
