import {
  type DocumentCollector,
  type FetchingCollector,
  isDayCollector,
  readerFor,
} from '../catalog/collector.ts';
import type { Instant } from '../catalog/day.ts';
import type { Platform } from '../catalog/platform.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { Source } from '../catalog/source.ts';
import type { Logger } from '../log/logger.ts';
import type { PlatformError } from '../text/errors.ts';
import type { Turn, Urgency } from '../work/turns.ts';
import { runDays } from './day-run.ts';
import { failureOf, type Run, type RunnerParts, withRequests } from './run.ts';
import { WATCHERS } from './watchers.ts';

/** An organization, its platform and its API client. */
interface Target {
  readonly org: OrgSettings;
  readonly platform: Pick<Platform, 'readers'>;
  readonly source: Source;
  /** Aborted to abandon the runs of this organization: they end without being counted or stored. */
  readonly retired?: AbortSignal | undefined;
  /** The latest time at which the scheduled run after an instant is due; without it, lags of days are not measured. */
  dueAfter?(at: Instant): Instant | undefined;
}

/** How a run ended: `ended` with success or failure, `unstored` because the store was unavailable, or `aborted`. */
type RunEnd = 'ended' | 'unstored' | 'aborted';

/** Runs collectors: fetches, stores and publishes their data. The same (organization, collector) must not run twice at a time. */
export class Runner {
  readonly #parts: RunnerParts;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Runs a collector. Never throws: a failure is counted, logged once and noted in the run states, unless the run was aborted. */
  async run(target: Target, collector: FetchingCollector, mode: 'scheduled' | 'thorough'): Promise<RunEnd> {
    const turn = new RunTurn(this.#parts.turns, target.org.name, target.retired);
    await turn.renew('urgent');
    try {
      return this.#isOver(target) ? 'aborted' : await this.#runNow(target, collector, mode, turn);
    } finally {
      turn.end();
    }
  }

  /** Whether the process stops or the run was abandoned. */
  #isOver({ retired }: Target): boolean {
    return this.#parts.stopping?.aborted === true || retired?.aborted === true;
  }

  async #runNow(
    target: Target,
    collector: FetchingCollector,
    mode: 'scheduled' | 'thorough',
    turn: RunTurn,
  ): Promise<RunEnd> {
    const { clock, log, runs, instruments } = this.#parts;
    const who = { org: target.org.name, collector: collector.name };
    const { org, collector: name } = who;
    const startedAt = clock.now();
    const started = clock.elapsed();
    runs.update(org, name, { running: true });
    const { failure, at } = await this.#attempt(target, collector, mode, turn);
    if (this.#isOver(target)) return 'aborted';
    const seconds = (clock.elapsed() - started) / 1000;
    const before = runs.get(org, name);
    // Read before this failure is recorded: of several collectors that meet a cause at once, the first one logs it.
    const known = runs.failuresOf(org, name).map(causeOf);
    runs.update(org, name, {
      running: false,
      tried: true,
      lastRunAt: startedAt,
      lastDurationSeconds: seconds,
      lastSuccessAt: failure === undefined ? at : before.lastSuccessAt,
      failure: failure && { error: failure, since: before.failure?.since ?? at },
    });
    instruments.collectorRun({ ...who, at, seconds, failure: failure?.reason });
    if (failure !== undefined) {
      const hasData = await this.#hasData(org, collector);
      const isKnown = known.includes(causeOf(failure));
      logFailure(log, who, before.failure?.error, failure, { hasData, isKnown });
    } else if (before.failure !== undefined) log.info('Collector recovered', who);
    return failure?.reason === 'store' ? 'unstored' : 'ended';
  }

  /** Whether a collector has data of the platform; assumed while the store is unavailable, because published data stays. */
  #hasData(org: string, collector: FetchingCollector): Promise<boolean> {
    const { history } = this.#parts;
    const { name } = collector.dataset;
    const known = isDayCollector(collector)
      ? history.readDataset(org, name).then(({ days }) => [...days.keys()].some(days.isFilled))
      : history.standing(org).then((standing) => standing.dataset(name).answeredAt !== undefined);
    return known.catch(() => true);
  }

  /** Fetches and stores the data once. Resolves with the failure, if any, and the time at which the attempt ended. */
  async #attempt(
    target: Target,
    collector: FetchingCollector,
    mode: 'scheduled' | 'thorough',
    turn: RunTurn,
  ): Promise<{ readonly failure: PlatformError | undefined; readonly at: Instant }> {
    const { clock, log, history } = this.#parts;
    const run = this.#begin(target, collector, turn);
    try {
      // Checked before the first request, which would be wasted while the store cannot be written.
      await history.demandWritable();
      const succeededAt = isDayCollector(collector)
        ? await runDays(run, collector, mode)
        : await runDocuments(run, collector);
      return { failure: undefined, at: succeededAt ?? clock.now() };
    } catch (thrown) {
      return { failure: failureOf(thrown, log), at: clock.now() };
    } finally {
      if (!run.retired()) for (const watcher of run.watchers) watcher.ended?.();
    }
  }

  /** Creates the context of a run of days or documents. */
  #begin(target: Target, collector: FetchingCollector, turn: RunTurn): Run {
    const { org, platform, source, retired, dueAfter } = target;
    const deps = this.#parts;
    const watchers = WATCHERS.map((begin) => begin({ org, collector, deps, dueAfter }));
    const isRetired = () => retired?.aborted === true;
    return {
      ...{ org, platform, deps, watchers, dueAfter, turn },
      source: withRequests(
        {
          ...source,
          compare(contract, elements) {
            for (const watcher of watchers) watcher.compare?.(contract, elements);
          },
        },
        { signal: retired },
      ),
      markTried: () => {
        if (!isRetired()) deps.runs.update(org.name, collector.name, { tried: true });
      },
      stopping: () => this.#isOver(target),
      retired: isRetired,
    };
  }
}

