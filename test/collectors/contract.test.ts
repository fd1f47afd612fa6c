import { describe, expect, test } from 'vitest';
import { isDayCollector, isFetching } from '../../src/catalog/collector.ts';
import { aboutFamilies, collectors } from '../../src/collectors/index.ts';
import { createFakeView, DAY, expositionOf, linesOf } from './fakes.ts';

const families = [...collectors.flatMap((collector) => collector.families), ...aboutFamilies];

/** The labels of closed sets, by the collector that has them. */
const fixed: Readonly<Record<string, readonly string[]>> = {
  tokens: ['kind', 'breakdown'],
  spend: ['cause', 'currency'],
  tools: ['stat'],
  activity: ['role', 'kind'],
  productivity: ['action', 'outcome', 'output'],
  users: ['stat', 'currency', 'role', 'action'],
  readiness: ['status'],
  wiki: [],
};

describe('the declared metrics', () => {
  // The published contract, on which dashboards and alerts depend: `-u` adds a family, and no line of another one changes.
  test('have the names and labels of the golden list', async () => {
    const lines = families.map(({ name, labels }) => `${name}{${labels.join(',')}}\n`);
    await expect(lines.join('')).toMatchFileSnapshot('golden/families.txt');
  });

  test('come from the collectors in their order, all on by default except users', () => {
    expect(
      collectors.map((collector) => [
        collector.name,
        isFetching(collector) ? collector.schedule : `with ${collector.derivesFrom}`,
        collector.enabledByDefault,
      ]),
    ).toEqual([
      ['tokens', 'analytics', true],
      ['spend', 'with tokens', true],
      ['tools', 'analytics', true],
      ['activity', 'analytics', true],
      ['productivity', 'analytics', true],
      ['users', 'users', false],
      ['readiness', 'readiness', true],
      ['wiki', 'wiki', true],
    ]);
  });

  test.each(collectors)(
    'of $name fold no label of a closed set, in any family',
    ({ name, families: own }) => {
      const fixedOf = own.flatMap(({ fixedLabels = [] }) => fixedLabels);
      expect([...new Set(fixedOf)]).toEqual(fixed[name]);
      for (const { labels, fixedLabels = [] } of own) {
        expect(fixedLabels).toEqual(labels.filter((label) => fixed[name]?.includes(label)));
      }
    },
  );

  test.each(families)(
    '$name has a help of one line without double quotes, ending in a full stop',
    ({ help }) => {
      expect(help).toMatch(/^[A-Z][^"\n]*\.$/);
    },
  );

  test('say that counts of people are not to be summed', () => {
    const shared = families.filter(
      ({ aggregation, labels }) => aggregation === 'distinct' && labels.length > 0,
    );
    expect(shared.map(({ help }) => help).every((help) => help.includes('Do not sum'))).toBe(true);
  });

  test('are infos and timestamps exactly where their names say so', () => {
    for (const { name, aggregation } of families) {
      expect(aggregation === 'info', name).toBe(name.endsWith('_info'));
      expect(aggregation === 'timestamp', name).toBe(name.endsWith('_timestamp_seconds'));
      expect(name).not.toMatch(/_(total|count|sum|bucket)$/);
    }
  });

  test('drop the per-user families and the per-criterion counts first', () => {
    const details = families.filter(({ dropPriority }) => dropPriority === 'detail').map(({ name }) => name);
    expect(details.filter((name) => !/_by_user$|_user_info$/.test(name))).toEqual([
      'agent_platform_readiness_criterion_passed',
      'agent_platform_readiness_criterion_evaluated',
    ]);
  });
});

describe('an idle day', () => {
  // `-u` adds a family that is 0 then, and no line of another one changes.
  test('is 0 where that follows, and absent where it does not', async () => {
    const lines = collectors
      .filter(isDayCollector)
      .flatMap(({ dataset, families: own }) =>
        expositionOf(own, createFakeView({ rows: new Map([[DAY, dataset.idle]]) })),
      )
      // What is unknown is not published, such as the rest of a total that is not in these rows.
      .filter((line) => !line.endsWith(' NaN'));
    await expect(lines.map((line) => `${line}\n`).join('')).toMatchFileSnapshot('golden/idle-day.txt');
  });
});

describe('the families about the data', () => {
  const datasets = collectors.filter(isDayCollector).map(({ dataset }) => dataset);
  const ofFirst = { datasets: datasets.slice(0, 2) };

  test('show the newest day in Unix seconds, the uncovered days and the organization', () => {
    const view = createFakeView({ rows: new Map([[DAY, {}]]), orgId: 'org_1', ...ofFirst });
    expect(expositionOf(aboutFamilies, view)).toEqual([
      'data_day_timestamp_seconds{dataset="tokens"} 1773100800',
      'data_day_timestamp_seconds{dataset="tools"} 1773100800',
      'history_uncovered{dataset="tokens"} 4',
      'history_uncovered{dataset="tools"} 4',
      'org_info{org_id="org_1",platform="agent-platform"} 1',
    ]);
  });

  test('omit what is not known yet', () => {
    const view = createFakeView(ofFirst);
    expect(aboutFamilies.map((family) => linesOf(family, view))).toEqual([
      [],
      ['{dataset="tokens"} 4', '{dataset="tools"} 4'],
      ['{org_id="",platform="agent-platform"} 1'],
    ]);
  });
});
