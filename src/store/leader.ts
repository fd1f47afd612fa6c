import { randomUUID } from 'node:crypto';
import type { Logger } from '../log/logger.ts';
import { messageOf } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import { NotStored, type Query } from './database.ts';
import {
  isOlder,
  LEADER_INTERVALS,
  type LeaderIntervals,
  type LeaderRow,
  mayTakeOver,
  type Watch,
  watched,
} from './leader-row.ts';

/** What a process contributes to leadership (its settings and organizations), and the events of its terms. */
export interface LeaderEvents {
  /** Fingerprint of the settings that shape what is stored, in one line. */
  settings(): string;
  /** A digest of each organization that this process polls when it leads. */
  orgs(): readonly string[];
  /** Called when another process leads with settings that have changed. */
  onOtherSettings(): void;
  /** Called when a term of this process begins: run every job once. */
  onLead(): void;
  /** Called when a lost connection works again within a term: run the aborted jobs again. */
  onResume(): void;
  /** Called when a beat of this process was stored. */
  onBeat(): void;
  /** Called when a term of this process ends: remove the metrics about its runs. */
  onEnd(): void;
  /** Called when a process has requested a refresh: fetch again. */
  onRefresh(): void;
}

/** The result of a step: the row, and whether it was replaced. */
export interface LeaderStep {
  readonly row: LeaderRow;
  readonly isWritten: boolean;
  /** Whether a refresh was requested; the step removes the request. */
  readonly isAsked: boolean;
}

/** Access to the leader's row in the database. */
export interface LeaderStore {
  /**
   * Reads the row, and replaces it by the result of `next`, unless another process has changed it meanwhile. One transaction, on a
   * connection of its own.
   */
  step(next: (row: LeaderRow) => LeaderRow | undefined): Promise<LeaderStep>;
  /** Runs a write transaction that locks the row (shared) first; `work` gets undefined if the row is of another generation. */
  fenced<Result>(
    generation: number,
    work: (query: Query, row: LeaderRow | undefined) => Promise<Result>,
  ): Promise<Result>;
  /** Stores a request for a refresh, which the leader finds with its next beat. */
  ask(): Promise<void>;
}

interface LeaderParts {
  readonly store: LeaderStore;
  /** Distinguishes this process from all others. */
  readonly id: string;
  readonly clock: Pick<Clock, 'elapsed' | 'wait'>;
  readonly log: Logger;
  readonly intervals?: LeaderIntervals | undefined;
}

/** Interval between checks of this process's own state, in milliseconds. */
const LOOK_MS = 1_000;
/** How long a shutdown waits for the database to give up leadership, in milliseconds. */
const FAREWELL_MS = 1_500;
/** Lost connections within this time are logged once, in milliseconds. */
const ONE_LOSS_MS = 60_000;

/** This process leads: the state of its term. */
interface Term {
  readonly is: 'leading';
  readonly generation: number;
  readonly over: AbortController;
  epoch: string;
  /** When the last beat was sent; monotonic, in milliseconds. */
  beatAt: number;
  /** `losses` counts lost connections; `healed` is that count when the epoch was last replaced. */
  losses: number;
  healed: number;
}

/** Another process leads, or none; `watch` is what this process has seen of it. */
interface Following {
  readonly is: 'following';
  readonly watch: Watch | undefined;
}

/** One beat, or one look of a follower. The fields that `next` sets take effect once the store has answered. */
interface Beat {
  /** The term at its beginning. */
  readonly term: Term | undefined;
  readonly sentAt: number;
  /** The value of `losses` for which this beat writes a new epoch. */
  losses: number;
  watch: Watch | undefined;
}

const UNKNOWN: Following = { is: 'following', watch: undefined };

/** Decides whether this process leads, that is, polls and writes. It follows at first. */
export class Leader {
  readonly #parts: LeaderParts;
  readonly #intervals: LeaderIntervals;
  readonly #lookMs: number;
  readonly #closing = new AbortController();
  /** Resolves once the leader is known, or on shutdown. */
  readonly #known = Promise.withResolvers<void>();
  #events: LeaderEvents | undefined;
  #loops: Promise<unknown> = Promise.resolve();
  #state: Following | Term = UNKNOWN;
  /** The row that the last look has found. */
  #seen: LeaderRow | undefined;
  /** Settles when the beat under way has ended. */
  #beating: Promise<unknown> = Promise.resolve();
  #lossSaidAt = Number.NEGATIVE_INFINITY;
  #isRefreshDue = false;

  constructor(parts: LeaderParts) {
    this.#parts = parts;
    this.#intervals = parts.intervals ?? LEADER_INTERVALS;
    this.#lookMs = Math.min(LOOK_MS, this.#intervals.beatMs);
  }

  /** Begins to take part in leadership; resolves once the leader is known. */
  start(events: LeaderEvents): Promise<void> {
    this.#events = events;
    this.#loops = Promise.allSettled([this.#beats(), this.#looks()]);
    return this.#known.promise;
  }