/** The permission of one run to work, which it renews between requests. */
class RunTurn {
  readonly #turns: RunnerParts['turns'];
  readonly #org: string;
  readonly #retired: AbortSignal | undefined;
  #turn: Turn | undefined;

  constructor(turns: RunnerParts['turns'], org: string, retired: AbortSignal | undefined) {
    this.#turns = turns;
    this.#org = org;
    this.#retired = retired;
  }

  async renew(urgency: Urgency): Promise<void> {
    this.#turn?.end();
    this.#turn = await this.#turns?.take(this.#org, urgency, this.#retired);
  }

  end(): void {
    this.#turn?.end();
  }
}

/** The cause of a failure without its endpoint: a revoked key or a host that is down affects all collectors of an organization. */
function causeOf({ reason, message }: PlatformError): string {
  // An organization has one key; the hosts reject it in different words.
  if (reason === 'auth') return reason;
  return `${reason} ${message.replace(/^GET \S+/, '')}`;
}

/**
 * Logs that a collector starts to fail, or fails for another reason. A repeated failure, and a cause that another collector of the
 * organization has already logged, are logged at debug level.
 */
function logFailure(
  log: Logger,
  who: { readonly org: string; readonly collector: string },
  before: PlatformError | undefined,
  now: PlatformError,
  { hasData, isKnown }: { readonly hasData: boolean; readonly isKnown: boolean },
): void {
  const fields = { ...who, reason: now.reason, status: now.status, error: now.message, hint: now.hint };
  if (before?.reason === now.reason) log.debug('Collector still failing', fields);
  else if (isKnown) log.debug('Collector failing like another one of the organization', fields);
  else if (now.reason === 'auth' || now.reason === 'role') log.error('Collector failing', fields);
  else if (hasData) log.warn('Collector failing; its last good data is still published', fields);
  else log.warn('Collector failing; it has no data yet', fields);
}

/**
 * Fetches a listing of documents, stores it as a whole or not at all, and publishes it. Resolves with when it was stored;
 * undefined if the run was abandoned.
 */
async function runDocuments(run: Run, collector: DocumentCollector<unknown>): Promise<Instant | undefined> {
  const { org, platform, deps } = run;
  const { dataset } = collector;
  try {
    const reader = await readerFor(platform, dataset, 'fetchDocuments');
    const fetched = await reader.fetchDocuments(run.source);
    if (run.retired()) return undefined;
    const at = deps.clock.now();
    const documents = new Map(fetched.documents.map((document) => [dataset.idOf(document), document]));
    const gone = await deps.history.putDocuments(org.name, dataset.name, {
      documents,
      damaged: new Set(fetched.damaged?.map((document) => dataset.idOf(document))),
      complete: fetched.complete,
      orgId: fetched.orgId,
      at,
      completes: run.stopping() ? undefined : { succeededAt: at },
    });
    if (gone > 0 && documents.size === 0) {
      const fields = { org: org.name, collector: collector.name, gone };
      deps.log.warn('The platform lists nothing any more; what it listed is no longer published', fields);
    }
    for (const watcher of run.watchers) watcher.noted?.(fetched);
    await deps.publisher.publish(org.name);
    return at;
  } finally {
    run.markTried();
  }
}
