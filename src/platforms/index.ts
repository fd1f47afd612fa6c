import type { Platform } from '../catalog/platform.ts';
import { agentPlatform } from './agent-platform/platform.ts';

/** The platform of an organization that names none. */
export { agentPlatform as defaultPlatform };

/** Every platform, in the order in which documents list them. */
export const platforms: readonly Platform[] = [agentPlatform];

/** Whether an identifier is one of a platform: those of all but the default one begin with its name and a colon. */
export function isIdentityOn({ name }: Pick<Platform, 'name'>, orgId: string): boolean {
  const named = platforms.find((one) => one !== agentPlatform && orgId.startsWith(`${one.name}:`));
  return (named ?? agentPlatform).name === name;
}

/** The platform of a name, which must be that of one. */
export function platformNamed(name: string): Platform {
  return platforms.find((platform) => platform.name === name) ?? agentPlatform;
}
