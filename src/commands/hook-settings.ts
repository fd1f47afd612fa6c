import type { HookPaths } from '../hooks/paths.ts';
import { defaultSettings } from '../hooks/settings/load-settings.ts';
import { readSettingsFile } from '../hooks/settings/read-settings.ts';
import type { HookSettings } from '../hooks/settings/settings.ts';
import { ConfigError } from '../runtime/errors.ts';
import { codeOf } from '../runtime/files.ts';
import { unreadable } from '../runtime/text-file.ts';

/** The settings of the file, or the defaults if it does not exist; throws a `ConfigError`. */
export function settingsFor({ config, home }: HookPaths): HookSettings {
  try {
    return readSettingsFile(config.file, home);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (codeOf(error) === 'ENOENT' && !config.named) return defaultSettings;
    throw new ConfigError(`${config.file} ${unreadable(error)}`);
  }
}
