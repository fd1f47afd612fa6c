// Replaces src/web-config/passwords/comparing-code.ts in the single executable, where the thread's code is an asset.
import { getAsset } from 'node:sea';
import type { ThreadCode } from '../../src/web-config/passwords/comparing-code.ts';

export function comparingCode(): ThreadCode {
  return { code: getAsset('comparing-thread.js', 'utf8'), eval: true };
}
