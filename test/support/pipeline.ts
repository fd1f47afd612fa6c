import { type Collector, isFetching } from '../../src/catalog/collector.ts';
import type { Day } from '../../src/catalog/day.ts';
import type { Sample } from '../../src/catalog/family.ts';
import type { OrgSettings } from '../../src/catalog/settings.ts';
import type { Source } from '../../src/catalog/source.ts';
import { aboutFamilies } from '../../src/collectors/index.ts';
import { Instruments } from '../../src/exposition/instruments.ts';
import type { Page } from '../../src/exposition/page.ts';
import type { FamilyText } from '../../src/exposition/text.ts';
import { Publisher } from '../../src/pipeline/publisher.ts';
import { createRunStates } from '../../src/pipeline/run-states.ts';
import { Runner } from '../../src/pipeline/runner.ts';
import { agentPlatform } from '../../src/platforms/agent-platform/platform.ts';
import type { Store } from '../../src/store/store.ts';
import type { FakeClock } from './fake-clock.ts';
import { createFakeLogger } from './fake-logger.ts';

/** The samples of each family, by its name without the prefix. */
export type Shown = ReadonlyMap<string, readonly Sample[]>;

interface PipelineParts {
  readonly collectors: readonly Collector[];
  readonly settings: OrgSettings;
  readonly source: Source;
  readonly history: Store;
  readonly historyStart: Day;
  readonly clock: FakeClock;
  /** Called with the whole page whenever it has changed. */
  onPage(page: Shown): void;
  onRevisions?(count: number): void;
  /** How many values of a label are kept; 200 by default. */
  readonly valuesPerLabel?: number;
}

/** The real pipeline of an organization, from answers to what would be rendered. */
export function createPipeline(parts: PipelineParts) {
  const { collectors, settings, source, history, historyStart, clock, onPage, onRevisions } = parts;
  const log = createFakeLogger();
  const runs = createRunStates();
  const instruments = new Instruments({ version: '', revision: '', clock, processMetrics: false });
  instruments.dayRevisions = ({ count }) => onRevisions?.(count);
  const samplesOf = new WeakMap<FamilyText, readonly Sample[]>();
  const page: Pick<Page, 'replace' | 'remove'> = {
    replace(_org, texts) {
      const all = [...texts.values()].flat();
      onPage(new Map(all.map((text) => [shortName(text.family), samplesOf.get(text) ?? []])));
    },
    remove: () => undefined,
  };
  const publisher = new Publisher({
    aboutFamilies,
    history,
    async renderText(family, _org, given) {
      const samples = [...given];
      // Nobody reads the bytes of a page here.
      const text = { family: family.name, series: samples.length, overflow: false, bytes: [] };
      samplesOf.set(text, samples);
      return text;
    },
    page,
    instruments,
    clock,
    log,
  });
  publisher.use(
    {
      ...{ collectors, historyStart },
      labelLimit: () => parts.valuesPerLabel ?? 200,
      seriesBudget: 1_000_000,
      maxAgeMs: 30 * 86_400_000,
    },
    new Map([[settings.name, settings]]),
  );
  const runner = new Runner({
    history,
    historyStart,
    revisionDays: 7,
    publisher,
    runs,
    instruments,
    clock,
    log,
  });
  return {
    runs,
    /** Runs each collector once, or those with these names. */
    async poll(names?: readonly string[]) {
      for (const collector of collectors
        .filter(isFetching)
        .filter(({ name }) => names?.includes(name) ?? true))
        await runner.run({ org: settings, platform: agentPlatform, source }, collector, 'scheduled');
    },
  };
}

/** A recorded series has the figures of its family. */
export function shortName(family: string): string {
  return family.replace(/^agent_platform[_:]/, '');
}
