import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIPv4 } from 'node:net';
import { HANG_UP, type Handler, partsOf, respondText } from './respond.ts';

/** Paths that load balancers request without `Host`, or with a `Host` of their own. */
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/-/healthy', '/-/ready']);

/**
 * Creates the first handler, which refuses requests with an unsupported transfer coding, HTTP/1.1 requests without a host, and
 * requests for a host name that is not allowed. After DNS rebinding, a browser sends the attacker's host name; IP addresses and
 * `localhost` cannot be rebound. Health paths accept any host, because the health of the process is no secret.
 */
export function createHostCheck(
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
export function sameSite(allowedHosts: readonly string[], handler: Handler): Handler {
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
export function isAllowedHost(host: string | undefined, allowedHosts: readonly string[]): boolean {
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
