import type { ApiAnswer, ApiRequest, Source } from '../catalog/source.ts';
import type { Logger } from '../log/logger.ts';
import { createAgentPool } from '../net/agents.ts';
import { sendByAxios } from '../net/axios-transport.ts';
import { HttpClient } from '../net/http-client.ts';
import type { ProxySettings } from '../net/proxy.ts';
import type { PlatformError } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import { createPacingLimiter, type PacingLimiter } from '../work/rate-limiters.ts';
import { runInSlices } from '../work/slices.ts';
import { createSingleAttempt, type RequestObserver } from './attempt.ts';
import type { DailyQuota } from './daily-quota.ts';
import { createExchange } from './exchange.ts';
import { createThrottleHolds, MAX_IN_FLIGHT, type ThrottleHolds, withLimits } from './limits.ts';
import { walkPages } from './paging.ts';
import { type ConfiguredPaths, type KnownPaths, withPaths } from './paths.ts';
import { createReadingMemory, type ReadingMemory } from './reading-memory.ts';
import { withRetries } from './retries.ts';

const MAX_PAGES = 10_000;

export interface PlatformClientDeps {
  /** The organization's name, as its `org` label. */
  readonly org: string;
  /** Addresses without credentials, a query or a fragment. */
  readonly baseUrl: string;
  readonly appUrl: string;
  /** The API key, of characters that a header may have; read before every attempt, so that a rotated key takes effect on the next one. */
  readonly credential: () => Promise<string>;
  /** Time limit of one attempt, from connecting to the last byte of the body, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum number of retries of a failed attempt. */
  readonly retries: number;
  readonly requestsPerSecond: number;
  /** Version of the exporter, for the user agent. */
  readonly version: string;
  readonly clock: Clock;
  /** Uniform in [0, 1), for jitter. */
  readonly random: () => number;
  readonly log: Logger;
  readonly observer: RequestObserver;
  /** Maximum size of a body, in bytes after decompression. */
  readonly maxResponseBytes: number;
  /** That of the answers of all clients; of this one alone by default. */
  readonly memory?: ReadingMemory | undefined;
  /** Limits the request rate; passed in so that it survives a reload. A new limiter by default. */
  readonly limiter?: PacingLimiter | undefined;
  /** Limits the requests per day; unlimited by default. */
  readonly dailyQuota?: Pick<DailyQuota, 'take'> | undefined;
  /** Decides which answers are accepted; all by default. */
  readonly identity?: IdentityOfAnswers | undefined;
  /** The holds of the organization; passed in so that they survive a reload. None by default. */
  readonly throttleHolds?: ThrottleHolds | undefined;
  /** Called right before each request is sent; what it throws is thrown instead. Permits all by default. */
  readonly demand?: (() => void) | undefined;
  /** Maximum number of pages of one listing; 10 000 by default. */
  readonly maxPages?: number | undefined;
  /** The paths to ask in place of those of the requests. */
  readonly paths?: ConfiguredPaths | undefined;
  /** The paths that answer; passed in so that they survive a reload. None by default. */
  readonly knownPaths?: KnownPaths | undefined;
  /** The proxy to use, never for this machine itself; none by default. */
  readonly proxy?: ProxySettings | undefined;
}

export interface PlatformClient extends Source {
  /** Aborts requests in progress, which fail with reason `network`, and closes the connections. */
  close(): void;
}

/**
 * Creates the client of one organization; several collectors may use it concurrently. Requests throw only
 * `PlatformError`s, and what `demand` throws. Throws a `ConfigError` if the proxy is invalid.
 */
export function createPlatformClient(deps: PlatformClientDeps): PlatformClient {
  const { clock, maxResponseBytes } = deps;
  const closing = new AbortController();
  const closed = closing.signal;
  const agents = createAgentPool({
    keepAlive: true,
    maxSockets: MAX_IN_FLIGHT,
    limitMs: deps.timeoutMs,
    proxy: deps.proxy,
  });
  const http = new HttpClient({ agents, transport: sendByAxios });
  const limiter = deps.limiter ?? createPacingLimiter(deps.requestsPerSecond, clock);
  const userAgent = `agent-platform-exporter/${deps.version}`;
  const throttleHolds = deps.throttleHolds ?? createThrottleHolds(clock);

  const single = createSingleAttempt({
    org: deps.org,
    hosts: { api: new URL(deps.baseUrl), app: new URL(deps.appUrl) },
    credential: deps.credential,
    timeoutMs: deps.timeoutMs,
    maxResponseBytes,
    memory: deps.memory ?? createReadingMemory(),
    exchange: createExchange({ http, maxResponseBytes, userAgent, clock, admit }),
    clock,
    observer: deps.observer,
    closed,
    demand: deps.demand,
  });
  const limited = withLimits(single, {
    holds: throttleHolds,
    limiter,
    dailyQuota: deps.dailyQuota,
    closed,
  });
  const retried = withRetries(limited, {
    org: deps.org,
    retries: deps.retries,
    clock,
    random: deps.random,
    log: deps.log,
    observer: deps.observer,
    throttleHolds,
    closed,
  });
  const found = withPaths(retried, {
    org: deps.org,
    configured: deps.paths ?? {},
    known: deps.knownPaths ?? new Map(),
    clock,
    log: deps.log,
  });
  const get = withIdentity(found, deps.identity);

  /** A redirect is another request: it is rate-limited and counted like any other. */
  async function admit(ended: AbortSignal): Promise<PlatformError | undefined> {
    await limiter.take(ended).catch(() => undefined);
    return deps.dailyQuota?.take();
  }

  return {
    get: released(get),
    pages: (request, onItems) =>
      walkPages(get, request, onItems, { maxPages: deps.maxPages ?? MAX_PAGES, slices: clock.slices }),
    // A collector's steps may be large, so the clock is checked after each.
    inSlices: (work) => runInSlices(work, clock, 1),
    close() {
      closing.abort();
      http.close();
    },
  };
}

/** Requests an answer; throws a `PlatformError` on failure. */
export type Ask = (request: ApiRequest) => Promise<ApiAnswer>;

/** Decides which answers are accepted. */
export interface IdentityOfAnswers {
  /**
   * Resolves if the answer is accepted and rejects with a `PlatformError` otherwise. It may make requests of its own
   * with `ask`.
   */
  admit(request: ApiRequest, answer: ApiAnswer, ask: Ask): Promise<void>;
}

/** Releases each answer after whoever asked for it has read it, which is at once. */
function released(ask: Ask): Ask {
  return async (request) => {
    const answer = await ask(request);
    setImmediate(() => answer.release?.());
    return answer;
  };
}

/** Passes on only accepted answers; listings are checked page by page. */
export function withIdentity(ask: Ask, identity: IdentityOfAnswers | undefined): Ask {
  if (identity === undefined) return ask;

  return async (request) => {
    const answer = await ask(request);
    try {
      await identity.admit(request, answer, released(ask));
    } catch (thrown) {
      answer.release?.();
      throw thrown;
    }
    return answer;
  };
}
