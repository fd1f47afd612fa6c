import { parseArguments } from '../../src/config/arguments.ts';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createOptions } from '../../src/config/options.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { createFakeFiles } from '../support/fake-files.ts';

/** The collectors known to the options. */
export const collectors = [
  {
    name: 'tokens',
    description: 'Credits and tokens',
    enabledByDefault: true,
    families: [{ name: 'agent_platform_daily_credits_by_model', labels: ['model', 'tier'] }],
  },
  { name: 'wiki', description: 'Wiki runs', enabledByDefault: false },
];

/** The input of loading; files by path, in a map if they change. */
export interface Given {
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string | Error>> | Map<string, string | Error>;
  readonly organizations?: 'required' | 'ignored';
}

/** Loads a configuration; organizations are ignored unless the test requests them. */
export function load({
  args = [],
  environment = {},
  files = {},
  organizations = 'ignored',
}: Given): Promise<Config> {
  const parsed = parseArguments(args, createOptions(collectors));
  return loadConfig({
    flags: parsed.help ? new Map() : parsed.flags,
    environment,
    files: createFakeFiles(files instanceof Map ? files : new Map(Object.entries(files))),
    collectors,
    organizations,
  });
}

/** The error that a call throws. */
export async function configErrorOf(
  call: () => unknown,
): Promise<{ message: string; hint: string | undefined }> {
  try {
    await call();
  } catch (error) {
    if (error instanceof ConfigError) return { message: error.message, hint: error.hint };
    throw error;
  }
  throw new Error('the configuration was accepted');
}
