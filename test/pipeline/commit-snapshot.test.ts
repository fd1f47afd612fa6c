import { expect, test } from 'vitest';
import { dayFamily, type Family } from '../../src/catalog/family.ts';
import { Instruments } from '../../src/exposition/instruments.ts';
import type { FamilyText } from '../../src/exposition/text.ts';
import { SnapshotCommit } from '../../src/pipeline/commit-snapshot.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

function familyOf(name: 'total' | 'models' | 'people', labels: readonly 'model'[]): Family {
  return dayFamily({
    ...{ name: `agent_platform_${name}`, help: 'h', unit: 'credits', source: 's' },
    ...{ labels, aggregation: 'additive', breakdown: labels.length > 0 },
    samplesOf: () => undefined,
  });
}

const [total, models] = [familyOf('total', []), familyOf('models', ['model'])];

function harness(budget: number) {
  const log = createFakeLogger();
  const instruments = new Instruments({
    ...{ version: '', revision: '', processMetrics: false },
    clock: createFakeClock(0),
  });
  const pages: (readonly string[])[] = [];
  const commit = new SnapshotCommit({
    page: {
      replace: (org, texts) =>
        void pages.push([org, ...[...texts.values()].flat().map(({ family }) => family)]),
      remove: () => undefined,
    },
    ...{ instruments, log },
  });
  return {
    pages,
    /** Publishes a total and so many models, of which so many are folded. */
    publish(series: number, folded = 0) {
      const rendered = [total, models].map((family) => {
        const count = family === total ? 1 : series;
        const text: FamilyText = { family: family.name, series: count, overflow: false, bytes: [] };
        return { family, folded: family === total ? 0 : folded, series: count, text };
      });
      const foldedCounts = new Map(folded > 0 ? [['model', folded]] : []);
      commit.replace('acme', new Map([['tokens', { families: rendered, foldedCounts }]]), budget);
    },
    /** What was logged since the last call. */
    told: () => log.events.splice(0).map(({ level, fields }) => ({ level, ...fields })),
    own: (name: string) =>
      [...instruments.textsOfOrgs('text')]
        .join('')
        .split('\n')
        .filter((line) => line.startsWith(`agent_platform_exporter_${name}{`)),
  };
}

const who = { org: 'acme', collector: 'tokens' };

test('families beyond the budget are not published, which is counted, and told when it begins and when it ends', () => {
  const { publish, pages, told, own } = harness(5);
  publish(4);
  expect(told()).toEqual([]);
  publish(5);
  publish(6);
  expect(pages).toEqual([
    ['acme', total.name, models.name],
    ['acme', total.name],
    ['acme', total.name],
  ]);
  expect(told()).toEqual([{ level: 'warn', ...who, families: models.name, limit: 5 }]);
  expect(own('families_dropped')).toEqual([
    'agent_platform_exporter_families_dropped{org="acme",collector="tokens"} 1',
  ]);
  publish(4);
  expect(told()).toEqual([{ level: 'info', ...who }]);
  expect(own('families_dropped')).toEqual([
    'agent_platform_exporter_families_dropped{org="acme",collector="tokens"} 0',
  ]);
});

test('values beyond the limit of a label are counted by family, and told when they begin and when they end', () => {
  const { publish, told, own } = harness(100);
  publish(4);
  publish(4, 3);
  publish(4, 5);
  expect(told()).toEqual([{ level: 'warn', ...who, labels: 'model', folded: 'model: 3' }]);
  expect(own('values_folded')).toEqual([
    'agent_platform_exporter_values_folded{org="acme",metric="agent_platform_models"} 5',
  ]);
  publish(4);
  expect(told()).toEqual([{ level: 'info', ...who }]);
});
