import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { isIPv4 } from 'node:net';
import express from 'express';
import type { Logger } from '../log/logger.ts';
import { escapeForRegExp } from '../log/redact.ts';
import type { ReadFigures } from '../page/org-figures.ts';
import { type Readiness, redactStatus, type ServiceStatus } from '../page/status.ts';
import type { Clock } from '../work/clock.ts';
import type { ReloadOutcome } from '../work/reload.ts';
import {
  createPageHandler,
  createReadyHandler,
  createRefreshHandler,
  createReloadHandler,
  createStatusHandler,
  healthy,
  lifecycleDisabled,
  type PausedPart,
} from './handlers.ts';
import {
  createMetricsHandler,
  createPageAnswer,
  createPartTurns,
  createProbeHandler,
  type ScrapeDeps,
} from './metrics.ts';
import { type ExpressRequest, HANG_UP, type Handler, partsOf, respondJson, respondText } from './respond.ts';
import { shareAnswers } from './shared-answers.ts';

export interface AppDeps extends Omit<ScrapeDeps, 'answerPage' | 'takePart'> {
  readonly log: Logger;
  readonly clock: Pick<Clock, 'elapsed' | 'slices'>;
  /** The path that serves the metrics. */
  readonly telemetryPath: string;
  /** The current state of the service. */
  status(): ServiceStatus;
  /** Whether the service is ready, as in the status. Resolves only once the page has the newest data. */
  readiness(): Promise<Readiness>;
  /** The figures of the organizations, for the HTML page. */
  readonly figures: ReadFigures;
  /** Starts every collector, including the revision window, without waiting; returns the endpoints that are paused. */
  refresh(): readonly PausedPart[];
  /** Reloads the configuration. */
  reload(): Promise<ReloadOutcome>;
  /** Removes secrets from failures before they are shown. */
  redact(text: string): string;
  /** The handler of hook events; undefined if none are accepted. */
  hooks?(): Handler | undefined;
  /** Whether `POST /-/refresh` and `POST /-/reload` are enabled. */
  readonly lifecycle: boolean;
  /** The host names that requests may use; any if empty. */
  readonly allowedHosts: readonly string[];
}

/** Creates the HTTP application: all routes, and plain-text answers to all other requests. */
export function createApp(deps: AppDeps): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('query parser', false);
  app.enable('case sensitive routing');
  app.enable('strict routing');
  const answers = shareAnswers(() => redactStatus(deps.status(), deps.redact), deps.clock);

  const parts = { ...deps, answerPage: createPageAnswer(deps.log), takePart: createPartTurns() };

  app.use(createHostCheck(deps.allowedHosts));
  // First, so that a scrape passes no other route.
  addRoute(app, deps.telemetryPath, 'GET', createMetricsHandler(parts));
  addRoute(app, '/probe', 'GET', createProbeHandler(parts));
  addRoute(app, '/', 'GET', createPageHandler({ ...deps, answers }));
  addRoute(app, '/status', 'GET', createStatusHandler({ ...deps, answers }));
  addRoute(app, '/-/healthy', 'GET', healthy);
  const mayList = ({ headers }: IncomingMessage) => isAllowedHost(headers.host, deps.allowedHosts);
  addRoute(app, '/-/ready', 'GET', createReadyHandler(deps.readiness, mayList));
  const changing = (handler: Handler) =>
    sameSite(deps.allowedHosts, deps.lifecycle ? handler : lifecycleDisabled);
  addRoute(app, '/-/refresh', 'POST', changing(createRefreshHandler(deps)));
  addRoute(app, '/-/reload', 'POST', changing(createReloadHandler(deps)));

  addHookRoute(app, deps);
  app.use(bodiless(nothingHere));
  app.use(createErrorHandler(deps.log));
  return app;
}

/** Serves one path (GET includes HEAD); answers other methods with 405 and the allowed method. */
function addRoute(
  app: express.Express,
  path: string,
  method: 'GET' | 'POST',
  handler: Handler<ExpressRequest>,
): void {
  const allow = method === 'GET' ? 'GET, HEAD' : method;
  const route = app.route(exactly(path));
  if (method === 'GET') route.get(bodiless(handler));
  else route.post(bodiless(handler));
  route.all(
    bodiless((_request, response) => {
      respondText(response, 405, `Method not allowed. Allowed methods: ${allow}.`, ['Allow', allow]);
    }),
  );
}

/** Escapes a configured path: express would interpret `:` and `*` in it as patterns. */
function exactly(path: string): RegExp {
  return new RegExp(`^${escapeForRegExp(path)}$`);
}

