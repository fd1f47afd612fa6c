import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDayCollector, isFetching } from '../../src/catalog/collector.ts';
import type { Family } from '../../src/catalog/family.ts';
import type { View } from '../../src/catalog/view.ts';
import { collectors } from '../../src/collectors/index.ts';
import { toolsCollector } from '../../src/collectors/tools/collector.ts';
import { reader as activityReader } from '../../src/platforms/agent-platform/activity.ts';
import { reader as productivityReader } from '../../src/platforms/agent-platform/productivity.ts';
import { reportElement } from '../../src/platforms/agent-platform/readiness.ts';
import { dayRow as tokensRow } from '../../src/platforms/agent-platform/tokens.ts';
import { reader as toolsReader } from '../../src/platforms/agent-platform/tools.ts';
import { runElement } from '../../src/platforms/agent-platform/wiki.ts';
import { salvage } from '../../src/platforms/usable-row.ts';
import { fetchDocuments } from '../support/readers.ts';
import { createFakeSource, createFakeView, DAY, fetchRows, stored } from './fakes.ts';

const name = fc.constantFrom('a', 'A', 'b', '', '__proto__', 'constructor', 'x y', null);
const number = fc.oneof(fc.integer({ min: -2, max: 1000 }), fc.constantFrom(1e308, '7', 'x', null, 0.1));

function element(...keys: string[]) {
  return fc.oneof(
    { weight: 9, arbitrary: fc.record(Object.fromEntries(keys.map((key) => [key, fc.oneof(name, number)]))) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
}

function byName(value: fc.Arbitrary<unknown>) {
  const pairs = fc.array(fc.tuple(name, value), { maxLength: 4 });
  return pairs.map((members) =>
    JSON.parse(
      `{${members.map(([key, member]) => `${JSON.stringify(String(key))}:${JSON.stringify(member)}`)}}`,
    ),
  );
}

const analyticsRow = fc.record(
  {
    date: fc.constant(DAY),
    billable_tokens: number,
    input_tokens: number,
    by_model: fc.array(element('model_id', 'model_tier', 'billable_tokens', 'input_tokens')),
    by_user: fc.array(element('billable_tokens')),
    by_tool: fc.array(element('tool', 'invocations')),
    mcp_by_server: fc.array(element('server', 'invocations')),
    skills_by_name: fc.array(element('name', 'count')),
    slash_commands_by_name: fc.array(element('name', 'count')),
    hooks_by_event: fc.array(element('event', 'matcher', 'count')),
    tool_autonomy_level_ratio: byName(number),
    daily_active_users_by_client: byName(number),
    messages: number,
    user_messages: number,
    by_extension: fc.array(element('extension', 'count')),
    by_language: fc.array(element('language', 'count')),
  },
  { requiredKeys: ['date'] },
);

const repoUrl = fc.constantFrom('https://h.tld/a', 'git@h.tld:a', 'https://u:p@h.tld/b.git', '/home/x', null);

const report = fc.record({
  reportId: name,
  createdAt: fc.oneof(fc.integer({ min: 0, max: 9 }), name),
  repoUrl,
  branch: name,
  commitHash: name,
  apps: byName(fc.constant({})),
  report: byName(element('numerator', 'denominator')),
});

const run = fc.record({ wikiRunId: name, repoUrl, createdAt: number, status: name, pageCount: number });

/** No two samples of a family have the same labels, every label is present, and every value is finite or unknown. */
function expectSound(families: readonly Family[], view: View): void {
  for (const family of families) {
    const samples = [
      ...((family.scope === 'day' ? family.samplesOf(view, DAY) : family.samplesOf(view)) ?? []),
    ];
    const keys = samples.map(({ labels }) => JSON.stringify(family.labels.map((label) => labels[label])));
    expect(new Set(keys).size, family.name).toBe(keys.length);
    for (const { labels, value } of samples) {
      expect(Object.keys(labels), family.name).toEqual(family.labels);
      expect(Number.isFinite(value) || Number.isNaN(value), family.name).toBe(true);
    }
  }
}

describe('for arbitrary answers', () => {
  test.each([
    ['tokens', tokensRow],
    ['tools', toolsReader.dayRow],
    ['activity', activityReader.dayRow],
    ['productivity', productivityReader.dayRow],
    ['readiness', reportElement],
    ['wiki', runElement],
  ])('a row of %s never makes the salvage throw', (_, schema) => {
    const anything = fc.oneof(fc.jsonValue(), analyticsRow, report, run);
    fc.assert(
      fc.property(anything, (row) => {
        const { row: saved, rejected } = salvage<unknown>(schema, JSON.parse(JSON.stringify(row)));
        expect(saved !== undefined || rejected === 1).toBe(true);
      }),
    );
  });

  test.each(collectors.filter(isDayCollector))('the families of $name are sound', async (collector) => {
    await fc.assert(
      fc.asyncProperty(analyticsRow, async (row) => {
        const { rows } = await fetchRows(collector, [row]);
        expectSound(collector.families, createFakeView({ rows: stored(rows) }));
      }),
      { numRuns: 60 },
    );
  });

  test.each(collectors.filter(isFetching).filter((collector) => !isDayCollector(collector)))(
    'the families of $name are sound',
    async (collector) => {
      if (isDayCollector(collector)) return;
      await fc.assert(
        fc.asyncProperty(fc.array(fc.oneof(report, run), { maxLength: 6 }), async (items) => {
          const source = createFakeSource({ get: () => items, pages: [{ reports: items }] });
          const { documents } = await fetchDocuments(collector, source);
          const readiness = { levelRule: 'bands' } as const;
          expectSound(collector.families, createFakeView({ documents, readiness }));
        }),
        { numRuns: 60 },
      );
    },
  );

  test('the calls by server sum to the calls that came, whatever the letter case', async () => {
    const servers = fc.array(
      fc.record({ server: fc.stringMatching(/^[a-cA-C]{1,2}$/), invocations: fc.nat(1000) }),
    );
    await fc.assert(
      fc.asyncProperty(servers, async (elements) => {
        const { rows } = await fetchRows(toolsCollector, [{ date: DAY, mcp_by_server: elements }]);
        const kept = rows.get(DAY)?.mcpByServer ?? [];
        const sum = elements.reduce((total, { invocations }) => total + invocations, 0);
        expect(kept.reduce((total, { count }) => total + (count ?? Number.NaN), 0)).toBe(sum);
        expect(new Set(kept.map(({ name: server }) => server.toLowerCase())).size).toBe(kept.length);
      }),
      { numRuns: 60 },
    );
  });
});
