import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createTeams } from '../../../src/config/people/teams.ts';
import { parseTeams } from '../../../src/config/people/teams-file.ts';
import { dayMs } from '../../../src/sandbox/calendar.ts';
import { createOrg } from '../../../src/sandbox/world/org.ts';
import { personDay } from '../../../src/sandbox/world/person-day.ts';

const FOLDER = resolve(import.meta.dirname, '../../..');
/** As many people as a simulated organization has unless told otherwise. */
const USERS = 40;
/** The months that a typical one is the mean of. */
const MONTHS = { first: Date.UTC(2026, 9, 1) / dayMs, end: Date.UTC(2027, 0, 1) / dayMs, count: 3 };

interface Demo {
  readonly orgs: readonly {
    readonly name: string;
    readonly seats: number;
    readonly budget: { readonly credits_per_month: number };
  }[];
  readonly teams: { readonly file: string };
}

describe.each(['compose/exporter/demo.yml', 'scripts/demo-export.yml'])('%s', async (name) => {
  const file = resolve(FOLDER, name);
  const demo: Demo = parse(await readFile(file, 'utf8'));
  const teamsFile = resolve(file, '..', demo.teams.file);
  const { rules, budgets } = await parseTeams(await readFile(teamsFile, 'utf8'), teamsFile);
  const { teamOf } = createTeams({ rules, budgets });
  const orgs = demo.orgs.map((configured, index) => {
    const org = createOrg(index, 1, { users: USERS, repos: 1 }, () => 0, {
      spikeOn: undefined,
      dropBefore: undefined,
    });
    const people = org.people.map((person) => ({
      person,
      team: teamOf({ id: person.id, email: person.email ?? undefined }, 'agent-platform'),
    }));
    return { configured, org, people };
  });

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
      expect(one.configured.name).toBe(one.org.name);
      expect(one.configured.seats).toBeGreaterThanOrEqual(USERS);
      const used = monthOf(one) / one.configured.budget.credits_per_month;
      expect(used).toBeGreaterThan(0.5);
      expect(used).toBeLessThan(1.5);
    }
  });

  test('names people who exist', () => {
    const addresses = new Set(orgs.flatMap(({ org }) => org.people.map(({ email }) => email)));
    const named = rules.map(({ member }) => member).filter((member) => !member.includes('*'));
    expect(named.filter((member) => !addresses.has(member))).toEqual([]);
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
        const used = monthOf(one, team) / Number(budget);
        expect(used, team).toBeGreaterThan(0.5);
        expect(used, team).toBeLessThan(1.5);
      }
  });
});
