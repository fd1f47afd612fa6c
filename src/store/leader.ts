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

/** The leader's row, and what belongs to it. */
export interface LeaderStore {
  /**
   * Reads the row, and replaces it by what `next` makes of it unless it has changed meanwhile; one transaction, on a
   * connection of its own. `isAsked`: whether the leader was asked to fetch again, which is then forgotten.
   */
  step(next: (row: LeaderRow) => LeaderRow | undefined): Promise<{
    readonly row: LeaderRow;
    readonly isWritten: boolean;
    readonly isAsked: boolean;
  }>;
  /** Runs a write transaction that begins with a shared lock of the row of this generation; undefined if there is none. */
  fenced<Result>(
    generation: number,
    work: (query: Query, row: LeaderRow | undefined) => Promise<Result>,
  ): Promise<Result>;
  /** Leaves a mark that the leader sees. */
  ask(): Promise<void>;
}

interface LeadershipDeps {
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

interface Term {
  readonly generation: number;
  readonly over: AbortController;
  epoch: string;
  /** When the last beat was sent; monotonic, in milliseconds. */
  beatAt: number;
  /** The number of lost connections, and of those since which another epoch was written. */
  losses: number;
  healed: number;
}

/** Whether this process is the one that polls and writes. */
export type Leadership = ReturnType<typeof createLeadership>;

/** Creates the leadership of a process, which does not lead at first. */
export function createLeadership(deps: LeadershipDeps) {
  const { store, id, clock, log, intervals = LEADER_INTERVALS } = deps;
  const closing = new AbortController();
  const known = Promise.withResolvers<void>();
  let events: LeaderEvents | undefined;
  let loops: Promise<unknown> = Promise.resolve();
  let term: Term | undefined;
  let watch: Watch | undefined;
  let seen: LeaderRow | undefined;
  /** Settles when the beat under way has ended. */
  let beating: Promise<unknown> = Promise.resolve();
  let lossSaidAt = Number.NEGATIVE_INFINITY;
  let isRefreshDue = false;
  const lookMs = Math.min(LOOK_MS, intervals.beatMs);

  function leading(): Term | undefined {
    if (term === undefined || isCut(term)) return undefined;
    return clock.elapsed() - term.beatAt <= intervals.staleMs ? term : undefined;
  }

  async function beats(): Promise<void> {
    for (;;) {
      const startedAt = clock.elapsed();
      beating = beat();
      await beating.catch((error: unknown) => {
        // Reported by the database.
        log.debug('Beat failed', { error: messageOf(error) });
        connectionLost();
      });
      do await clock.wait(lookMs, closing.signal);
      while (clock.elapsed() - startedAt < intervals.beatMs && !isCut(term));
    }
  }

  async function looks(): Promise<void> {
    for (;;) {
      await clock.wait(lookMs, closing.signal);
      if (term === undefined || clock.elapsed() - term.beatAt <= intervals.staleMs) continue;
      log.warn('The database has not confirmed in time that this replica polls; polling waits', {
        seconds: intervals.staleMs / 1_000,
      });
      end();
    }
  }

  function end(): void {
    const ended = term;
    term = undefined;
    ended?.over.abort();
    if (ended !== undefined) events?.onEnd();
  }

  /** The leader's sign of life, or another process's look at it. */
  async function beat(): Promise<void> {
    const mine = term;
    const sentAt = clock.elapsed();
    let looked: Watch | undefined;
    let losses = 0;
    const { row, isWritten, isAsked } = await store.step((found) => {
      noteOlder(found);
      if (mine !== undefined && isOf(mine, found)) {
        ({ losses } = mine);
        const isSame = !isCut(mine) && found.epoch === mine.epoch;
        return {
          ...found,
          settings: settings(),
          beat: found.beat + 1,
          epoch: isSame ? found.epoch : randomUUID(),
        };
      }
      looked = watched(watch, found, clock.elapsed());
      if (closing.signal.aborted || !mayTakeOver(looked, id, sentAt, intervals.takeoverMs)) return undefined;
      const place = { generation: found.generation + 1, beat: found.beat + 1 };
      return { holder: id, ...place, epoch: randomUUID(), settings: settings() };
    });
    const before = seen;
    seen = row;
    watch = isWritten ? undefined : looked;
    if (mine !== undefined && isWritten && row.generation === mine.generation)
      resume(mine, { row, sentAt, losses });
    else {
      if (mine !== undefined && mine === term) end();
      if (isWritten) begin(row, sentAt);
      else if (isAnother(row, before)) log.info('Another replica polls', { generation: row.generation });
    }
    known.resolve();
    if (!isWritten && before?.settings !== row.settings) events?.onOtherSettings();
    await refresh(isAsked);
  }

  /** Asks for another fetch: here, or through a mark where this process does not lead. */
  async function refresh(isAsked: boolean): Promise<void> {
    if (leading() === undefined) {
      if (isRefreshDue) await store.ask();
    } else if (isAsked || isRefreshDue) events?.onRefresh();
    isRefreshDue = false;
  }

  /** The fingerprint, and in further lines the organizations, which earlier releases do not name. */
  function settings(): string {
    return [events?.settings() ?? '', ...(events?.orgs() ?? [])].join('\n');
  }

  /** Whether a look has found that another process leads than the one before. */
  function isAnother({ holder, generation }: LeaderRow, before: LeaderRow | undefined): boolean {
    if (holder === undefined || holder === id) return false;
    return holder !== before?.holder || generation !== before.generation;
  }

  function isOf({ generation }: Term, row: LeaderRow): boolean {
    return row.holder === id && row.generation === generation;
  }

  function begin({ generation, epoch }: LeaderRow, sentAt: number): void {
    term = { generation, epoch, beatAt: sentAt, losses: 0, healed: 0, over: new AbortController() };
    log.info('This replica polls', { generation });
    events?.onLead();
  }

  function resume(
    mine: Term,
    { row, sentAt, losses }: { readonly row: LeaderRow; readonly sentAt: number; readonly losses: number },
  ): void {
    // After a suspension, the term may have ended meanwhile.
    if (term !== mine) return;
    const isOther = mine.epoch !== row.epoch;
    mine.epoch = row.epoch;
    mine.beatAt = sentAt;
    mine.healed = losses;
    if (isOther) events?.onResume();
    else events?.onBeat();
  }

  function noteOlder(row: LeaderRow): void {
    if (seen === undefined || !isOlder(row, seen)) return;
    wentBack(
      row.generation < seen.generation
        ? { generation: row.generation, seen: seen.generation }
        : { beat: row.beat, seen: seen.beat },
    );
    seen = row;
  }

  function wentBack(what: Readonly<Record<string, unknown>>): void {
    connectionLost();
    isRefreshDue = true;
    if (clock.elapsed() - lossSaidAt >= ONE_LOSS_MS)
      log.error('The database has lost commits; the newest days are fetched again, hook events are not', {
        ...what,
        hint: 'after a failover, use synchronous replication to lose nothing: see docs/postgresql.md',
      });
    lossSaidAt = clock.elapsed();
  }

  function connectionLost(): void {
    if (term !== undefined) term.losses += 1;
  }

  return {
    /** Whether requests may be sent and answers stored now; true only for a leader whose last beat is recent. */
    isLeader: () => leading() !== undefined,
    /** Throws a `NotStored` unless this process leads. */
    demand(): void {
      if (leading() === undefined) throw notLeading();
    },
    /** Aborted once this process leads no more; undefined if it does not lead now. */
    term: () => leading()?.over.signal,
    /**
     * Runs statements as one write transaction of the leader. Rejects with a `NotStored` if another process may lead: the
     * transaction begins with a lock of the leader's row, so that no takeover comes before its end. `epoch` is the row's.
     */
    async write<Result>(work: (query: Query, epoch: string) => Promise<Result>): Promise<Result> {
      const mine = leading();
      if (mine === undefined) throw notLeading();
      // New writes let a beat pass: their shared locks would otherwise follow one another without a gap.
      await beating.catch(() => undefined);
      return store.fenced(mine.generation, async (query, row) => {
        if (row?.holder === id && row.epoch !== mine.epoch) connectionLost();
        if (row?.holder !== id || leading() !== mine) throw notLeading();
        return work(query, row.epoch);
      });
    },
    /** Reports that the database has lost commits that this process has seen. */
    wentBack,
    /** Reports that a connection was lost: the next server may lack commits. */
    connectionLost,
    /** Whether rows are made by another process, with other settings. */
    hasOtherSettings: () =>
      leading() === undefined &&
      seen !== undefined &&
      fingerprintIn(seen.settings) !== fingerprintIn(settings()),
    /** Which of these organizations, by their digests, the process that leads does not poll, as far as it says which it polls. */
    notPolled(orgs: readonly string[]): readonly string[] {
      if (leading() !== undefined || seen?.holder === undefined) return [];
      const polled = new Set(seen.settings.split('\n').slice(1));
      return polled.size === 0 ? [] : orgs.filter((org) => !polled.has(org));
    },
    /** Asks the leader, on whichever process, to fetch again what may have changed. */
    async askToRefresh(): Promise<void> {
      // If it cannot be stored now, the next beat does it.
      isRefreshDue = true;
      await store.ask();
      isRefreshDue = false;
    },
    /** Begins to take part; resolves once it is known who leads. */
    start(next: LeaderEvents): Promise<void> {
      events = next;
      loops = Promise.allSettled([beats(), looks()]);
      return known.promise;
    },
    /** Gives the row back; no run may be in progress. */
    async close(): Promise<void> {
      closing.abort();
      known.resolve();
      const bye = loops.then(async () => {
        const mine = term;
        end();
        if (mine === undefined) return;
        await store.step((row) =>
          isOf(mine, row) ? { ...row, holder: undefined, beat: row.beat + 1 } : undefined,
        );
      });
      // A database that does not answer would hold up the end of the process.
      await Promise.race([bye, clock.wait(FAREWELL_MS)]).catch((error: unknown) =>
        log.debug('Leadership was not given back', { error: messageOf(error) }),
      );
      end();
    },
  };
}

/** Whether a connection was lost since the last epoch was written. */
function isCut(term: Pick<Term, 'losses' | 'healed'> | undefined): boolean {
  return term !== undefined && term.losses !== term.healed;
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
