import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { mixedIn } from '../../scripts/dashboards/rules-sums.ts';
import { addsUpOverPlatforms } from '../../src/catalog/family.ts';
import { collectors } from '../../src/collectors/index.ts';

const SELECTED = '{job=~"$job",org=~"$org"}';
const CREDITS = `max by (org) (agent_platform_daily_credits${SELECTED})`;
const INFO = `agent_platform_org_info${SELECTED}`;

test('the families that may be added up over platforms count money, sessions, commits, pull requests or lines', () => {
  const families = collectors.flatMap(({ families: declared }) => declared);
  const units = families.filter(addsUpOverPlatforms).map(({ unit }) => unit);
  expect([...new Set(units)].sort()).toEqual(['commits', 'currency', 'lines', 'pull requests', 'sessions']);
});

describe('a query that adds up over platforms what it may not', () => {
  test.each([
    ['in total', `sum by () (${CREDITS})`],
    ['on average', `avg(${CREDITS})`],
    [
      'as the largest',
      `max by (stat) (max by (org,stat) (agent_platform_daily_credits_per_user${SELECTED}))`,
    ],
    ['of recorded days', 'sum by () (last_over_time(agent_platform:daily_active_users:2d{org=~"$org"}[1d]))'],
    [
      'beside what is of one',
      `(sum(${CREDITS}) unless on () (count(count by (platform) (${INFO})) > 1)) or sum(${CREDITS})`,
    ],
    ['as rules write it', 'sum(last_over_time(agent_platform_daily_credits[25m]))'],
  ])('is found: %s', (_how, expr) => {
    expect(mixedIn(expr)).toHaveLength(1);
  });

  test.each([
    ['by organization', `sum by (org) (${CREDITS})`],
    ['by platform', `sum by (platform) (${CREDITS} * on (org) group_left (platform) ${INFO})`],
    [
      'of the organizations on one platform',
      `sum by (currency) (${CREDITS} and on (org) agent_platform_org_info{job=~"$job",org=~"$org",platform="copilot"})`,
    ],
    ['of one organization', 'sum(max by (org) (agent_platform_daily_credits{org="acme"}))'],
    [
      'where the organizations are of one platform',
      `(sum(${CREDITS}) unless on () (count(count by (platform) (${INFO})) > 1))`,
    ],
    [
      'of what counts the same on each',
      `sum by (currency) (max by (org,currency) (agent_platform_daily_cost${SELECTED}))`,
    ],
    [
      'of what one platform has alone',
      `sum by () (max by (org) (agent_platform_daily_tool_calls${SELECTED}))`,
    ],
    ['of the number of organizations', `count(${CREDITS})`],
  ])('is not one %s', (_how, expr) => {
    expect(mixedIn(expr)).toEqual([]);
  });
});

test('a panel whose figures are of one platform says so where it has none', () => {
  const root = path.resolve(import.meta.dirname, '../../dashboards');
  interface Shown {
    readonly title: string;
    readonly panels?: readonly Shown[];
    readonly targets?: readonly { readonly expr: string }[];
    readonly fieldConfig?: { readonly defaults: { readonly noValue?: string } };
  }
  const all = (some: readonly Shown[]): readonly Shown[] =>
    some.flatMap((one) => [one, ...all(one.panels ?? [])]);
  const shown = globSync('*.json', { cwd: root }).flatMap((file) =>
    all((JSON.parse(readFileSync(path.join(root, file), 'utf8')) as { panels: readonly Shown[] }).panels),
  );
  const ofOne = shown.filter(({ targets = [] }) =>
    targets.some(({ expr }) => expr.includes('unless on () (count(count by (platform)')),
  );
  expect(ofOne.length).toBeGreaterThan(10);
  const silent = ofOne.filter(
    ({ fieldConfig }) => !/ platforms?\b/.test(fieldConfig?.defaults.noValue ?? ''),
  );
  expect(silent.map(({ title }) => title)).toEqual([]);
});

test('no rule adds up over platforms what it may not', () => {
  const root = path.resolve(import.meta.dirname, '../..');
  const rules = globSync('alerts/*.rules.yaml', { cwd: root }).flatMap((file) => {
    const { groups } = parse(readFileSync(path.join(root, file), 'utf8')) as {
      groups: { rules: { expr: string }[] }[];
    };
    return groups.flatMap((group) => group.rules.map(({ expr }) => expr));
  });
  expect(rules.length).toBeGreaterThan(100);
  expect(rules.flatMap(mixedIn)).toEqual([]);
});
