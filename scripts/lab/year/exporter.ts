import { backfill } from '../../../src/backfill/backfill.ts';
import { isDayCollector } from '../../../src/catalog/collector.ts';
import { type Day, startOf } from '../../../src/catalog/day.ts';
import type { Sample } from '../../../src/catalog/family.ts';
import type { Source } from '../../../src/catalog/source.ts';
import { activityCollector } from '../../../src/collectors/activity/collector.ts';
import { aboutFamilies } from '../../../src/collectors/index.ts';
import { spendCollector } from '../../../src/collectors/spend/collector.ts';
import { creditsChangeByCause } from '../../../src/collectors/spend/comparisons.ts';
import { tokensCollector } from '../../../src/collectors/tokens/collector.ts';
import { toolsCollector } from '../../../src/collectors/tools/collector.ts';
import type { Store } from '../../../src/store/store.ts';
import { PlatformError } from '../../../src/text/errors.ts';
import type { FakeClock } from '../../../test/support/fake-clock.ts';
import { createPipeline, type Shown, shortName } from '../../../test/support/pipeline.ts';
import { firstPart } from './truth.ts';
import type { Dataset, World } from './world.ts';

// Properties of the decomposition judge a change by cause.
const families = spendCollector.families.filter((family) => family !== creditsChangeByCause);
const spend = { ...spendCollector, families };
const collectors = [tokensCollector, spend, toolsCollector, activityCollector];
const settings = {
  name: 'acme',
  readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: false },
} as const;

interface ExporterParts {
  readonly world: World;
  readonly history: Store;
  readonly clock: FakeClock;
  /** Called with the whole page whenever it has changed. */
  onPage(page: Shown): void;
  onRevisions(count: number): void;
}

/** The real pipeline, from answers to what would be rendered, on a world and its clock. */
export function createExporter({ world, history, clock, onPage, onRevisions }: ExporterParts) {
  const source = createPlatform(world, clock);
  const { poll } = createPipeline({
    ...{ collectors, settings, source, history, clock, onPage, onRevisions },
    historyStart: world.first,
  });

  return {
    poll,
    /** What a backfill writes for some days, by day. */
    async past(from: Day, to: Day): Promise<ReadonlyMap<Day, Shown>> {
      const brought = new Map<Day, Map<string, readonly Sample[]>>();
      await backfill({
        pages: {
          aboutFamilies,
          datasets: collectors.filter(isDayCollector).map(({ dataset }) => dataset),
          bounds: { historyStart: world.first },
          labelLimit: () => 200,
          seriesBudget: 1_000_000,
          knownAt: clock.now(),
          clock,
        },
        orgs: [{ settings, history: await history.read(settings.name) }],
        collectors,
        from,
        to,
        stepMs: undefined,
        target: {
          samples: 0,
          stretches: (months) => months,
          missing: (_subject, stamps) => stamps,
          begin: async () => true,
          async add(_org, families) {
            for (const { family, stamps, samples } of families) {
              const day = new Date((stamps[0] ?? 0) - 86_400_000).toISOString().slice(0, 10) as Day;
              const page = brought.get(day) ?? new Map<string, readonly Sample[]>();
              brought.set(day, page);
              const name = shortName(family.name);
              page.set(name, [...(page.get(name) ?? []), ...samples()]);
            }
          },
          added: () => undefined,
          end: async () => undefined,
          finish: async () => undefined,
          abandon: async () => undefined,
          close: () => undefined,
        },
        progress: { show: () => undefined, clear: () => undefined },
        signal: new AbortController().signal,
      });
      return brought;
    },
  };
}

function createPlatform(world: World, clock: FakeClock): Source {
  return {
    async get({ endpoint, query }) {
      const now = clock.now();
      if (world.outageAt(now) !== undefined) throw new PlatformError('network', 'nobody answers');
      const dataset = endpoint as Dataset;
      const data: unknown[] = [];
      const last = world.indexOf(query['endDate'] as Day);
      for (let index = world.indexOf(query['startDate'] as Day); index <= last; index++) {
        if (world.isBad(dataset, index, now)) throw new PlatformError('server', '500', { status: 500 });
        const row = world.rowAt(dataset, index, now);
        if (row !== undefined) data.push(rowOf(dataset, world.dayAt(index), row.main, row.both));
      }
      return { body: { data, meta: { org_id: 'org-1' } }, bytes: 50 + 200 * data.length };
    },
    pages: () => Promise.reject(new Error('nothing is paged')),
    lines: () => Promise.reject(new Error('not used')),
    inSlices: () => Promise.reject(new Error('nothing is sliced')),
  };
}

function rowOf(dataset: Dataset, date: Day, main: number, both: boolean): object {
  const first = firstPart(main, both);
  const rest = main - first;
  if (dataset === 'activity') return { date, sessions: main, daily_active_users: main };
  if (dataset === 'tools') {
    const others = both ? [{ tool: 'b', invocations: rest }] : [];
    return { date, tool_calls: main, by_tool: [{ tool: 'a', invocations: first }, ...others] };
  }
  const others = both ? [{ model_id: 'b', model_tier: 's', billable_tokens: rest }] : [];
  const models = [{ model_id: 'a', model_tier: 's', billable_tokens: first }, ...others];
  return { date, billable_tokens: main, by_model: models };
}

/** The index of the day for which each dataset is published. */
export function dataDays(page: Shown, world: World): ReadonlyMap<string, number> {
  const days = page.get('data_day_timestamp_seconds') ?? [];
  return new Map(
    days.map(({ labels, value }) => [
      labels['dataset'] ?? '',
      Math.round((value * 1000 - startOf(world.first)) / 86_400_000),
    ]),
  );
}
