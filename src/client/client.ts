import { createHmac } from 'node:crypto';
import type { DatasetName } from '../catalog/dataset.ts';
import type { Platform } from '../catalog/platform.ts';
import type {
  ApiAnswer,
  ApiRequest,
  ConfiguredOrg,
  PagedRequest,
  Place,
  RowsAnswer,
  RowsRequest,
  Source,
} from '../catalog/source.ts';
import type { Logger } from '../log/logger.ts';
import { createAgentPool } from '../net/agents.ts';
import { sendByAxios } from '../net/axios-transport.ts';
import { HttpClient } from '../net/http-client.ts';
import type { ProxySettings } from '../net/proxy.ts';
import { PlatformError } from '../text/errors.ts';
import { type BackoffBounds, backoffMs } from '../work/backoff.ts';
import type { Clock } from '../work/clock.ts';
import { createPacingLimiter, type PacingLimiter } from '../work/rate-limiters.ts';
import { runInSlices } from '../work/slices.ts';
import { createTurns } from '../work/turns.ts';
import type { DailyQuota } from './daily-quota.ts';
import { createExchange, type Exchange, type Exchanged } from './exchange.ts';
import type { RowSink } from './lines.ts';
import { createLinks, followLinks, type Links } from './links.ts';
import { walkPages } from './paging.ts';
import {
  type AnsweringPath,
  type ConfiguredPaths,
  type Hosts,
  isMissing,
  type KnownPaths,
  pathOf,
  TRY_AGAIN_MS,
  urlOf,
  withPathHint,
} from './paths.ts';
import { createReadingMemory, type ReadingMemory } from './reading-memory.ts';
import { classifyResponse, type Failure, type Outcome, type PlatformWords, RATE_HINT } from './response.ts';
import { createThrottleHolds, type ThrottleHolds } from './throttle-holds.ts';

const MAX_PAGES = 10_000;
/** Maximum number of concurrent attempts per organization. */
const MAX_IN_FLIGHT = 4;
/** Time limit of a request, including all attempts and the waits between them. */
const EFFORT_MS = 120_000;
const BACKOFF: BackoffBounds = { baseMs: 1_000, capMs: 30_000 };

/** Receives what the client sends: one call per attempt that used the network, and one per retry. */
export interface RequestObserver {
  /**
   * `code`: the HTTP status as text, `timeout` or `network`; `path`: the path of the request; `date`: the `Date` header of the
   * answer.
   */
  request(event: {
    org: string;
    endpoint: DatasetName;
    code: string;
    seconds: number;
    path: string;
    date: string | undefined;
  }): void;
  retry(event: { org: string; endpoint: DatasetName }): void;
}

export interface PlatformClientDeps extends PlatformWords {
  /** The organization's name, as its `org` label. */
  readonly org: string;
  /** The organization's configuration, for the platform's readers; none by default. */
  readonly configured?: ConfiguredOrg | undefined;
  /** Addresses without credentials, a query or a fragment. */
  readonly baseUrl: string;
  readonly appUrl: string;
  /** Reads the API key, which must be valid in a header; called before every attempt, so that a rotated key takes effect. */
  readonly credential: () => Promise<string>;
  /** Makes the headers of a request, without the user agent. By default, it accepts JSON and sends the key as a bearer token. */
  readonly headers?: Platform['headers'] | undefined;
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
  /** The memory limit that all clients share for reading answers; a limit of its own by default. */
  readonly memory?: ReadingMemory | undefined;
  /** Limits the request rate; passed in so that it survives a reload. A new limiter by default. */
  readonly limiter?: PacingLimiter | undefined;
  /** Limits the requests per day; unlimited by default. */
  readonly dailyQuota?: Pick<DailyQuota, 'take'> | undefined;
  /** Decides which answers are accepted; all by default. */
  readonly identity?: IdentityOfAnswers | undefined;
  /** The holds of the organization; passed in so that they survive a reload. None by default. */
  readonly throttleHolds?: ThrottleHolds | undefined;
  /** Called right before each request is sent. It throws to prevent the request; it permits all by default. */
  readonly demand?: (() => void) | undefined;
  /** Maximum number of pages of one listing; 10 000 by default. */
  readonly maxPages?: number | undefined;
  /** Configured paths, which replace the paths of the requests. */
  readonly paths?: ConfiguredPaths | undefined;
  /** The paths that have answered; passed in so that they survive a reload. None by default. */
  readonly knownPaths?: KnownPaths | undefined;
  /** The proxy to use, except for addresses of this machine; none by default. */
  readonly proxy?: ProxySettings | undefined;
  /**
   * The hosts, and their subdomains, that links in answers may lead to; none by default. A host with a private address must be
   * named itself, without a leading dot.
   */
  readonly linkHosts?: readonly string[] | undefined;
  /** Makes one request; over HTTP by default. */
  readonly exchange?: Exchange | undefined;
}

