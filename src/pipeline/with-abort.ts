import type { Source } from '../catalog/source.ts';
import { PlatformError } from '../runtime/errors.ts';

/**
 * A source that gives up on whatever it is asked as soon as nobody wants the run any more, and breaks off what is
 * under way: nothing of it is counted afterwards.
 */
export function withAbort(source: Source, retired: AbortSignal): Source {
  return {
    get: (request) => unlessAborted(() => source.get({ ...request, signal: retired }), retired),
    pages: (request, onItems) =>
      unlessAborted(
        () =>
          source.pages({ ...request, signal: retired }, (items) => {
            if (!retired.aborted) onItems(items);
          }),
        retired,
      ),
    inSlices: (work) => source.inSlices(work),
  };
}

function unlessAborted<Result>(ask: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  if (signal.aborted) return Promise.reject(abandoned());
  return new Promise((resolve, reject) => {
    function onAbort(): void {
      reject(abandoned());
    }
    signal.addEventListener('abort', onAbort, { once: true });
    ask()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function abandoned(): PlatformError {
  return new PlatformError('network', 'the run was abandoned');
}
