import type { Platform } from '../catalog/platform.ts';
import { agentPlatform } from './agent-platform/platform.ts';
import { claude } from './claude/platform.ts';
import { copilot } from './copilot/platform.ts';

/** Every platform, in the order in which documents list them; the first is that of an organization that names none. */
export const platforms: readonly [Platform, ...Platform[]] = [agentPlatform, copilot, claude];
