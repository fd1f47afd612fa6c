import type { Platform } from '../catalog/platform.ts';
import { platforms } from './list.ts';

/** The platform of an organization that names none. */
export const [defaultPlatform] = platforms;

/** The platform of a name, which must be that of one. */
export function platformNamed(name: string): Platform {
  return platforms.find((platform) => platform.name === name) ?? defaultPlatform;
}

/**
 * Whether an identifier is one of a platform: those of all but the default one begin with its name and a colon. If it must be that of
 * an organization whose identifiers begin with `alone`, it has to begin with that, too.
 */
export function isIdentityOn({ name }: Pick<Platform, 'name'>, orgId: string, alone?: string): boolean {
  const named = platforms.find((one) => one !== defaultPlatform && orgId.startsWith(`${one.name}:`));
  if ((named ?? defaultPlatform).name !== name) return false;
  return alone === undefined || orgId === alone || orgId.startsWith(`${alone}:`);
}

/** The most requests per second to a platform: the configured rate lowers that of the platform, and never raises it. */
export function requestsPerSecondOf(
  platform: Pick<Platform, 'requestsPerMinute'> | undefined,
  configured: number,
): number {
  return Math.min(configured, (platform?.requestsPerMinute ?? Number.POSITIVE_INFINITY) / 60);
}
