import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { alertName, defaultSettings, ruleGroups } from '../../alerts/src/index.ts';
import { aboutFamilies, collectors } from '../../src/collectors/index.ts';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';
import { hookMetrics } from '../../src/intake/metrics.ts';
import { platforms } from '../../src/platforms/list.ts';

const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
const sections = runbook.split(/^## /m).slice(1);
const names = ruleGroups(defaultSettings).flatMap(({ alerts }) => alerts.map(alertName));

describe('the runbook', () => {
  test('has a section for each alert and for nothing else', () => {
    const titles = sections.map((section) => section.split('\n')[0]);
    expect([...titles].sort()).toEqual([...names].sort());
  });

  test.each(sections.map((section) => [section.split('\n')[0], section]))(
    '%s: meaning, impact, how to look, what to do',
    (_title, section = '') => {
      const parts = [...section.matchAll(/^\*\*(.+?)\.\*\*/gm)].map(([, part]) => part);
      expect(parts).toEqual(['Meaning', 'Impact', 'How to look', 'What to do']);
      expect(section).toMatch(/```promql\n[^`]+\n```/);
    },
  );

  test('says below what a day of each platform is no spike, where no threshold does', () => {
    const spike = sections.find((section) => section.startsWith('AgentPlatformCreditSpike')) ?? '';
    const said = spike.replaceAll(/\s+/g, ' ');
    for (const { title, money } of platforms.slice(1)) {
      const { measure, floor, currency } = money;
      const amount = String(floor).replace(/\B(?=(\d{3})+$)/g, ' ');
      expect(said).toContain(
        `the floor of ${title} is ${amount} ${measure === 'cost' ? currency : 'credits'}`,
      );
    }
  });

  test('uses only metrics of the catalogue', () => {
    const known = new Set<string>([
      ...[...collectors.flatMap(({ families }) => families), ...aboutFamilies].map(({ name }) => name),
      ...[...Object.values(ownMetrics), ...Object.values(hookMetrics)].map(({ name }) => name),
    ]);
    const asked = [...runbook.matchAll(/\bagent_platform_\w+/g)].map(([name]) =>
      name.replace(/_bucket$/, ''),
    );
    expect(asked.filter((name) => !known.has(name) && name !== 'agent_platform_')).toEqual([]);
  });
});
