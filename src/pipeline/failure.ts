import { UnexpectedAnswer } from '../catalog/source.ts';
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
  log.error('A collector failed in a way that is not foreseen', { error: thrown });
  return new PlatformError('schema', `unforeseen: ${messageOf(thrown)}`);
}