/** The client as its users see it. */
export interface PlatformClient extends Source {
  /** Aborts requests in progress, which fail with reason `network`, and closes the connections. */
  close(): void;
}

/**
 * The client of one organization; several collectors may use it concurrently. Requests throw only `PlatformError`s, and whatever
 * `demand` throws. The methods below are in the order in which a request passes them: each calls the next one.
 */
export class Client implements PlatformClient {
  readonly #deps: PlatformClientDeps;
  readonly #hosts: Hosts;
  readonly #http: HttpClient;
  readonly #exchange: Exchange;
  readonly #closing = new AbortController();
  readonly #limiter: PacingLimiter;
  readonly #holds: ThrottleHolds;
  readonly #turns = createTurns({ limit: MAX_IN_FLIGHT });
  readonly #memory: ReadingMemory;
  readonly #links: Links;
  /** The paths that have answered. */
  readonly #known: KnownPaths;
  readonly #send: Send;

  /** Throws a `ConfigError` if the proxy is invalid. */
  constructor(deps: PlatformClientDeps) {
    const { clock, maxResponseBytes, proxy, timeoutMs: limitMs } = deps;
    this.#deps = deps;
    this.place = deps.configured && { ...deps.configured, shared: new Map(), elapsed: clock.elapsed };
    this.#hosts = { api: new URL(deps.baseUrl), app: new URL(deps.appUrl) };
    const agents = createAgentPool({ keepAlive: true, maxSockets: MAX_IN_FLIGHT, limitMs, proxy });
    this.#http = new HttpClient({ agents, transport: sendByAxios });
    const userAgent = `agent-platform-exporter/${deps.version}`;
    const allowRedirect = (ended: AbortSignal) => this.#allowRedirect(ended);
    const { headers } = deps;
    this.#exchange =
      deps.exchange ??
      createExchange({ http: this.#http, headers, maxResponseBytes, userAgent, clock, allowRedirect });
    this.#limiter = deps.limiter ?? createPacingLimiter(deps.requestsPerSecond, clock);
    this.#holds = deps.throttleHolds ?? createThrottleHolds(clock);
    this.#memory = deps.memory ?? createReadingMemory();
    this.#links = createLinks({ baseUrl: deps.baseUrl, linkHosts: deps.linkHosts ?? [] });
    this.#known = deps.knownPaths ?? new Map();
    this.#send = withIdentity((request) => this.#byPath(request), deps.identity);
  }

  // The members of a `Source` are fields, because sources are copied member by member to add to them.
  readonly place: Place | undefined;

  readonly get = (request: ApiRequest): Promise<ApiAnswer> => released(this.#send)(request);

  readonly lines = <Sum>({ linksOf, mayBeEmpty, start, add, ...request }: RowsRequest<Sum>) => {
    const rows = { mayBeEmpty, start, add };
    if (linksOf === undefined) return readRows(this.#send, request, rows);
    const readLink = (link: string) =>
      readRows((linked) => this.#effort(linked), { ...request, mayBeUnready: false, link }, rows);
    return followLinks(() => this.get(request), linksOf, readLink);
  };

  readonly pages = (request: PagedRequest, onItems: (items: readonly unknown[]) => void) =>
    walkPages(this.#send, request, onItems, {
      maxPages: this.#deps.maxPages ?? MAX_PAGES,
      slices: this.#deps.clock.slices,
    });

  // A collector's steps may be large, so the clock is checked after each.
  readonly inSlices = <Result>(work: Generator<unknown, Result>): Promise<Result> =>
    runInSlices(work, this.#deps.clock, 1);

  readonly close = (): void => {
    this.#closing.abort();
    this.#http.close();
  };

  /**
   * Requests a resource that may have several paths, beginning with the path that answered last. If a path is missing, tries the
   * next one; remembers the target of a redirect. Once a day, tries the first path again; if that fails in any way, uses the path
   * that works.
   */
  async #byPath({ otherPaths, ...request }: SentRequest): Promise<ApiAnswer> {
    if (otherPaths === undefined) return this.#effort(request);
    const { endpoint } = request;
    const only = this.#deps.paths?.[endpoint];
    const paths = only === undefined ? [request.path, ...otherPaths] : [only];
    const [first = request.path] = paths;
    const answering = this.#answeringPath(endpoint, first);
    const now = this.#deps.clock.elapsed();
    const isTrial = answering !== undefined && now - answering.triedAt >= TRY_AGAIN_MS;
    if (isTrial) this.#known.set(endpoint, { ...answering, triedAt: now });
    const usual = answering === undefined ? paths : [answering.path, ...paths];
    let missing: PlatformError | undefined;
    for (const path of new Set(isTrial ? [first, ...usual] : usual)) {
      try {
        const answer = await this.#effort({ ...request, path });
        this.#notePath(endpoint, answer.movedTo ?? path, first);
        return answer;
      } catch (error) {
        if (!isMissing(error) && !(isTrial && path === first && path !== answering.path)) throw error;
        if (isMissing(error)) missing ??= error;
      }
    }
    throw missing === undefined ? new Error('no path was asked') : withPathHint(missing, request);
  }

  #answeringPath(endpoint: DatasetName, first: string): AnsweringPath | undefined {
    const answering = this.#known.get(endpoint);
    return answering?.first === first ? answering : undefined;
  }

  #notePath(endpoint: DatasetName, path: string, first: string): void {
    const { org, clock, log } = this.#deps;
    const known = this.#answeringPath(endpoint, first) ?? { path: first, triedAt: clock.elapsed() };
    const { path: before, triedAt } = known;
    this.#known.set(endpoint, { path, first, triedAt });
    if (path !== before) log.info('Another path of the platform answers', { org, endpoint, path, before });
  }

  /**
   * Retries attempts that failed for transient reasons, with exponential backoff and full jitter, respecting `Retry-After`. Throws
   * the last failure, at once if the server asks for a longer wait than the time limit allows. `#giveUp` then holds requests until
   * the requested time: all of the organization if it is throttled (429), otherwise those to the endpoint.
   */
  #effort(request: SentRequest): Promise<ApiAnswer> {
    return this.#holds.guard(request.endpoint, () => this.#attempts(request));
  }

  async #attempts(request: SentRequest): Promise<ApiAnswer> {
    const { clock, org, log, observer, random, retries } = this.#deps;
    const { endpoint } = request;
    const ended = this.#endOf(request);
    const ends = clock.elapsed() + EFFORT_MS;
    let unreadable = false;
    // The first attempt may use its whole timeout, even if that is longer than the limit of a request.
    let budgetMs = Number.POSITIVE_INFINITY;
    for (let retry = 0; ; retry += 1) {
      const outcome = await this.#limited(request, budgetMs, ended);
      if (outcome.ok) return outcome.answer;
      const spent =
        retry >= retries ||
        ended.aborted ||
        (outcome.retry === 'once' && unreadable) ||
        (request.retryOn === 'throttled' && !isAsked(outcome));
      const wait = Math.max(outcome.retryAfterMs ?? 0, backoffMs(retry, BACKOFF, random));
      if (spent || outcome.retry === 'never' || clock.elapsed() + wait >= ends) {
        throw this.#giveUp(request, outcome);
      }
      unreadable ||= outcome.retry === 'once';
      const { reason, status } = outcome.error;
      log.debug('Retrying a request', { org, endpoint, reason, status, wait_seconds: wait / 1000 });
      await clock.wait(wait, ended).catch(() => {
        throw outcome.error;
      });
      observer.retry({ org, endpoint });
      budgetMs = ends - clock.elapsed();
    }
  }

