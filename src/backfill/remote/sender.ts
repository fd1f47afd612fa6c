import type { PageFamily } from '../page.ts';
import { type DeliveryDeps, deliver } from './delivery.ts';
import { compressSnappy } from './snappy.ts';
import { createWriteRequestEncoder, planSeries, type SeriesPlan } from './write-request.ts';

/** Sends past samples in batches. */
interface Sender {
  /** Adds samples of an organization; the stamps of a series must be in order over all calls. */
  add(org: string, page: PageFamily): Promise<void>;
  /** Calls back once everything added so far is acknowledged. */
  whenAcknowledged(callback: () => void): void;
  /** Sends the rest; resolves when everything is acknowledged. */
  flush(): Promise<void>;
  /** Aborts requests in progress; resolves once none is left. */
  abort(): Promise<void>;
  /** Number of acknowledged samples. */
  readonly acknowledged: number;
}

export interface SenderDeps extends DeliveryDeps {
  readonly labels: Readonly<Record<string, string>>;
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  readonly batchSamples: number;
}

interface Batch {
  /** The round of the samples' instants; undefined if they are of several rounds. */
  readonly round: number | undefined;
  readonly sent: Promise<void>;
}

/**
 * Creates a sender. Samples at the same instants belong to different series and are sent concurrently; samples at later
 * instants wait for them, so that no sample of a series overtakes an older one.
 */
export function createSender(deps: SenderDeps): Sender {
  const encoder = createWriteRequestEncoder();
  const plans = new Map<string, Map<string, SeriesPlan>>();
  const inFlight = new Map<number, Batch>();
  const waiting: { readonly batch: number; readonly callback: () => void }[] = [];
  const aborting = new AbortController();
  let failure: unknown;
  let acknowledged = 0;
  let number = 0;
  let round = 0;
  let instants = '';
  // Of the current batch: one that spans several rounds is sent alone.
  let firstRound = 0;

  function planOf(org: string, page: PageFamily): SeriesPlan {
    const ofOrg = plans.get(org) ?? new Map<string, SeriesPlan>();
    plans.set(org, ofOrg);
    const { name } = page.family;
    const plan = ofOrg.get(name) ?? planSeries(page.family, { org, ...(page.recorded ? {} : deps.labels) });
    ofOrg.set(name, plan);
    return plan;
  }

  function acknowledge(): void {
    const oldest = Math.min(number, ...inFlight.keys());
    while (waiting[0] !== undefined && waiting[0].batch < oldest) waiting.shift()?.callback();
  }

  async function settled(isDone: () => boolean): Promise<void> {
    while (!isDone()) await Promise.race([...inFlight.values()].map(({ sent }) => sent));
    if (failure !== undefined) throw failure;
  }

  async function dispatch(): Promise<void> {
    if (encoder.samples === 0) return;
    const alone = firstRound !== round;
    const { samples } = encoder;
    const body = compressSnappy(encoder.take());
    firstRound = round;
    const beside = () => !alone && [...inFlight.values()].every((other) => other.round === round);
    await settled(() => inFlight.size === 0 || (beside() && inFlight.size < deps.concurrency));
    const batch = number++;
    const sent = deliver(body, deps, aborting.signal)
      .then(() => {
        acknowledged += samples;
      })
      .catch((thrown: unknown) => {
        failure ??= thrown;
        aborting.abort(thrown);
      })
      .finally(() => {
        inFlight.delete(batch);
        if (failure === undefined) acknowledge();
      });
    inFlight.set(batch, { round: alone ? undefined : round, sent });
  }

  return {
    async add(org, page) {
      const plan = planOf(org, page);
      const at = page.stamps.join();
      if (at !== instants) {
        instants = at;
        round++;
        if (encoder.samples === 0) firstRound = round;
      }
      for (const sample of page.samples()) {
        encoder.add(plan, sample, page.stamps);
        if (encoder.samples >= deps.batchSamples) await dispatch();
      }
    },
    whenAcknowledged(callback) {
      waiting.push({ batch: encoder.samples > 0 ? number : number - 1, callback });
      acknowledge();
    },
    async flush() {
      await dispatch();
      await settled(() => inFlight.size === 0);
    },
    async abort() {
      failure ??= new Error('the sender was stopped');
      aborting.abort(failure);
      await Promise.all([...inFlight.values()].map(({ sent }) => sent));
    },
    get acknowledged() {
      return acknowledged;
    },
  };
}
