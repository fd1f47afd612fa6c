import type { DatasetName } from '../catalog/dataset.ts';
import { DAY_MS } from '../catalog/day.ts';
import type { ApiRequest } from '../catalog/source.ts';
import { PlatformError } from '../text/errors.ts';

/** The configured paths, by endpoint. A configured path replaces all paths of its resource. */
export type ConfiguredPaths = Readonly<Partial<Record<DatasetName, string>>>;

/** By endpoint, the path that answers, for resources that have several paths. */
export type KnownPaths = Map<DatasetName, AnsweringPath>;

export interface AnsweringPath {
  /** The path that answered last. */
  readonly path: string;
  /** The first path of the request; the entry is void once that changes. */
  readonly first: string;
  /** When the first path was last tried, by the clock's `elapsed`. */
  readonly triedAt: number;
}

/** The statuses that say that the platform does not have a path. */
const MISSING: ReadonlySet<number | undefined> = new Set([404, 405, 410]);
/** How long another path is used before the first one is tried again, in milliseconds. */
export const TRY_AGAIN_MS = DAY_MS;

/** The parsed base URLs of an organization. */
export type Hosts = Readonly<Record<ApiRequest['host'], URL>>;

/** The URL of a request: the base URL's path precedes the request's. */
export function urlOf(request: ApiRequest, hosts: Hosts): URL {
  const url = new URL(hosts[request.host]);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${request.path}`;
  url.search = new URLSearchParams(request.query).toString();
  return url;
}

/**
 * The path of a redirect's target as a request would name it, to be asked directly the next time; undefined if it needs
 * another query, lies outside of the base URL's path, or is an unusual one.
 */
export function pathOf(target: URL, asked: URL, request: ApiRequest): string | undefined {
  const base = asked.pathname.slice(0, asked.pathname.length - request.path.length);
  if (target.search !== asked.search || !target.pathname.startsWith(base)) return undefined;
  const path = target.pathname.slice(base.length);
  return /^(?:\/[A-Za-z0-9._~-]+){1,20}$/.test(path) && path.length <= 256 ? path : undefined;
}

/** Whether an error says that the platform does not have the path. */
export function isMissing(error: unknown): error is PlatformError {
  return error instanceof PlatformError && MISSING.has(error.status);
}

/** The error of the first path, with what to do if none of them exists. */
export function withPathHint(
  { reason, message, status }: PlatformError,
  { host, endpoint }: ApiRequest,
): PlatformError {
  const hint = `The platform has no known path for it. Check --api.${host === 'app' ? 'app' : 'base'}-url; if its path is another one, set --api.${endpoint}-path.`;
  return new PlatformError(reason, message, { status, hint });
}
