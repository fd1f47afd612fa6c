import { isMarkedAsUntransferable } from 'node:worker_threads';

/**
 * Frees the memory of buffers that nobody reads any more; they are empty afterwards. Otherwise it would be occupied until
 * V8 collects them, which it does after the objects in its heap and hardly after the bytes outside of it. Buffers in
 * Node's pool stay as they are, because others share it.
 */
export function release(buffers: Iterable<Uint8Array>): void {
  for (const { buffer } of buffers) {
    if (!(buffer instanceof ArrayBuffer) || buffer.detached || isMarkedAsUntransferable(buffer)) continue;
    buffer.transfer(0);
  }
}
