import type { DatasetName } from '../catalog/dataset.ts';
import { DAY_MS } from '../catalog/day.ts';
import type { ApiRequest, Source } from '../catalog/source.ts';
import type { Logger } from '../log/logger.ts';
import { PlatformError } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';

type Ask = Source['get'];

/** The configured paths, by endpoint: they are the only ones of their resource. */
export type ConfiguredPaths = Readonly<Partial<Record<DatasetName, string>>>;

/** What is known about the paths of resources that have several, by endpoint. */
export type KnownPaths = Map<DatasetName, AnsweringPath>;

interface AnsweringPath {
  /** The path that answered last. */
  readonly path: string;
  /** The first one of the paths to which this applies. */
  readonly first: string;
  /** When that was tried last, on the clock's `elapsed`. */
  readonly triedAt: number;
}

interface PathsDeps {
  readonly org: string;
  readonly configured: ConfiguredPaths;
  readonly known: KnownPaths;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Logger;
}

/** The statuses that say that a path is not that of the resource. */
const MISSING: ReadonlySet<number | undefined> = new Set([404, 405, 410]);
/** How long another path is used before the first one is tried again, in milliseconds. */
const TRY_AGAIN_MS = DAY_MS;

/**
 * Asks for a resource by the path that answered last, of those that a request names. A path that is missing leads to the
 * next one, and the target of a redirect is remembered. The first path is tried again once a day, at no risk: whatever it
 * answers then, the one that works is asked too.
 */
export function withPaths(ask: Ask, { org, configured, known, clock, log }: PathsDeps): Ask {
  function answeringOf(endpoint: DatasetName, first: string): AnsweringPath | undefined {
    const answering = known.get(endpoint);
    return answering?.first === first ? answering : undefined;
  }

  function note(endpoint: DatasetName, path: string, first: string): void {
    const { path: before, triedAt } = answeringOf(endpoint, first) ?? {
      path: first,
      triedAt: clock.elapsed(),
    };
    known.set(endpoint, { path, first, triedAt });
    if (path !== before) log.info('Another path of the platform answers', { org, endpoint, path, before });
  }

  return async ({ otherPaths, ...request }) => {
    if (otherPaths === undefined) return ask(request);
    const { endpoint } = request;
    const only = configured[endpoint];
    const paths = only === undefined ? [request.path, ...otherPaths] : [only];
    const [first = request.path] = paths;
    const answering = answeringOf(endpoint, first);
    const now = clock.elapsed();
    const isTrial = answering !== undefined && now - answering.triedAt >= TRY_AGAIN_MS;
    if (isTrial) known.set(endpoint, { ...answering, triedAt: now });
    const usual = answering === undefined ? paths : [answering.path, ...paths];
    let missing: PlatformError | undefined;
    for (const path of new Set(isTrial ? [first, ...usual] : usual)) {
      try {
        const answer = await ask({ ...request, path });
        note(endpoint, answer.movedTo ?? path, first);
        return answer;
      } catch (error) {
        if (!isMissing(error) && !(isTrial && path === first && path !== answering.path)) throw error;
        if (isMissing(error)) missing ??= error;
      }
    }
    throw missing === undefined ? new Error('no path was asked') : withHint(missing, request);
  };
}

function isMissing(error: unknown): error is PlatformError {
  return error instanceof PlatformError && MISSING.has(error.status);
}

function withHint({ reason, message, status }: PlatformError, { host, endpoint }: ApiRequest): PlatformError {
  const hint = `The platform has no known path for it. Check --api.${host === 'app' ? 'app' : 'base'}-url; if its path is another one, set --api.${endpoint}-path.`;
  return new PlatformError(reason, message, { status, hint });
}
