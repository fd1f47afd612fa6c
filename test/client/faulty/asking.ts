import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import { type Asked, askedOf } from '../../sandbox/asking.ts';
import { createFaultyPlatform, type FaultyPlatform } from './platform.ts';

/** A platform at noon of 2026-11-20 with the layer around it. */
export function createFaultyAsked(options: Partial<SandboxOptions> = {}): Asked<FaultyPlatform> {
  return askedOf(createFaultyPlatform, options);
}
