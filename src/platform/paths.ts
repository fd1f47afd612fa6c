import type { DatasetName } from '../catalog/dataset.ts';
import type { ApiRequest, Source } from '../catalog/source.ts';
import { PlatformError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';

type Ask = Source['get'];

/** The configured paths, by endpoint: they are the only ones of their resource. */
export type ConfiguredPaths = Readonly<Partial<Record<DatasetName, string>>>;

/** The path that answered last, of resources that have several, by endpoint. */
export type KnownPaths = Map<DatasetName, string>;

interface PathsDeps {
  readonly org: string;
  readonly configured: ConfiguredPaths;
  readonly known: KnownPaths;
  readonly log: Logger;
}

/** The statuses that say that a path is not that of the resource. */
const MISSING: ReadonlySet<number | undefined> = new Set([404, 405, 410]);

/** Asks for a resource by the path that answered last, of those that a request names; one that is missing leads to the next. */
export function withPaths(ask: Ask, { org, configured, known, log }: PathsDeps): Ask {
  return async ({ otherPaths, ...request }) => {
    if (otherPaths === undefined) return ask(request);
    const { endpoint } = request;
    const only = configured[endpoint];
    const paths = only === undefined ? [request.path, ...otherPaths] : [only];
    const before = paths.find((path) => path === known.get(endpoint)) ?? paths[0];
    let missing: PlatformError | undefined;
    for (const path of new Set([before ?? request.path, ...paths])) {
      try {
        const answer = await ask({ ...request, path });
        known.set(endpoint, path);
        if (path !== before)
          log.info('Another path of the platform answers', { org, endpoint, path, before });
        return answer;
      } catch (error) {
        if (!isMissing(error)) throw error;
        missing ??= error;
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