/** Without a hook token the route does not exist; its answers are JSON, like its requests. */
function addHookRoute(app: express.Express, { hooks }: Pick<AppDeps, 'hooks'>): void {
  app.all(exactly('/hooks/events'), (request, response) => {
    const handle = hooks?.();
    if (handle === undefined) return bodiless(noHookToken)(request, response);
    if (request.method === 'POST') return handle(request, response);
    return bodiless(onlyPost)(request, response);
  });
}

const nothingHere: Handler = (_request, response) => {
  respondText(response, 404, 'Not found. The status page is at /.');
};

const noHookToken: Handler = (_request, response) => {
  respondJson(response, 404, { error: 'hook events are not accepted: no hook token is configured' });
};

const onlyPost: Handler = (_request, response) => {
  respondJson(response, 405, { error: 'only POST is allowed' }, ['Allow', 'POST']);
};

function createErrorHandler(log: Logger): express.ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    log.error('Request failed', { error });
    if (response.headersSent) response.destroy();
    else respondText(response, 500, 'Internal server error. See the log.');
  };
}

/**
 * Responds without reading the request body, and closes the connection afterwards if there is one: Node.js would
 * otherwise receive and discard all of it.
 */
function bodiless<Request extends IncomingMessage>(handler: Handler<Request>): Handler<Request> {
  return (request, response) => {
    if (hasBody(request)) response.shouldKeepAlive = false;
    return handler(request, response);
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Paths that load balancers request without `Host`, or with a `Host` of their own. */
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/-/healthy', '/-/ready']);

/**
 * Creates the first handler, which refuses requests with an unsupported transfer coding, HTTP/1.1 requests without a host, and
 * requests for a host name that is not allowed. After DNS rebinding, a browser sends the attacker's host name; IP addresses and
 * `localhost` cannot be rebound. Health paths accept any host, because the health of the process is no secret.
 */
function createHostCheck(
  allowedHosts: readonly string[],
): (request: IncomingMessage, response: ServerResponse, next: () => void) => void {
  return ({ headers, url, httpVersion }, response, next) => {
    const coding = headers['transfer-encoding'];
    if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
      return respondText(response, 501, 'Only the chunked transfer coding is supported.', HANG_UP);
    }
    const isIncomplete = headers.host === undefined && httpVersion === '1.1';
    if (!isIncomplete && isAllowedHost(headers.host, allowedHosts)) return next();
    if (HEALTH_PATHS.has(partsOf(url)[0])) return next();
    if (isIncomplete) return respondText(response, 400, 'HTTP/1.1 requires the header Host.', HANG_UP);
    respondText(response, 421, 'This host name is not allowed; see --web.allowed-hosts.', HANG_UP);
  };
}

/** Wraps a handler that changes something: refuses requests that a page of another site may have sent. */
function sameSite(allowedHosts: readonly string[], handler: Handler): Handler {
  return (request, response) => {
    if (!isCrossSite(request, allowedHosts)) return handler(request, response);
    respondText(response, 403, 'Cross-site requests are not allowed.');
  };
}

/** Whether a browser sent the request from another site, by headers that only browsers send. */
function isCrossSite({ headers }: IncomingMessage, allowedHosts: readonly string[]): boolean {
  const site = headers['sec-fetch-site'];
  if (typeof site === 'string' && site.toLowerCase().includes('cross-site')) return true;
  const { origin, host = '' } = headers;
  if (origin === undefined) return false;
  // Pages without an origin of their own send `null`.
  if (!URL.canParse(origin)) return true;
  const { protocol, host: theirs, hostname } = new URL(origin);
  if (theirs === '') return true;
  const own = `${protocol}//${host}`;
  if (URL.canParse(own) && new URL(own).host === theirs) return false;
  return !isNamed(hostname, allowedHosts);
}

/** Whether requests may use this host name. Without configured names, all are allowed. */
function isAllowedHost(host: string | undefined, allowedHosts: readonly string[]): boolean {
  if (allowedHosts.length === 0) return true;
  if (host === undefined) return false;
  const name = host.replace(/:\d*$/, '').toLowerCase();
  return isIPv4(name) || /^\[[\da-f:.]+\]$/.test(name) || name === 'localhost' || isNamed(name, allowedHosts);
}

/** Whether a name is on the list, where `*.example.com` stands for every name below `example.com`. */
function isNamed(hostname: string, allowedHosts: readonly string[]): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return allowedHosts.some((allowed) =>
    allowed.startsWith('*.') ? name.endsWith(allowed.slice(1)) : name === allowed,
  );
}
