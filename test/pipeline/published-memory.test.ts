import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { addDays, type Day, startOf } from '../../src/catalog/day.ts';
import { tokensCollector } from '../../src/collectors/tokens/collector.ts';
import { tokensDataset } from '../../src/collectors/tokens/dataset.ts';
import { createInstruments } from '../../src/exposition/instruments.ts';
import { createPublication } from '../../src/exposition/publication.ts';
import type { OrgHistory } from '../../src/history/history.ts';
import { createMemoryHistory } from '../../src/history/memory.ts';
import { createPublishedOrgs } from '../../src/pipeline/published-orgs.ts';
import { createPublisher } from '../../src/pipeline/publisher.ts';
import { createFakeView } from '../collectors/fakes.ts';
import { answer } from '../history/files.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { waitFor } from '../support/wait-for.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const first = dayNamed('2026-06-01');

/** The same history, which notes the rows that are read. */
function noted(history: OrgHistory, rows: WeakRef<object>[]): OrgHistory {
  class Days extends Map<Day, unknown> {
    override get(day: Day): unknown {
      const row = super.get(day);
      if (typeof row === 'object' && row !== null) rows.push(new WeakRef(row));
      return row;
    }
  }
  return {
    ...history,
    days: (dataset) => new Days(history.days(dataset)),
    opened: () => noted(history.opened(), rows),
  };
}

test('no row that was read for a publication stays in memory with it', async () => {
  const rows: WeakRef<object>[] = [];
  const stored = createMemoryHistory();
  const days = Array.from({ length: 30 }, (_, index) => addDays(first, index));
  await stored.putDays(
    'acme',
    'tokens',
    answer(days, Object.fromEntries(days.map((day) => [day, { credits: 10 }])), startOf(addDays(first, 30))),
  );
  const clock = createFakeClock(startOf(addDays(first, 30)), { autoAdvance: true });
  const publication = createPublication({ families: [], clock });
  const published = createPublishedOrgs(publication);
  const publisher = createPublisher({
    collectors: [tokensCollector],
    aboutFamilies: [],
    history: { ...stored, read: async (org) => noted(await stored.read(org), rows) },
    historyStart: first,
    renderText: async (_family, _org, samples) => {
      for (const _ of samples);
      return undefined;
    },
    ...{ publication, published, clock },
    instruments: createInstruments({ version: '', revision: '', clock, processMetrics: false }),
    labelLimit: () => 200,
    seriesBudget: 1000,
    maxAgeMs: 7 * 86_400_000,
    log: createFakeLogger(),
  });
  await publisher.publish(createFakeView({}).settings, ['tokens']);
  expect(rows.length).toBeGreaterThan(0);
  await waitFor(() => {
    collectGarbage();
    expect(rows.filter((row) => row.deref() !== undefined)).toEqual([]);
  });
  const view = published.of('acme').view?.();
  expect(view?.row(tokensDataset, first)).toEqual({ credits: 10 });
  expect(published.uncoveredDays('acme', 'tokens')).toBe(0);
});
