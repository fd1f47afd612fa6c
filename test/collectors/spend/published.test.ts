import { expect, test } from 'vitest';
import { addDays, startOf } from '../../../src/catalog/day.ts';
import type { Sample } from '../../../src/catalog/family.ts';
import { spendCollector } from '../../../src/collectors/spend/collector.ts';
import { tokensCollector } from '../../../src/collectors/tokens/collector.ts';
import type { TokensRow } from '../../../src/collectors/tokens/dataset.ts';
import { toolsCollector } from '../../../src/collectors/tools/collector.ts';
import { Instruments } from '../../../src/exposition/instruments.ts';
import { Page } from '../../../src/exposition/page.ts';
import { daysDescending } from '../../../src/pipeline/days-to-fetch.ts';
import { Publisher } from '../../../src/pipeline/publisher.ts';
import { dayNamed } from '../../support/day.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createFakeLogger } from '../../support/fake-logger.ts';
import { createMemoryStore } from '../../support/store.ts';
import { createFakeView } from '../fakes.ts';
import { dollars } from './view.ts';

const FIRST = dayNamed('2026-06-01');
const LAST = dayNamed('2026-06-10');
const MAX_AGE_MS = 7 * 86_400_000;

function createHarness() {
  const clock = createFakeClock(startOf(addDays(LAST, 1)), { autoAdvance: true });
  const history = createMemoryStore();
  const log = createFakeLogger();
  const samples = new Map<string, readonly Sample[]>();
  const settings = {
    ...createFakeView({}).settings,
    contract: { prices: [dollars('2026-01-14', 2_000_000)] },
  };
  const page = new Page({ families: [], clock });
  const publisher = new Publisher({
    aboutFamilies: [],
    history,
    renderText: async (family, _org, given) => {
      samples.set(family.name.replace('agent_platform_', ''), [...given]);
      return undefined;
    },
    page,
    instruments: new Instruments({ version: '', revision: '', clock, processMetrics: false }),
    clock,
    log,
  });
  publisher.use(
    {
      collectors: [tokensCollector, spendCollector, toolsCollector],
      historyStart: FIRST,
      labelLimit: () => 200,
      seriesBudget: 1000,
      maxAgeMs: MAX_AGE_MS,
    },
    new Map([[settings.name, settings]]),
  );
  return {
    clock,
    log,
    samples,
    publisher,
    put: (rows: Readonly<Record<string, TokensRow>>) =>
      history.putDays('acme', 'tokens', {
        days: Object.keys(rows).map(dayNamed),
        rows: new Map(Object.entries(rows).map(([day, row]) => [dayNamed(day), row])),
        orgId: undefined,
        at: clock.now(),
      }),
    publish: () => publisher.publish(settings.name),
  };
}

const month = Object.fromEntries(
  daysDescending(FIRST, LAST).map((day) => [
    day,
    { credits: 10, byModel: [{ model: day < LAST ? 'old' : 'new', tier: 'standard', credits: 10 }] },
  ]),
);

test('spend is published with the tokens that it derives from, whichever of their days is revised', async () => {
  const { put, publish, samples, publisher } = createHarness();
  await put(month);
  await publish();
  expect(samples.get('credits_month_to_date')).toEqual([{ labels: {}, value: 100 }]);
  expect(publisher.of('acme').collectors.get('spend')?.day).toBe(LAST);

  await put({ [FIRST]: { credits: 25 } });
  samples.clear();
  await publish();
  expect(samples.get('credits_month_to_date')).toEqual([{ labels: {}, value: 115 }]);
  expect(samples.get('cost_month_to_date')).toEqual([{ labels: { currency: 'USD' }, value: 230 }]);
});

test('a model that was not used costs 0', async () => {
  const { put, publish, samples } = createHarness();
  await put(month);
  await publish();
  const labels = { tier: 'standard', currency: 'USD' };
  expect(samples.get('daily_cost_by_model')).toEqual([
    { labels: { ...labels, model: 'new' }, value: 20 },
    { labels: { ...labels, model: 'old' }, value: 0 },
  ]);
});

test('spend goes with the tokens when they are too old, and only one of them says so', async () => {
  const { put, publish, publisher, clock, log } = createHarness();
  await put(month);
  await publish();
  clock.set(clock.now() + MAX_AGE_MS + 1);
  await publish();
  expect(publisher.of('acme').collectors.get('spend')?.expired).toBe(true);
  const withdrawn = log.events.filter(({ level }) => level === 'warn');
  expect(withdrawn.map(({ fields }) => fields?.['collector'])).toEqual(['tokens']);
});