  /** The error of a request without further retries. If the server asked to wait, begins the pause and adds it to the error. */
  #giveUp({ endpoint }: ApiRequest, { error, retryAfterMs }: Failure): PlatformError {
    if (retryAfterMs === undefined || retryAfterMs === 0) return error;
    const { org, clock, log } = this.#deps;
    const { reason, status } = error;
    const retryAt = clock.now() + retryAfterMs;
    const until = new Date(retryAt).toISOString().replace(/\.\d+/, '');
    const scope = reason === 'throttled' ? 'organization' : endpoint;
    const hint =
      scope === 'organization'
        ? `The platform requested a pause; no requests are sent for this organization until it ends. ${RATE_HINT}`
        : 'The platform requested a pause of this endpoint; no requests are sent to it until it ends.';
    const message = `${error.message} (paused until ${until})`;
    const paused = new PlatformError(reason, message, { hint, status, retryAt });
    if (this.#holds.hold(scope, retryAfterMs, paused))
      log.warn('Pause requested by the platform', { org, scope, status, until });
    return paused;
  }

  /** Limits concurrency and rate. An attempt to a held endpoint, or beyond the daily quota, fails without being sent. */
  async #limited(request: SentRequest, budgetMs: number, ended: AbortSignal): Promise<Outcome> {
    const turn = await this.#turns.take('all', 'other');
    try {
      const error = await this.#refusal(request, ended);
      return error === undefined
        ? await this.#attempt(request, budgetMs, ended)
        : { ok: false, error, retry: 'never' };
    } finally {
      turn.end();
    }
  }

  /** Waits for the rate limiter; returns the error if the attempt must not be sent. */
  async #refusal({ endpoint }: ApiRequest, ended: AbortSignal): Promise<PlatformError | undefined> {
    const held = this.#holds.current(endpoint);
    if (held !== undefined) return held;
    await this.#limiter.take(ended).catch(() => undefined);
    // A hold may have begun during the wait. An aborted attempt fails later, in the exchange, without being sent.
    return this.#holds.current(endpoint) ?? (ended.aborted ? undefined : this.#deps.dailyQuota?.take());
  }

  /** A redirect is another request: it is rate-limited and counted like any other. */
  async #allowRedirect(ended: AbortSignal): Promise<PlatformError | undefined> {
    await this.#limiter.take(ended).catch(() => undefined);
    return this.#deps.dailyQuota?.take();
  }

  /**
   * Tries a request once, for at most `budgetMs` milliseconds: reads the key, makes one exchange, counts it and classifies its
   * outcome. Returns failures as values, but throws what `demand` throws. An answer keeps its share of memory until `release`.
   */
  async #attempt(request: SentRequest, budgetMs: number, ended: AbortSignal): Promise<Outcome> {
    const { org, clock, maxResponseBytes, advice, isNotYet, pauseOf } = this.#deps;
    const key = await this.#deps.credential();
    const started = clock.elapsed();
    const asked = `GET ${request.path}`;
    const link = request.link === undefined ? undefined : this.#links.open(request.link, asked, key);
    const url = link?.url ?? urlOf(request, this.#hosts);
    const memory = this.#memory.open(org, maxResponseBytes);
    this.#deps.demand?.();
    const timeoutMs = Math.min(this.#deps.timeoutMs, budgetMs);
    const { mayBeUnready, sink } = request;
    const sent = link === undefined ? key : '';
    const exchanged = await this.#exchange(url, sent, { timeoutMs, ended, memory, sink, link });
    // Nothing is left of a body that was read line by line.
    if (sink !== undefined) memory.end();
    // A request aborted on purpose says nothing about the platform, and its organization may have been removed.
    if (!ended.aborted) this.#count(request, exchanged, clock.elapsed() - started);
    await clock.slices.next();
    if (exchanged.kind === 'lines' && 'thrown' in exchanged) throw exchanged.thrown;
    const refusal = link?.refusal();
    if (refusal !== undefined) return { ok: false, error: refusal, retry: 'never' };
    const words = { advice, isNotYet, pauseOf };
    const subject = link === undefined ? asked : `${asked}, its link to ${link.host}`;
    const outcome = classifyResponse(exchanged, subject, {
      ...words,
      endpoint: request.endpoint,
      key,
      now: clock.now(),
      maxResponseBytes,
      mayBeUnready,
      isLines: sink !== undefined,
      isLink: link !== undefined,
    });
    if (!outcome.ok) {
      memory.end();
      return outcome;
    }
    const target = exchanged.kind === 'answer' ? exchanged.movedTo : undefined;
    const movedTo = target && pathOf(target, url, request);
    // Paths are shown, so one that repeats the key is not remembered.
    const shown = movedTo?.includes(key) ? undefined : movedTo;
    const more = { key: fingerprintOf(key, org), movedTo: shown, release: memory.end };
    return { ok: true, answer: { ...outcome.answer, ...more } };
  }

  #count({ endpoint, path, link }: SentRequest, exchanged: Exchanged, ms: number): void {
    const code = 'status' in exchanged ? String(exchanged.status) : exchanged.kind;
    // The host of a link has a clock of its own.
    const date = 'date' in exchanged && link === undefined ? exchanged.date : undefined;
    const { org, observer } = this.#deps;
    observer.request({ org, endpoint, code, seconds: ms / 1000, path, date });
  }

  /** A signal that aborts when the caller aborts the request or the client closes. */
  #endOf({ signal }: ApiRequest): AbortSignal {
    const closed = this.#closing.signal;
    return signal === undefined ? closed : AbortSignal.any([closed, signal]);
  }
}

