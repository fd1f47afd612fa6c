import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import { createAsked } from '../../sandbox/asking.ts';
import { createFaultyPlatform } from './platform.ts';

/** A platform at noon of 2026-11-20 with the layer around it. */
export function createFaultyAsked(options: Partial<SandboxOptions> = {}): ReturnType<typeof createAsked> {
  return createAsked(options, createFaultyPlatform);
}
