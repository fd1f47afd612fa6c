import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '../../runtime/errors.ts';
import { codeOf } from '../code-of.ts';
import { isRecord } from '../event.ts';
import type { Places } from '../places.ts';
import { writeWhole } from '../write-whole.ts';
import { defaultSettings, type HookSettings } from './settings.ts';

/** What holds, and what is wrong with the file where it could not be used. */
export interface LoadedSettings {
  readonly settings: HookSettings;
  readonly problem: string | undefined;
}

interface Kept {
  /** Of the file that they were read from; changes whenever it is written. */
  readonly fingerprint: string;
  readonly settings: HookSettings;
}

/**
 * The settings for one run, in parsed form from the state folder where the file has not changed since: reading YAML
 * takes longer than everything else. A file that cannot be used leaves those that held before.
 */
export async function loadSettings(
  { config, state, home }: Places,
  version: string,
): Promise<LoadedSettings> {
  const cache = path.join(state, 'settings.json');
  const kept = keptIn(cache);
  let fingerprint: string;
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(config.file);
    fingerprint = [version, config.file, home, dev, ino, size, mtimeMs, ctimeMs].join(' ');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && !config.named) return { settings: defaultSettings, problem: undefined };
    return { settings: kept?.settings ?? silent, problem: unusable(config.file, error) };
  }
  if (kept?.fingerprint === fingerprint) return { settings: kept.settings, problem: undefined };
  try {
    const { readSettingsFile } = await import('./settings-file.ts');
    const settings = readSettingsFile(config.file, home);
    keep(cache, { fingerprint, settings });
    return { settings, problem: undefined };
  } catch (error) {
    return { settings: kept?.settings ?? silent, problem: unusable(config.file, error) };
  }
}

// With settings that nobody can read, nothing is told to anybody.
const silent: HookSettings = { ...defaultSettings, channels: {}, rules: [] };

function unusable(file: string, error: unknown): string {
  return error instanceof ConfigError ? error.message : `${file} cannot be read (${codeOf(error)})`;
}

function keptIn(file: string): Kept | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isKept(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

// Written by this program alone, in a folder of the user's own, by the same version: more need not be checked.
function isKept(value: unknown): value is Kept {
  return isRecord(value) && typeof value['fingerprint'] === 'string' && isRecord(value['settings']);
}

function keep(file: string, kept: Kept): void {
  try {
    writeWhole(file, JSON.stringify(kept));
  } catch {
    // Then the next run reads the YAML again.
  }
}
