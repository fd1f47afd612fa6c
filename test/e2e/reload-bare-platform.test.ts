import { describe, test, vi } from 'vitest';
import { orgRows } from './live/file-keys.ts';
import { optionRows } from './live/options.ts';
import { isOnBarePlatform, seeChange } from './live/row.ts';

vi.mock('../../src/platforms/list.ts', async (original) => {
  const { platforms } = await original<typeof import('../../src/platforms/list.ts')>();
  const { barePlatform } = await import('../support/bare-platform.ts');
  return { platforms: [...platforms, barePlatform] };
});

describe('a reload of the configuration file applies, on a platform that has every key', () => {
  test.each([...optionRows, ...orgRows].filter(isOnBarePlatform))('$key', seeChange);
});
