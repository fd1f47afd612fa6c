import { IncompleteListing, UnexpectedAnswer } from '../catalog/source.ts';
import { ForeignAnswer } from '../history/history.ts';
import { messageOf, PlatformError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';

/** Whatever a run threw, as a failure with a reason. */
export function failureOf(thrown: unknown, log: Logger): PlatformError {
  if (thrown instanceof PlatformError) return thrown;
  if (thrown instanceof UnexpectedAnswer) {
    return new PlatformError('schema', thrown.message, {
      hint: 'The platform answers in another form than its interface describes; look for a newer exporter.',
    });
  }
  if (thrown instanceof IncompleteListing) {
    return new PlatformError(thrown.end === 'page-cap' ? 'limit' : 'schema', thrown.message, {
      hint: 'What was complete before stays. The platform pages wrongly; where that lasts, tell its operator.',
    });
  }
  if (thrown instanceof ForeignAnswer) return new PlatformError('organization', thrown.message);
  log.error('A collector failed in a way that is not foreseen', { error: thrown });
  return new PlatformError('schema', `unforeseen: ${messageOf(thrown)}`);
}
