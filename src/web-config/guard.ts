import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../log/logger.ts';
import { type ExtraHeaders, HANG_UP, partsOf, respondText } from '../server/respond.ts';
import type { TokenBucket } from '../work/rate-limiters.ts';
import type { WebSettings } from './load.ts';
import { basicCredentials, type PasswordChecker, type Verdict } from './passwords/checker.ts';

interface GuardDeps {
  readonly app: RequestListener;
  settings(): WebSettings;
  readonly passwords: PasswordChecker;
  readonly limiter: TokenBucket;
  /** Whether the client of a connection lacks the required certificate. */
  isUncertified(socket: Socket): boolean;
  /** Paths without authentication. */
  readonly openPaths: ReadonlySet<string>;
  /** Paths that check a bearer token themselves, which uses the same header as the password. */
  readonly tokenPaths: ReadonlySet<string>;
  readonly log: Logger;
}

/** The client's `Retry-After` while too many comparisons are pending. */
const BUSY_MS = 1_000;
const CHALLENGE = [
  'WWW-Authenticate',
  'Basic realm="agent-platform-exporter", charset="UTF-8"',
  ...HANG_UP,
] as const;

/**
 * Enforces certificates, rate limit and passwords for every route of an application, and sets headers, which take
 * precedence over the route's own where `writeHeaders` writes those.
 */
export function createGuard(deps: GuardDeps): RequestListener {
  const { app, passwords, log } = deps;

  return (request, response) => {
    const settings = deps.settings();
    for (const [name, value] of settings.headers) response.setHeader(name, value);
    // As written in the request line: only the plain form of an open path is open.
    const [path] = partsOf(request.url);
    if (deps.openPaths.has(path)) {
      app(request, response);
      return;
    }
    if (deps.isUncertified(request.socket)) {
      respondText(response, 403, 'A client certificate is required.', HANG_UP);
      return;
    }
    const wait = settings.rateLimit === undefined ? 'taken' : deps.limiter.take(settings.rateLimit);
    if (wait !== 'taken') {
      respondText(response, 429, 'Too many requests at once.', retryAfter(wait));
      return;
    }
    const { authorization } = request.headers;
    if (settings.users.size === 0 || (deps.tokenPaths.has(path) && isBearer(authorization))) {
      app(request, response);
      return;
    }
    const given = basicCredentials(authorization);
    if (given === undefined) {
      refuse(response);
      return;
    }
    const verdict = passwords.check(given, settings.users, request.socket.remoteAddress ?? '');
    if (typeof verdict === 'string') pass(verdict, request, response);
    else {
      verdict.then(
        (result) => pass(result, request, response),
        (error: unknown) => {
          log.error('Password check failed', { error });
          respondText(response, 503, 'The password could not be checked.', retryAfter(BUSY_MS));
        },
      );
    }
  };

  function pass(verdict: Verdict, request: IncomingMessage, response: ServerResponse): void {
    if (verdict === 'right') app(request, response);
    else if (verdict === 'wrong') refuse(response);
    else respondText(response, 503, 'Too many passwords are being checked.', retryAfter(BUSY_MS));
  }
}

function refuse(response: ServerResponse): void {
  respondText(response, 401, 'Authentication is required.', CHALLENGE);
}

function retryAfter(ms: number): ExtraHeaders {
  return ['Retry-After', String(Math.max(1, Math.ceil(ms / 1_000)))];
}

function isBearer(authorization: string | undefined): boolean {
  return authorization !== undefined && /^bearer /i.test(authorization);
}
