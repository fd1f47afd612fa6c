import { codeOf } from '../../files/local-file.ts';
import { unreadable } from '../../files/text-file.ts';
import { ConfigError } from '../../text/errors.ts';
import type { HookPaths } from '../paths.ts';
import { defaultSettings } from './load-settings.ts';
import { type HookSettings, readSettingsFile } from './settings.ts';

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
