import { codeOf } from '../code-of.ts';
import { isRecord } from '../event.ts';
import type { Places } from '../places.ts';
import { writeWhole } from '../write-whole.ts';
import type { HookSettings } from './settings.ts';

// Not imported: importing all members of such a module takes longer than the use of a few.
const { mkdirSync, readFileSync, statSync } = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');

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
    if (codeOf(error) === 'ENOENT' && !config.named)
      return { settings: await standard(), problem: undefined };
    return { settings: kept?.settings ?? (await silent()), problem: unusable(config.file, error) };
  }
  if (kept?.fingerprint === fingerprint) return { settings: kept.settings, problem: undefined };
  try {
    const { readSettingsFile } = await import('./settings-file.ts');
    const settings = readSettingsFile(config.file, home);
    keep(cache, { fingerprint, settings });
    return { settings, problem: undefined };
  } catch (error) {
    return { settings: kept?.settings ?? (await silent()), problem: unusable(config.file, error) };
  }
}

// With settings that nobody can read, nothing is told to anybody.
async function silent(): Promise<HookSettings> {
  return { ...(await standard()), channels: {}, rules: [] };
}

async function standard(): Promise<HookSettings> {
  return (await import('./settings.ts')).defaultSettings;
}

function unusable(file: string, error: unknown): string {
  return error instanceof Error && error.name === 'ConfigError'
    ? error.message
    : `${file} cannot be read (${codeOf(error)})`;
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
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeWhole(file, JSON.stringify(kept));
  } catch {
    // Then the next run reads the YAML again.
  }
}
