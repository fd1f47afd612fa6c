import type { Day } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import { IncompleteListing, type Source, UnexpectedAnswer } from '../catalog/source.ts';
import type { Instruments } from '../exposition/instruments.ts';
import { ForeignAnswer, type History } from '../history/history.ts';
import type { Clock } from '../runtime/clock.ts';
import { messageOf, PlatformError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Progress } from '../runtime/progress.ts';
import type { PublishedOrgs } from './published-orgs.ts';
import type { Publisher } from './publisher.ts';
import type { RunMemory } from './run-memory.ts';
import type { RunStates } from './run-states.ts';

/** What a runner is made of: the settings of one configuration, and what outlives it. */
export interface RunnerParts {
  readonly history: History;
  readonly historyStart: Day;
  /** How many of the newest days are kept; all where it is 0 or not given. */
  readonly retentionDays?: number;
  /** How many days back the platform is asked again once a day. */
  readonly revisionDays: number;
  /** From when on every day is asked for of datasets whose days are costly; only the newest where not given. */
  readonly expensiveFrom?: Day | undefined;
  readonly publisher: RunPublisher;
  readonly runs: RunStates;
  /** What earlier runs have learnt; nothing where not given. */
  readonly memory?: RunMemory;
  /** Aborted to let runs end after the request in flight. */
  readonly stopping?: AbortSignal;
  readonly instruments: Instruments;
  readonly progress?: Progress | undefined;
  /** Told whenever a collector has asked for its newest data, well or badly, and published what came. */
  readonly onTried?: (() => void) | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What runs ask of what publishes. */
export type RunPublisher = Pick<Publisher, 'publish'> & Pick<PublishedOrgs, 'showsIdle'>;

/** What one run of a collector works with. */
export interface Run {
  readonly org: OrgSettings;
  readonly source: Source;
  readonly deps: RunnerParts;
  /** Says that the newest data was asked for, and published where it came. */
  tried(): void;
  /** Counts what of an answer was unusable; the log tells it once the run has ended. */
  note(fetched: AnswerNotes): void;
  stopping(): boolean;
  /** Whether nobody wants the run any more: nothing that it brings may be stored or counted. */
  retired(): boolean;
}

/** What an answer held beside its data. */
export interface AnswerNotes {
  readonly rejected: number;
  readonly remarks: readonly string[];
}

/** Whatever a run threw, as a failure with a reason. */
export function failureOf(thrown: unknown, log: Logger): PlatformError {
  if (thrown instanceof PlatformError) return thrown;
  if (thrown instanceof UnexpectedAnswer) {
    return new PlatformError('schema', thrown.message, {
      hint: 'The platform answers in another form than its interface describes; look for a newer exporter.',
    });
  }
  if (thrown instanceof IncompleteListing) {
    return new PlatformError(thrown.end === 'page-cap' ? 'limit' : 'schema', thrown.message, {
      hint: 'What was complete before stays. The platform pages wrongly; where that lasts, tell its operator.',
    });
  }
  if (thrown instanceof ForeignAnswer) return new PlatformError('organization', thrown.message);
  log.error('A collector failed in a way that is not foreseen', { error: thrown });
  return new PlatformError('schema', `unforeseen: ${messageOf(thrown)}`);
}

/**
 * A source that gives up on whatever it is asked as soon as nobody wants the run any more, and breaks off what is
 * under way: nothing of it is counted afterwards.
 */
export function withAbort(source: Source, retired: AbortSignal): Source {
  return {
    get: (request) => unlessAborted(() => source.get({ ...request, signal: retired }), retired),
    pages: (request, onItems) =>
      unlessAborted(
        () =>
          source.pages({ ...request, signal: retired }, (items) => {
            if (!retired.aborted) onItems(items);
          }),
        retired,
      ),
    inSlices: (work) => source.inSlices(work),
  };
}

function unlessAborted<Result>(ask: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  if (signal.aborted) return Promise.reject(abandoned());
  return new Promise((resolve, reject) => {
    function onAbort(): void {
      reject(abandoned());
    }
    signal.addEventListener('abort', onAbort, { once: true });
    ask()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function abandoned(): PlatformError {
  return new PlatformError('network', 'the run was abandoned');
}
