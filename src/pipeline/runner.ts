import { type DayCollector, type FetchingCollector, isDayCollector } from '../catalog/collector.ts';
import { type Day, dayOf } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { Source } from '../catalog/source.ts';
import type { Instruments } from '../exposition/instruments.ts';
import type { History } from '../history/history.ts';
import type { Clock } from '../runtime/clock.ts';
import type { PlatformError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Progress } from '../runtime/progress.ts';
import { type Again, runDays } from './day-run.ts';
import { runDocuments } from './document-run.ts';
import { failureOf } from './failure.ts';
import type { Publisher } from './publisher.ts';
import { untilRetired } from './retired.ts';
import { daysAgain } from './revision.ts';
import type { RunBook } from './runs.ts';
import { createWindowSizer, type WindowSizer } from './windows.ts';

/** The days' bounds may be getters: they are read anew for each run. */
export interface RunnerParts {
  readonly history: History;
  readonly historyStart: Day;
  /** How many of the newest days are kept; all where it is 0 or not given. */
  readonly retentionDays?: number;
  /** How many days back the platform is asked again once a day. */
  readonly revisionDays: number;
  /** From when on every day is asked for of datasets whose days are costly; only the newest where not given. */
  readonly sparingFrom?: Day | undefined;
  /** The settings of an organization as they are now; those of the run where not given. */
  readonly settingsOf?: ((org: OrgSettings) => OrgSettings | undefined) | undefined;
  readonly publisher: Publisher;
  readonly runs: RunBook;
  readonly instruments: Instruments;
  readonly progress?: Progress | undefined;
  /** Told whenever a collector has asked for its newest data, well or badly, and published what came. */
  readonly onTried?: (() => void) | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What one run of a collector works with. */
export interface Run {
  readonly org: OrgSettings;
  readonly source: Source;
  readonly deps: RunnerParts;
  /** Says that the newest data was asked for, and published where it came. */
  tried(): void;
  /** Counts what of an answer was unusable; the log tells it once the run has ended. */
  note(fetched: Noted): void;
  stopping(): boolean;
}

/** What an answer held beside its data. */
export interface Noted {
  readonly rejected: number;
  readonly remarks: readonly string[];
}

/** An organization and the door to its platform. */
export interface Target {
  readonly org: OrgSettings;
  readonly source: Source;
  /** Aborted once nobody wants its runs any more: they end, and leave no trace of how. */
  readonly retired?: AbortSignal | undefined;
}

/** Takes a collector's data the whole way from the platform to the publication. */
export interface Runner {
  /** Never throws: a failure is counted, logged once and kept in the book. */
  run(target: Target, collector: FetchingCollector, mode: 'scheduled' | 'thorough'): Promise<void>;
  /** Drops what was learnt of a collector whose runs have ended for good. */
  forget(org: string, collector: string): void;
  /** Lets runs end after the request in flight. */
  stop(): void;
}

interface Memory {
  readonly sizer: WindowSizer;
  lastNote: string;
}

/** Creates a runner; it must not be asked to run the same (organization, collector) twice at a time. */
export function createRunner(deps: RunnerParts): Runner {
  const { clock, log, runs, instruments } = deps;
  const memories = new Map<string, Memory>();
  let stopping = false;

  function memoryOf(org: string, collector: string): Memory {
    const key = JSON.stringify([org, collector]);
    const memory = memories.get(key) ?? { sizer: createWindowSizer(), lastNote: '' };
    memories.set(key, memory);
    return memory;
  }

  async function run(
    target: Target,
    collector: FetchingCollector,
    mode: 'scheduled' | 'thorough',
  ): Promise<void> {
    const org = target.org.name;
    const { name } = collector;
    const startedAt = clock.now();
    const started = clock.elapsed();
    const memory = memoryOf(org, name);
    runs.update(org, name, { running: true });
    const failure = await attempt(target, collector, memory, mode);
    if (stopping || target.retired?.aborted === true) return;
    const seconds = (clock.elapsed() - started) / 1000;
    const at = clock.now();
    const before = runs.get(org, name);
    runs.update(org, name, {
      running: false,
      tried: true,
      lastRunAt: startedAt,
      lastDurationSeconds: seconds,
      lastSuccessAt: failure === undefined ? at : before.lastSuccessAt,
      failure: failure && { error: failure, since: before.failure?.since ?? at },
    });
    if (failure === undefined) await deps.history.putSucceeded(org, collector.dataset.name, at);
    instruments.collectorRun({ org, collector: name, seconds, failure: failure?.reason });
    logTurn(log, { org, collector: name }, before.failure?.error, failure);
  }

  async function attempt(
    target: Target,
    collector: FetchingCollector,
    memory: Memory,
    mode: 'scheduled' | 'thorough',
  ): Promise<PlatformError | undefined> {
    const { org, source, retired } = target;
    const { name } = collector;
    const noted = { rejected: 0, remarks: new Set<string>() };
    const run: Run = {
      org,
      source: retired === undefined ? source : untilRetired(source, retired),
      deps,
      tried() {
        if (retired?.aborted === true) return;
        runs.update(org.name, name, { tried: true });
        deps.onTried?.();
      },
      note(fetched) {
        noted.rejected += fetched.rejected;
        for (const remark of fetched.remarks) noted.remarks.add(remark);
      },
      stopping: () => stopping || retired?.aborted === true,
    };
    try {
      if (!isDayCollector(collector)) {
        await runDocuments(run, collector);
        return undefined;
      }
      await runDays(run, collector, memory.sizer, await againOf(org.name, collector, mode));
      return undefined;
    } catch (thrown) {
      return failureOf(thrown, log);
    } finally {
      tell(org.name, collector, memory, { rejected: noted.rejected, remarks: [...noted.remarks] });
    }
  }

  /** Once a day the revision window; on demand also where that was today, since somebody expects a change. */
  async function againOf(
    org: string,
    { dataset, sparing }: DayCollector<unknown>,
    mode: 'scheduled' | 'thorough',
  ): Promise<Again> {
    const today = dayOf(clock.now());
    const windowDays = Math.min(deps.revisionDays, sparing?.revisionDays ?? deps.revisionDays);
    const last = await deps.history.revisedOn(org, dataset.name);
    if (last === today && mode === 'scheduled') return { days: 1 };
    return {
      days: daysAgain(windowDays, last === today ? undefined : last, today),
      answered: () => deps.history.putRevisedOn(org, dataset.name, today),
    };
  }

  function tell(org: string, collector: FetchingCollector, memory: Memory, noted: Noted): void {
    const dataset = collector.dataset.name;
    if (noted.rejected > 0) instruments.recordsRejected({ org, dataset, count: noted.rejected });
    const rejected = noted.rejected > 0 ? [`${noted.rejected} unusable records or fields were left out`] : [];
    const text = [...rejected, ...noted.remarks].join('; ');
    if (text === memory.lastNote) return;
    memory.lastNote = text;
    if (text !== '') log.warn('An answer was not fully usable', { org, dataset, detail: text });
  }

  return {
    run,
    forget: (org, collector) => void memories.delete(JSON.stringify([org, collector])),
    stop() {
      stopping = true;
    },
  };
}

/** Logs when a collector begins to fail, fails for another reason, or recovers; not each time it fails on. */
function logTurn(
  log: Logger,
  who: { readonly org: string; readonly collector: string },
  before: PlatformError | undefined,
  now: PlatformError | undefined,
): void {
  if (now === undefined) {
    if (before !== undefined) log.info('The collector works again', who);
    return;
  }
  const fields = { ...who, reason: now.reason, status: now.status, error: now.message, hint: now.hint };
  if (before?.reason === now.reason) log.debug('The collector still fails', fields);
  else if (now.reason === 'auth' || now.reason === 'role') log.error('The collector fails', fields);
  else log.warn('The collector fails, its last good data stays', fields);
}
