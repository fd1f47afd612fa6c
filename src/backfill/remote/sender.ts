import type { Instant } from '../../catalog/day.ts';
import type { Sample } from '../../catalog/family.ts';
import type { PageFamily } from '../page.ts';
import { type DeliveryDeps, deliver, type WriteRequest } from './delivery.ts';
import { planSeries, type SeriesPlan } from './series-plan.ts';
import { createSnappy } from './snappy.ts';
import { createWriteRequestEncoder } from './write-request.ts';

/** Sends past samples in batches. */
interface Sender {
  /** Adds a page of an organization; the stamps of a series must be in order over all calls. */
  add(org: string, page: readonly PageFamily[]): Promise<void>;
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

/**
 * Creates a sender. It gathers as many samples as its concurrent requests can carry, divides them by series and sends the
 * requests at once; the next ones wait for all of them, so that no sample of a series overtakes an older one. Meanwhile
 * the next samples are gathered and encoded. A Prometheus without a window for samples out of order accepts the days of an
 * empty store in this way, because it judges requests that arrive together by what it had before them.
 */
export function createSender(deps: SenderDeps): Sender {
  const encoder = createWriteRequestEncoder();
  const compress = createSnappy();
  const plans = new Map<string, Map<string, SeriesPlan>>();
  const waiting: { readonly round: number; readonly callback: () => void }[] = [];
  const aborting = new AbortController();
  const enough = deps.concurrency * deps.batchSamples;
  let failure: unknown;
  let acknowledged = 0;
  // Numbers of rounds.
  let begun = 0;
  let ended = 0;
  let sending: Promise<void> = Promise.resolve();

  function planOf(org: string, page: PageFamily): SeriesPlan {
    const { name } = page.family;
    const known = plans.get(org)?.get(name);
    if (known !== undefined) return known;
    const ofOrg = plans.get(org) ?? new Map<string, SeriesPlan>();
    plans.set(org, ofOrg);
    const plan = planSeries(page.family, { org, ...(page.recorded ? {} : deps.labels) });
    ofOrg.set(name, plan);
    return plan;
  }

  function acknowledge(): void {
    while (waiting[0] !== undefined && waiting[0].round <= ended) waiting.shift()?.callback();
  }

  /** Sends what was gathered, after the round before. */
  async function dispatch(): Promise<void> {
    const requests = encoder.take(
      deps.batchSamples,
      (message, samples): WriteRequest => ({ body: compress(message), samples }),
    );
    if (requests.length > 0) begun++;
    await settled();
    if (requests.length > 0) sending = send(requests);
  }

  async function send(requests: readonly WriteRequest[]): Promise<void> {
    const queue = requests.values();
    await Promise.all(Array.from({ length: deps.concurrency }, () => work(queue)));
    if (failure !== undefined) return;
    ended++;
    acknowledge();
  }

  async function work(queue: Iterable<WriteRequest>): Promise<void> {
    for (const request of queue) {
      try {
        await deliver(request, deps, aborting.signal);
        acknowledged += request.samples;
      } catch (thrown) {
        failure ??= thrown;
        aborting.abort(thrown);
      }
    }
  }

  /** Adds samples that are too many for one round. */
  async function addMany(
    plan: SeriesPlan,
    samples: Iterable<Sample>,
    stamps: readonly Instant[],
  ): Promise<void> {
    for (const sample of samples) {
      encoder.add(plan, sample, stamps);
      if (encoder.samples >= enough) await dispatch();
    }
  }

  async function settled(): Promise<void> {
    await sending;
    if (failure !== undefined) throw failure;
  }

  return {
    async add(org, page) {
      for (const family of page) {
        const plan = planOf(org, family);
        const samples = family.samples();
        if (Array.isArray(samples)) encoder.addAll(plan, samples, family.stamps);
        else await addMany(plan, samples, family.stamps);
        if (encoder.samples >= enough) await dispatch();
      }
    },
    whenAcknowledged(callback) {
      waiting.push({ round: encoder.samples > 0 ? begun + 1 : begun, callback });
      acknowledge();
    },
    async flush() {
      await dispatch();
      await settled();
    },
    async abort() {
      failure ??= new Error('the sender was stopped');
      aborting.abort(failure);
      await sending;
    },
    get acknowledged() {
      return acknowledged;
    },
  };
}
