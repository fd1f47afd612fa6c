import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Cost } from '../../../src/catalog/settings.ts';
import { createTeams } from '../../../src/config/people/teams.ts';
import { parseTeams } from '../../../src/config/people/teams-file.ts';
import { dayMs } from '../../../src/sandbox/calendar.ts';
import { createOrg } from '../../../src/sandbox/world/org.ts';
import type { Person as SimulatedPerson } from '../../../src/sandbox/world/people.ts';
import { personDay } from '../../../src/sandbox/world/person-day.ts';

const FOLDER = resolve(import.meta.dirname, '../../..');
/** As many people as a simulated organization has unless told otherwise. */
const USERS = 40;
/** The months that a typical one is the mean of. */
const MONTHS = { first: Date.UTC(2026, 9, 1) / dayMs, end: Date.UTC(2027, 0, 1) / dayMs, count: 3 };

/** About what the work costs that the world counts as a million credits. */
const USD_PER_MILLION: Readonly<Record<string, number>> = { 'agent-platform': 2.7, copilot: 2.5, claude: 5 };

interface Demo {
  readonly orgs: readonly {
    readonly name: string;
    readonly platform?: string;
    readonly seats?: number;
    readonly budget: { readonly credits_per_month?: number; readonly amount?: number };
  }[];
  readonly teams: { readonly file: string };
}

/** Somebody as a platform knows them. */
function knownTo(platform: string, { id, email, address, login }: SimulatedPerson) {
  if (platform === 'copilot') return { id: login, email: undefined };
  return platform === 'claude' ? { id: address, email: address } : { id, email: email ?? undefined };
}

describe.each(['compose/exporter/demo.yml', 'scripts/demo-export.yml'])('%s', async (name) => {
  const file = resolve(FOLDER, name);
  const demo: Demo = parse(await readFile(file, 'utf8'));
  const teamsFile = resolve(file, '..', demo.teams.file);
  const { rules, budgets } = await parseTeams(await readFile(teamsFile, 'utf8'), teamsFile);
  const { teamOf } = createTeams({ rules, budgets });
  const orgs = demo.orgs.map((configured) => {
    const { platform = 'agent-platform' } = configured;
    const org = createOrg(0, 1, { users: USERS, repos: 1 }, () => 0, {
      spikeOn: undefined,
      dropBefore: undefined,
      steady: platform !== 'agent-platform',
    });
    const people = org.people.map((person) => ({
      person,
      team: teamOf(knownTo(platform, person), platform),
    }));
    return { configured, org, people };
  });

  const inUsd = (credits: number, { configured }: (typeof orgs)[number]) =>
    (credits / 1e6) * (USD_PER_MILLION[configured.platform ?? 'agent-platform'] ?? 0);

  /** The credits of a team's typical month, or of everybody's. */
  function monthOf({ org, people }: (typeof orgs)[number], team?: string): number {
    let credits = 0;
    for (let day = MONTHS.first; day < MONTHS.end; day++) {
      const on = org.conditions(day);
      for (const one of people)
        if (team === undefined || one.team === team) credits += personDay(one.person, on)?.credits ?? 0;
    }
    return credits / MONTHS.count;
  }

  test('names the simulated organizations, with a seat and a budget for their people', () => {
    for (const one of orgs) {
      const { platform, seats = USERS, budget } = one.configured;
      expect(one.configured.name).toBe(platform === undefined ? 'acme' : `acme-${platform}`);
      expect(seats).toBeGreaterThanOrEqual(USERS);
      const month = monthOf(one);
      const { credits_per_month: credits, amount = 0 } = budget;
      const used = credits === undefined ? inUsd(month, one) / amount : month / credits;
      expect(used).toBeGreaterThan(0.5);
      expect(used).toBeLessThan(1.5);
    }
  });

  test('names people who exist', () => {
    const addresses = new Set(orgs.flatMap(({ org }) => org.people.map(({ address }) => address)));
    const named = rules.map(({ member }) => member).filter((member) => !member.includes('*'));
    expect(named.filter((member) => !addresses.has(member))).toEqual([]);
  });

  test('has the teams of the demo, on every platform', () => {
    for (const { people } of orgs)
      for (const { person, team } of people) expect(team, person.address).toBe(person.team);
  });

  test('has at least five people in every team of every organization', () => {
    for (const { people } of orgs)
      for (const team of new Set(rules.map((rule) => rule.team)))
        expect(people.filter((one) => one.team === team).length, team).toBeGreaterThanOrEqual(5);
  });

  test('gives teams a budget of which a typical month uses 50 to 150 %', () => {
    expect(budgets.size).toBeGreaterThan(0);
    for (const one of orgs)
      for (const [team, budget] of budgets) {
        const { amount = 0 } = budget as Cost;
        const used = inUsd(monthOf(one, team), one) / amount;
        expect(used, team).toBeGreaterThan(0.5);
        expect(used, team).toBeLessThan(1.5);
      }
  });
});
