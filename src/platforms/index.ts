import type { Platform } from '../catalog/platform.ts';
import { agentPlatform } from './agent-platform/platform.ts';

/** The platform of an organization that names none. */
export { agentPlatform as defaultPlatform };

/** Every platform, in the order in which documents list them. */
export const platforms: readonly Platform[] = [agentPlatform];
