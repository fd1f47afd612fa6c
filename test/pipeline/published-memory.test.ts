import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { addDays, startOf } from '../../src/catalog/day.ts';
import { tokensCollector } from '../../src/collectors/tokens/collector.ts';
import { tokensDataset } from '../../src/collectors/tokens/dataset.ts';
import { Instruments } from '../../src/exposition/instruments.ts';
import { Page } from '../../src/exposition/page.ts';
import { Publisher } from '../../src/pipeline/publisher.ts';
import type { StoredOrg } from '../../src/store/store.ts';
import { createFakeView } from '../collectors/fakes.ts';
import { answer } from '../store/files.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { createMemoryStore } from '../support/store.ts';
import { waitFor } from '../support/wait-for.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const first = dayNamed('2026-06-01');

/** The same, which notes the rows that are read. */
function noted(stored: StoredOrg, rows: WeakRef<object>[]): StoredOrg {
  return {
    ...stored,
    days(dataset) {
      const days = stored.days(dataset);
      return {
        ...days,
        get(day) {
          const row = days.get(day);
          if (typeof row === 'object' && row !== null) rows.push(new WeakRef(row));
          return row;
        },
      };
    },
  };
}

test('no row that was read for a publication stays in memory with it', async () => {
  const rows: WeakRef<object>[] = [];
  const stored = createMemoryStore();
  const days = Array.from({ length: 30 }, (_, index) => addDays(first, index));
  await stored.putDays(
    'acme',
    'tokens',
    answer(days, Object.fromEntries(days.map((day) => [day, { credits: 10 }])), startOf(addDays(first, 30))),
  );
  const clock = createFakeClock(startOf(addDays(first, 30)), { autoAdvance: true });
  const page = new Page({ families: [], clock });
  const publisher = new Publisher({
    aboutFamilies: [],
    history: {
      standing: (org) => stored.standing(org),
      read: async (org, from) => noted(await stored.read(org, from), rows),
    },
    renderText: async (_family, _org, samples) => {
      for (const _ of samples);
      return undefined;
    },
    ...{ page, clock },
    instruments: new Instruments({ version: '', revision: '', clock, processMetrics: false }),
    log: createFakeLogger(),
  });
  const { settings } = createFakeView({});
  publisher.use(
    {
      collectors: [tokensCollector],
      historyStart: first,
      labelLimit: () => 200,
      seriesBudget: 1000,
      maxAgeMs: 7 * 86_400_000,
    },
    new Map([[settings.name, settings]]),
  );
  await publisher.publish(settings.name);
  expect(rows.length).toBeGreaterThan(0);
  await waitFor(() => {
    collectGarbage();
    expect(rows.filter((row) => row.deref() !== undefined)).toEqual([]);
  });
  const row = await publisher.withView('acme', new Map(), async (view) => view.row(tokensDataset, first));
  expect(row).toEqual({ credits: 10 });
  expect(publisher.of('acme').collectors.get('tokens')?.uncovered).toBe(0);
});