  /** Whether requests may be sent and answers stored now; true only for a leader whose last beat is recent. */
  isLeader(): boolean {
    return this.#leading() !== undefined;
  }

  /** Throws a `NotStored` unless this process leads. */
  demand(): void {
    if (this.#leading() === undefined) throw notLeading();
  }

  /** A signal that aborts when this process stops leading; undefined if it does not lead now. */
  term(): AbortSignal | undefined {
    return this.#leading()?.over.signal;
  }

  /**
   * Runs statements as one write transaction of the leader. The transaction first locks the leader's row, so that no process takes
   * over before it ends. Rejects with a `NotStored` if another process may lead. `epoch` is that of the row.
   */
  async write<Result>(work: (query: Query, epoch: string) => Promise<Result>): Promise<Result> {
    const { store, id } = this.#parts;
    const mine = this.#leading();
    if (mine === undefined) throw notLeading();
    // A new write waits for a beat in progress. Otherwise overlapping shared locks would never let the beat write.
    await this.#beating.catch(() => undefined);
    return store.fenced(mine.generation, async (query, row) => {
      if (row?.holder === id && row.epoch !== mine.epoch) this.connectionLost();
      if (row?.holder !== id || this.#leading() !== mine) throw notLeading();
      return work(query, row.epoch);
    });
  }

  /** Reports that the database lacks commits that this process has seen. */
  wentBack(what: Readonly<Record<string, unknown>>): void {
    const { clock, log } = this.#parts;
    this.connectionLost();
    this.#isRefreshDue = true;
    if (clock.elapsed() - this.#lossSaidAt >= ONE_LOSS_MS)
      log.error('The database has lost commits; the newest days are fetched again, hook events are not', {
        ...what,
        hint: 'after a failover, use synchronous replication to lose nothing: see docs/postgresql.md',
      });
    this.#lossSaidAt = clock.elapsed();
  }

  /** Reports a lost connection: the server that answers next may lack commits. */
  connectionLost(): void {
    if (this.#state.is === 'leading') this.#state.losses += 1;
  }

  /** Whether another process leads, with settings that make other rows. */
  hasOtherSettings(): boolean {
    return (
      this.#leading() === undefined &&
      this.#seen !== undefined &&
      fingerprintIn(this.#seen.settings) !== fingerprintIn(this.#settings())
    );
  }

  /** Those of these organizations (digests) that the leader does not poll. None if the leader does not list its organizations. */
  notPolled(orgs: readonly string[]): readonly string[] {
    if (this.#leading() !== undefined || this.#seen?.holder === undefined) return [];
    const polled = new Set(this.#seen.settings.split('\n').slice(1));
    return polled.size === 0 ? [] : orgs.filter((org) => !polled.has(org));
  }

  /** Requests a refresh from the leader, in this process or another one. */
  async askToRefresh(): Promise<void> {
    // If the request cannot be stored now, the next beat stores it.
    this.#isRefreshDue = true;
    await this.#parts.store.ask();
    this.#isRefreshDue = false;
  }

  /** Gives up leadership, so that another process takes over at once; no run may be in progress. */
  async close(): Promise<void> {
    const { clock, log } = this.#parts;
    this.#closing.abort();
    this.#known.resolve();
    // Bounded, because a database that does not answer would block the shutdown.
    await Promise.race([this.#giveBack(), clock.wait(FAREWELL_MS)]).catch((error: unknown) =>
      log.debug('Leadership was not given back', { error: messageOf(error) }),
    );
    this.#end();
  }

  async #giveBack(): Promise<void> {
    await this.#loops;
    const mine = this.#state;
    this.#end();
    if (mine.is === 'following') return;
    await this.#parts.store.step((row) =>
      this.#isOf(mine, row) ? { ...row, holder: undefined, beat: row.beat + 1 } : undefined,
    );
  }

  #leading(): Term | undefined {
    const state = this.#state;
    if (state.is === 'following' || isCut(state)) return undefined;
    return this.#parts.clock.elapsed() - state.beatAt <= this.#intervals.staleMs ? state : undefined;
  }

  async #beats(): Promise<void> {
    const { clock, log } = this.#parts;
    for (;;) {
      const startedAt = clock.elapsed();
      this.#beating = this.#beat();
      await this.#beating.catch((error: unknown) => {
        // The database has logged it.
        log.debug('Beat failed', { error: messageOf(error) });
        this.connectionLost();
      });
      do await clock.wait(this.#lookMs, this.#closing.signal);
      while (clock.elapsed() - startedAt < this.#intervals.beatMs && !isCut(this.#state));
    }
  }

  async #looks(): Promise<void> {
    const { clock, log } = this.#parts;
    const { staleMs } = this.#intervals;
    for (;;) {
      await clock.wait(this.#lookMs, this.#closing.signal);
      if (this.#state.is === 'following' || clock.elapsed() - this.#state.beatAt <= staleMs) continue;
      log.warn('The database has not confirmed in time that this replica polls; polling waits', {
        seconds: staleMs / 1_000,
      });
      this.#end();
    }
  }

  /** Writes a beat if this process leads; otherwise looks at the row, and takes over if the leader is gone. */
  async #beat(): Promise<void> {
    const term = this.#state.is === 'leading' ? this.#state : undefined;
    const beat: Beat = { term, sentAt: this.#parts.clock.elapsed(), losses: 0, watch: undefined };
    const { row, isWritten, isAsked } = await this.#parts.store.step((found) => this.#rowAfter(found, beat));
    const before = this.#seen;
    this.#seen = row;
    if (term !== undefined && isWritten && row.generation === term.generation) this.#resume(term, row, beat);
    else {
      if (term !== undefined && term === this.#state) this.#end();
      if (isWritten) this.#begin(row, beat);
      else this.#follow(row, before, beat);
    }
    this.#known.resolve();
    if (!isWritten && before?.settings !== row.settings) this.#events?.onOtherSettings();
    await this.#refresh(isAsked);
  }

  /** The row that a beat writes; undefined if another process leads. */
  #rowAfter(found: LeaderRow, beat: Beat): LeaderRow | undefined {
    const { clock, id } = this.#parts;
    const { term } = beat;
    this.#noteOlder(found);
    if (term !== undefined && this.#isOf(term, found)) {
      beat.losses = term.losses;
      const isSame = !isCut(term) && found.epoch === term.epoch;
      return {
        ...found,
        settings: this.#settings(),
        beat: found.beat + 1,
        epoch: isSame ? found.epoch : randomUUID(),
      };
    }
    const before = this.#state.is === 'following' ? this.#state.watch : undefined;
    beat.watch = watched(before, found, clock.elapsed());
    if (this.#closing.signal.aborted) return undefined;
    if (!mayTakeOver(beat.watch, id, beat.sentAt, this.#intervals.takeoverMs)) return undefined;
    const place = { generation: found.generation + 1, beat: found.beat + 1 };
    return { holder: id, ...place, epoch: randomUUID(), settings: this.#settings() };
  }

  #begin({ generation, epoch }: LeaderRow, { sentAt }: Beat): void {
    this.#state = {
      is: 'leading',
      generation,
      epoch,
      beatAt: sentAt,
      losses: 0,
      healed: 0,
      over: new AbortController(),
    };
    this.#parts.log.info('This replica polls', { generation });
    this.#events?.onLead();
  }

  #resume(term: Term, { epoch }: LeaderRow, { sentAt, losses }: Beat): void {
    // The process may have been suspended, and the term may be over.
    if (this.#state !== term) return;
    const isOther = term.epoch !== epoch;
    term.epoch = epoch;
    term.beatAt = sentAt;
    term.healed = losses;
    if (isOther) this.#events?.onResume();
    else this.#events?.onBeat();
  }

  /** Logs a change of the leader since the last look. */
  #follow(row: LeaderRow, before: LeaderRow | undefined, { watch }: Beat): void {
    const { id, log } = this.#parts;
    this.#state = { is: 'following', watch };
    const { holder, generation } = row;
    if (holder === undefined || holder === id) return;
    if (holder === before?.holder && generation === before.generation) return;
    log.info('Another replica polls', { generation });
  }

  #end(): void {
    const ended = this.#state;
    if (ended.is === 'following') return;
    this.#state = UNKNOWN;
    ended.over.abort();
    this.#events?.onEnd();
  }

  /** Passes a refresh on: to this process if it leads, otherwise through the database. */
  async #refresh(isAsked: boolean): Promise<void> {
    if (this.#leading() === undefined) {
      if (this.#isRefreshDue) await this.#parts.store.ask();
    } else if (isAsked || this.#isRefreshDue) this.#events?.onRefresh();
    this.#isRefreshDue = false;
  }

  /** The `settings` of the row: the fingerprint, then one digest of an organization per line. Earlier releases write no digests. */
  #settings(): string {
    return [this.#events?.settings() ?? '', ...(this.#events?.orgs() ?? [])].join('\n');
  }

  #isOf({ generation }: Term, row: LeaderRow): boolean {
    return row.holder === this.#parts.id && row.generation === generation;
  }

  #noteOlder(row: LeaderRow): void {
    const seen = this.#seen;
    if (seen === undefined || !isOlder(row, seen)) return;
    this.wentBack(
      row.generation < seen.generation
        ? { generation: row.generation, seen: seen.generation }
        : { beat: row.beat, seen: seen.beat },
    );
    this.#seen = row;
  }
}

/** Whether a connection was lost since the epoch was last replaced. */
function isCut(state: Following | Term): boolean {
  return state.is === 'leading' && state.losses !== state.healed;
}

function fingerprintIn(settings: string): string | undefined {
  return settings.split('\n', 1)[0];
}

function notLeading(): NotStored {
  const detail = 'another replica polls';
  return new NotStored(detail, {
    reason: 'taken',
    detail,
    hint: 'nothing: its data arrives from the database',
  });
}
