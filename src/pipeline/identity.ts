import type { DatasetName } from '../catalog/dataset.ts';
import { addDays, yesterdayOf } from '../catalog/day.ts';
import type { ApiAnswer, ApiRequest } from '../catalog/source.ts';
import { type History, UNCONFIRMED } from '../history/history.ts';
import type { Admission, Ask } from '../platform/client.ts';
import type { Clock } from '../runtime/clock.ts';
import { PlatformError } from '../runtime/errors.ts';

/** A longer identifier is invalid: readers of rows would truncate it. */
const MAX_ID = 512;

/** The number of endpoints that must name an identifier before it is accepted, if that many are requested. */
const VOTES = 2;

/** The settings of an identity check. */
interface IdentitySettings {
  /** The configured identifier. */
  readonly orgId: string | undefined;
  /** The collected analytics endpoints: their answers name the organization. */
  readonly endpoints: readonly DatasetName[];
}

/** An identity check whose settings may change. */
export interface IdentityCheck extends Admission {
  /** Applies other settings from the next answer on; what endpoints have named is kept. */
  use(settings: IdentitySettings): void;
}

interface IdentityParts extends IdentitySettings {
  /** The organization's name, as its `org` label. */
  readonly org: string;
  readonly history: Pick<History, 'read' | 'adopt' | 'putConfirmedKey'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Admits only answers of the organization to which the history belongs. The first identifier is accepted once two
 * endpoints have named it. An answer without an identifier is admitted if an analytics answer to the same key has
 * confirmed the organization; if none has, one is requested.
 */
export function createIdentityCheck(parts: IdentityParts): IdentityCheck {
  const { org, history, clock } = parts;
  let settings: IdentitySettings = parts;
  /** The last identifier named by each endpoint. */
  const votes = new Map<DatasetName, string>();
  const underWay = new Map<DatasetName, number>();
  const changed = createSignal();
  let probing: Promise<void> | undefined;

  function others(endpoint: DatasetName): readonly DatasetName[] {
    return settings.endpoints.filter((other) => other !== endpoint);
  }

  /** The stored identity, after adopting the configured identifier if it differs. */
  async function known() {
    const { orgId: configured } = settings;
    const { orgId, confirmedKey } = await history.read(org);
    if (configured === undefined || configured === orgId) return { orgId, confirmedKey };
    await history.adopt(org, configured);
    return { orgId: configured, confirmedKey: UNCONFIRMED };
  }

  /** Queries the endpoints in turn until `isEnough`. A failure names no identifier. */
  async function probe(
    endpoints: readonly DatasetName[],
    ask: Ask,
    isEnough: () => Promise<boolean>,
  ): Promise<void> {
    for (const endpoint of endpoints) {
      if (await isEnough()) return;
      const request = probeOf(endpoint, clock);
      const answer = await ask(request).catch(() => undefined);
      if (answer === undefined) continue;
      const named = orgIdIn(answer.body);
      if (named !== undefined) await note(endpoint, named, answer.key);
    }
  }

  /** All waiting answers share one probe. */
  async function probeOnce(
    endpoints: readonly DatasetName[],
    ask: Ask,
    isEnough: () => Promise<boolean>,
  ): Promise<void> {
    probing ??= probe(endpoints, ask, isEnough).finally(() => {
      probing = undefined;
    });
    await probing;
  }

  /** Records the identifier named by an endpoint; accepts it, or confirms the key, if that is enough. */
  async function note(endpoint: DatasetName, named: string, key: string | undefined): Promise<void> {
    votes.set(endpoint, named);
    const { orgId } = await known();
    if (orgId === undefined) {
      const agreeing = [...votes.values()].filter((vote) => vote === named).length;
      if (agreeing >= Math.min(VOTES, settings.endpoints.length)) {
        await history.adopt(org, named);
        if (key !== undefined) await history.putConfirmedKey(org, key);
      }
    } else if (key !== undefined) {
      await history.putConfirmedKey(org, orgId === named ? key : UNCONFIRMED);
    }
    changed.raise();
  }

  /** Waits until `isSettled`, as long as one of the endpoints may still answer. */
  async function settle(
    endpoints: readonly DatasetName[],
    ask: Ask,
    isSettled: () => Promise<boolean>,
  ): Promise<boolean> {
    for (;;) {
      const change = changed.next();
      if (await isSettled()) return true;
      if (!endpoints.some((endpoint) => (underWay.get(endpoint) ?? 0) > 0)) break;
      await change;
    }
    await probeOnce(endpoints, ask, isSettled);
    return await isSettled();
  }

  async function admitNamed(
    endpoint: DatasetName,
    named: string,
    key: string | undefined,
    ask: Ask,
  ): Promise<void> {
    await note(endpoint, named, key);
    const isBelieved = async () => (await known()).orgId !== undefined;
    if (!(await settle(others(endpoint), ask, isBelieved))) throw unbelieved(endpoint, named);
    const { orgId } = await known();
    if (orgId !== undefined && orgId !== named) throw foreign(org, orgId, named);
  }

  async function admitUnnamed(key: string | undefined, ask: Ask): Promise<void> {
    const endpoints = settings.endpoints;
    if (endpoints.length === 0) return;
    const isConfirmed = async () => {
      const { orgId, confirmedKey } = await known();
      return orgId === undefined || key === undefined || confirmedKey === key;
    };
    if (await settle(endpoints, ask, isConfirmed)) return;
    throw unconfirmed((await known()).orgId ?? '');
  }

  return {
    use(next) {
      settings = next;
    },
    asking({ endpoint }) {
      underWay.set(endpoint, (underWay.get(endpoint) ?? 0) + 1);
      return () => {
        underWay.set(endpoint, (underWay.get(endpoint) ?? 1) - 1);
        changed.raise();
      };
    },
    async admit({ endpoint }: ApiRequest, { body, key }: ApiAnswer, ask) {
      const named = settings.endpoints.includes(endpoint) ? orgIdIn(body) : undefined;
      if (named === undefined) await admitUnnamed(key, ask);
      else await admitNamed(endpoint, named, key, ask);
    },
  };
}

/** The smallest analytics request: one day that is over in every time zone. */
function probeOf(endpoint: DatasetName, clock: Pick<Clock, 'now'>): ApiRequest {
  const day = addDays(yesterdayOf(clock.now()), -1);
  return {
    endpoint,
    host: 'api',
    path: `/api/v1/analytics/${endpoint}`,
    query: { startDate: day, endDate: day, ...(endpoint === 'users' && { limit: '1' }) },
  };
}

function orgIdIn(body: unknown): string | undefined {
  const meta = isObject(body) ? body['meta'] : undefined;
  const named = isObject(meta) ? meta['org_id'] : undefined;
  return typeof named === 'string' && named !== '' && named.length <= MAX_ID ? named : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function foreign(org: string, known: string, named: string): PlatformError {
  return new PlatformError(
    'organization',
    `the answer is from the organization ${named}, but the history of ${org} belongs to ${known}`,
    {
      hint: `The answer is not used. Restore the key of ${known}. If ${named} is intended, set it with org_id in the configuration file or --api.org-id: the history of ${known} is then set aside, and restored with its id.`,
    },
  );
}

function unbelieved(endpoint: DatasetName, named: string): PlatformError {
  return new PlatformError(
    'organization',
    `only /${endpoint} names the organization ${named}, and no other endpoint has confirmed it yet`,
    {
      hint: 'It is accepted as soon as a second analytics endpoint names it. To skip the check, set org_id in the configuration file or --api.org-id.',
    },
  );
}

function unconfirmed(orgId: string): PlatformError {
  return new PlatformError(
    'organization',
    `this answer names no organization, and no analytics answer has confirmed that the key belongs to ${orgId}`,
    {
      hint: 'It is used once an analytics endpoint has answered with this key: check why those collectors fail. A key of another organization requires its org_id in the configuration file or --api.org-id.',
    },
  );
}

/** A repeatable event that any number of waiters may await. */
interface Signal {
  raise(): void;
  /** Resolves when it is next raised. */
  next(): Promise<void>;
}

/** Creates a signal. */
function createSignal(): Signal {
  let waiting = Promise.withResolvers<void>();
  return {
    raise() {
      const raised = waiting;
      waiting = Promise.withResolvers();
      raised.resolve();
    },
    next: () => waiting.promise,
  };
}
