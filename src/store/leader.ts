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

/** What a process takes part with, and the events: a term begins, may resume, and ends. */
export interface LeaderEvents {
  /** Fingerprint of the settings that shape what is stored, in one line. */
  settings(): string;
  /** A digest of each organization that this process polls when it leads. */
  orgs(): readonly string[];
  /** The settings of another leader are others than before. */
  onOtherSettings(): void;
  /** A term has begun: everything is to be run once. */
  onLead(): void;
  /** The connection was lost within a term, and is used again: what was aborted is to be run again. */
  onResume(): void;
  /** A beat of the term was stored. */
  onBeat(): void;
  /** A term has ended; figures about its runs must go. */
  onEnd(): void;
  /** Somebody has asked to fetch again. */
  onRefresh(): void;
}

/** What became of the row in a step. */
export interface LeaderStep {
  readonly row: LeaderRow;
  readonly isWritten: boolean;
  /** Whether the leader was asked to fetch again, which is then forgotten. */
  readonly isAsked: boolean;
}

/** The leader's row, and what belongs to it. */
export interface LeaderStore {
  /**
   * Reads the row, and replaces it by what `next` makes of it unless it has changed meanwhile; one transaction, on a
   * connection of its own.
   */
  step(next: (row: LeaderRow) => LeaderRow | undefined): Promise<LeaderStep>;
  /** Runs a write transaction that begins with a shared lock of the row of this generation; undefined if there is none. */
  fenced<Result>(
    generation: number,
    work: (query: Query, row: LeaderRow | undefined) => Promise<Result>,
  ): Promise<Result>;
  /** Leaves a mark that the leader sees. */
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
/** How long the end of the process waits for the database, in milliseconds. */
const FAREWELL_MS = 1_500;
/** Losses that are noticed within this time are one, in milliseconds. */
const ONE_LOSS_MS = 60_000;

/** A term of this process. */
interface Term {
  readonly is: 'leading';
  readonly generation: number;
  readonly over: AbortController;
  epoch: string;
  /** When the last beat was sent; monotonic, in milliseconds. */
  beatAt: number;
  /** The number of lost connections, and of those since which another epoch was written. */
  losses: number;
  healed: number;
}

/** Between terms; `watch` is what was seen of the process that leads. */
interface Following {
  readonly is: 'following';
  readonly watch: Watch | undefined;
}

/** One beat; what the look at the row adds to it counts once the store has answered. */
interface Beat {
  /** The term at its beginning. */
  readonly term: Term | undefined;
  readonly sentAt: number;
  /** The losses of the term that it heals. */
  losses: number;
  watch: Watch | undefined;
}

const UNKNOWN: Following = { is: 'following', watch: undefined };

/** Whether this process is the one that polls and writes. It does not lead at first. */
export class Leader {
  readonly #parts: LeaderParts;
  readonly #intervals: LeaderIntervals;
  readonly #lookMs: number;
  readonly #closing = new AbortController();
  /** Resolved once it is known who leads, or at the end. */
  readonly #known = Promise.withResolvers<void>();
  #events: LeaderEvents | undefined;
  #loops: Promise<unknown> = Promise.resolve();
  #state: Following | Term = UNKNOWN;
  /** The newest row that a look has found. */
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

  /** Begins to take part; resolves once it is known who leads. */
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

  /** Aborted once this process leads no more; undefined if it does not lead now. */
  term(): AbortSignal | undefined {
    return this.#leading()?.over.signal;
  }

  /**
   * Runs statements as one write transaction of the leader. Rejects with a `NotStored` if another process may lead: the
   * transaction begins with a lock of the leader's row, so that no takeover comes before its end. `epoch` is the row's.
   */
  async write<Result>(work: (query: Query, epoch: string) => Promise<Result>): Promise<Result> {
    const { store, id } = this.#parts;
    const mine = this.#leading();
    if (mine === undefined) throw notLeading();
    // New writes let a beat pass: their shared locks would otherwise follow one another without a gap.
    await this.#beating.catch(() => undefined);
    return store.fenced(mine.generation, async (query, row) => {
      if (row?.holder === id && row.epoch !== mine.epoch) this.connectionLost();
      if (row?.holder !== id || this.#leading() !== mine) throw notLeading();
      return work(query, row.epoch);
    });
  }

  /** Reports that the database has lost commits that this process has seen. */
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

  /** Reports that a connection was lost: the next server may lack commits. */
  connectionLost(): void {
    if (this.#state.is === 'leading') this.#state.losses += 1;
  }

  /** Whether rows are made by another process, with other settings. */
  hasOtherSettings(): boolean {
    return (
      this.#leading() === undefined &&
      this.#seen !== undefined &&
      fingerprintIn(this.#seen.settings) !== fingerprintIn(this.#settings())
    );
  }

  /** Which of these organizations, by their digests, the process that leads does not poll, as far as it says which it polls. */
  notPolled(orgs: readonly string[]): readonly string[] {
    if (this.#leading() !== undefined || this.#seen?.holder === undefined) return [];
    const polled = new Set(this.#seen.settings.split('\n').slice(1));
    return polled.size === 0 ? [] : orgs.filter((org) => !polled.has(org));
  }

  /** Asks the leader, on whichever process, to fetch again what may have changed. */
  async askToRefresh(): Promise<void> {
    // If it cannot be stored now, the next beat does it.
    this.#isRefreshDue = true;
    await this.#parts.store.ask();
    this.#isRefreshDue = false;
  }

  /** Gives the row back; no run may be in progress. */
  async close(): Promise<void> {
    const { clock, log } = this.#parts;
    this.#closing.abort();
    this.#known.resolve();
    // A database that does not answer would hold up the end of the process.
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
        // Reported by the database.
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

  /** The leader's sign of life, or another process's look at it. */
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
    // After a suspension, the term may have ended meanwhile.
    if (this.#state !== term) return;
    const isOther = term.epoch !== epoch;
    term.epoch = epoch;
    term.beatAt = sentAt;
    term.healed = losses;
    if (isOther) this.#events?.onResume();
    else this.#events?.onBeat();
  }

  /** Logs it if another process leads than the look before has found. */
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

  /** Asks for another fetch: here, or through a mark where this process does not lead. */
  async #refresh(isAsked: boolean): Promise<void> {
    if (this.#leading() === undefined) {
      if (this.#isRefreshDue) await this.#parts.store.ask();
    } else if (isAsked || this.#isRefreshDue) this.#events?.onRefresh();
    this.#isRefreshDue = false;
  }

  /** The fingerprint, and in further lines the organizations, which earlier releases do not name. */
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

/** Whether a connection was lost since the last epoch was written. */
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
