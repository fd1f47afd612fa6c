import { agentPlatform } from '../../src/platforms/agent-platform/platform.ts';
import { otherPlatform } from './other-platform.ts';

/** In place of the list of platforms: with one more. */
export const platforms = [agentPlatform, otherPlatform] as const;
