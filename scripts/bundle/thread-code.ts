// Replaces src/runtime/thread-code.ts in the single executable, where the code of each thread is an asset.
import { getAsset } from 'node:sea';
import type { ThreadCode, ThreadName } from '../../src/runtime/thread-code.ts';

export function threadCode(name: ThreadName): ThreadCode {
  return { code: getAsset(`${name}-thread.js`, 'utf8'), eval: true };
}