/** Whether the platform itself asked for a later retry or for fewer requests. */
function isAsked({ error, retryAfterMs }: Failure): boolean {
  return error.reason === 'throttled' || (retryAfterMs !== undefined && retryAfterMs > 0);
}

/** A fingerprint that distinguishes an organization's keys; the key cannot be derived from it. */
function fingerprintOf(key: string, org: string): string {
  return createHmac('sha256', `agent-platform-exporter/${org}`).update(key).digest('hex').slice(0, 16);
}

/** A request as the client sends it. */
interface SentRequest extends ApiRequest {
  /** Takes the body line by line. */
  readonly sink?: RowSink;
  /** A link from an answer, requested in place of the path. */
  readonly link?: string;
}

/** Sends a request and resolves with its answer; throws a `PlatformError` on failure. */
export type Send = (request: SentRequest) => Promise<ApiAnswer>;

/** Reads a body of rows into a sum; undefined if the platform does not have the body yet. */
async function readRows<Sum>(
  send: Send,
  request: SentRequest,
  { mayBeEmpty, start, add }: Pick<RowsRequest<Sum>, 'mayBeEmpty' | 'start' | 'add'>,
): Promise<RowsAnswer<Sum> | undefined> {
  let sum = start();
  const sink: RowSink = {
    mayBeEmpty,
    begin: () => {
      sum = start();
    },
    add: (row) => add(sum, row),
  };
  const { isUnready, bytes } = await send({ ...request, sink });
  return isUnready ? undefined : { sums: [sum], bytes };
}

/** Decides which answers are accepted. */
export interface IdentityOfAnswers {
  /**
   * Resolves if the answer is accepted and rejects with a `PlatformError` otherwise. It may make requests of its own
   * with `send`.
   */
  accept(request: ApiRequest, answer: ApiAnswer, send: Send): Promise<void>;
}

/** Wraps `send` so that each answer is released in the next turn of the event loop, when its caller has read it. */
function released(send: Send): Send {
  return async (request) => {
    const answer = await send(request);
    setImmediate(() => answer.release?.());
    return answer;
  };
}

/** Wraps `send` so that it resolves only with answers that `identity` accepts; each page of a listing is checked. */
export function withIdentity(send: Send, identity: IdentityOfAnswers | undefined): Send {
  if (identity === undefined) return send;

  return async (request) => {
    const answer = await send(request);
    try {
      await identity.accept(request, answer, released(send));
    } catch (thrown) {
      answer.release?.();
      throw thrown;
    }
    return answer;
  };
}
