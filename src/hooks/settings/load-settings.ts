import { isRecord } from '../event.ts';
import type { Places } from '../places.ts';
import { codeOf, writeWhole } from '../system.ts';
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

/** What can be known of the settings at once, without loading what reads YAML. */
export interface SettingsGlance {
  /** The settings in parsed form, of the file as it is or, where it has changed or cannot be read, as it was. */
  readonly kept: HookSettings | undefined;
  /** Whether `kept` is of the file as it is. */
  readonly isCurrent: boolean;
  /** Whether the settings may forward events; false only where they certainly do not. */
  readonly mayForward: boolean;
  /** Of the file as it is; why there is none where it cannot be told. */
  readonly fingerprint: { readonly text: string } | { readonly error: unknown };
}

/**
 * Looks at the settings for one run, in parsed form from the state folder where the file has not changed since: reading
 * YAML takes longer than everything else.
 */
export function glanceAtSettings({ config, state, home }: Places, version: string): SettingsGlance {
  const kept = keptIn(cacheIn(state));
  const forwarded = kept?.settings.forward !== undefined;
  let text: string;
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(config.file);
    text = [version, config.file, home, dev, ino, size, mtimeMs, ctimeMs].join(' ');
  } catch (error) {
    const isAbsent = codeOf(error) === 'ENOENT' && !config.named;
    const mayForward = !isAbsent && forwarded;
    return { kept: kept?.settings, isCurrent: false, mayForward, fingerprint: { error } };
  }
  const isCurrent = kept?.fingerprint === text;
  const mayForward = forwarded || (!isCurrent && mentionsForwarding(config.file));
  return { kept: kept?.settings, isCurrent, mayForward, fingerprint: { text } };
}

/** The settings for one run. A file that cannot be used leaves those that held before. */
export async function loadSettings(
  places: Places,
  version: string,
  glance = glanceAtSettings(places, version),
): Promise<LoadedSettings> {
  const { config, state, home } = places;
  const { kept, isCurrent, fingerprint } = glance;
  if (kept !== undefined && isCurrent) return { settings: kept, problem: undefined };
  if ('error' in fingerprint) {
    const { error } = fingerprint;
    if (codeOf(error) === 'ENOENT' && !config.named)
      return { settings: await standard(), problem: undefined };
    return { settings: kept ?? (await silent()), problem: unusable(config.file, error) };
  }
  try {
    const { readSettingsFile } = await import('./read-settings.ts');
    const settings = readSettingsFile(config.file, home);
    keep(cacheIn(state), { fingerprint: fingerprint.text, settings });
    return { settings, problem: undefined };
  } catch (error) {
    return { settings: kept ?? (await silent()), problem: unusable(config.file, error) };
  }
}

function cacheIn(state: string): string {
  return path.join(state, 'settings.json');
}

function mentionsForwarding(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes('forward');
  } catch {
    return false;
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
