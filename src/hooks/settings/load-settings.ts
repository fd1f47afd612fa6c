import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { unreadable } from '../../runtime/text-file.ts';
import { isRecord } from '../event.ts';
import { codeOf, createFolder, readNow, writeWhole } from '../files.ts';
import type { HookPaths } from '../paths.ts';
import type { HookSettings } from './settings.ts';

/** The settings in effect, and the problem with an unusable file. */
interface LoadedSettings {
  readonly settings: HookSettings;
  readonly problem: string | undefined;
}

interface CachedSettings {
  /** Identifies the state of the file; changes whenever it is written. */
  readonly fingerprint: string;
  readonly settings: HookSettings;
}

/** What is known about the settings without loading the YAML parser. */
interface KnownSettings {
  /** The cached settings, of the current file or, if it has changed or cannot be read, of an earlier one. */
  readonly cached: HookSettings | undefined;
  /** Whether `cached` matches the current file. */
  readonly isCurrent: boolean;
  /** Whether the settings may forward events; false only where they certainly do not. */
  readonly mayForward: boolean;
  /** The fingerprint of the current file, or the error that prevented it. */
  readonly fingerprint: { readonly text: string } | { readonly error: unknown };
}

/**
 * Returns the cached settings of the state directory if the file has not changed since: parsing YAML takes longer than
 * everything else.
 */
export function peekSettings({ config, state, home }: HookPaths, version: string): KnownSettings {
  const cached = cachedIn(cacheIn(state));
  const forwarded = cached?.settings.forward !== undefined;
  let text: string;
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(config.file);
    text = [version, config.file, home, dev, ino, size, mtimeMs, ctimeMs].join(' ');
  } catch (error) {
    const isAbsent = codeOf(error) === 'ENOENT' && !config.named;
    const mayForward = !isAbsent && forwarded;
    return { cached: cached?.settings, isCurrent: false, mayForward, fingerprint: { error } };
  }
  const isCurrent = cached?.fingerprint === text;
  const mayForward = forwarded || (!isCurrent && mentionsForwarding(config.file));
  return { cached: cached?.settings, isCurrent, mayForward, fingerprint: { text } };
}

/** The settings for one run. If the file cannot be used, the previous settings stay in effect. */
export async function loadSettings(
  paths: HookPaths,
  version: string,
  known = peekSettings(paths, version),
): Promise<LoadedSettings> {
  const { config, state, home } = paths;
  const { cached, isCurrent, fingerprint } = known;
  if (cached !== undefined && isCurrent) return { settings: cached, problem: undefined };
  if ('error' in fingerprint) {
    const { error } = fingerprint;
    if (codeOf(error) === 'ENOENT' && !config.named)
      return { settings: await standard(), problem: undefined };
    return { settings: cached ?? (await silent()), problem: unusable(config.file, error) };
  }
  try {
    const { readSettingsFile } = await import('./read-settings.ts');
    const settings = readSettingsFile(config.file, home);
    keep(cacheIn(state), { fingerprint: fingerprint.text, settings });
    return { settings, problem: undefined };
  } catch (error) {
    return { settings: cached ?? (await silent()), problem: unusable(config.file, error) };
  }
}

function cacheIn(state: string): string {
  return path.join(state, 'settings.json');
}

function mentionsForwarding(file: string): boolean {
  try {
    return readNow(file).includes('forward');
  } catch {
    return false;
  }
}

// Without readable settings, no notification is sent.
async function silent(): Promise<HookSettings> {
  return { ...(await standard()), channels: {}, rules: [] };
}

async function standard(): Promise<HookSettings> {
  return (await import('./settings.ts')).defaultSettings;
}

function unusable(file: string, error: unknown): string {
  return error instanceof Error && error.name === 'ConfigError'
    ? error.message
    : `${file} ${unreadable(error)}`;
}

function cachedIn(file: string): CachedSettings | undefined {
  try {
    const value: unknown = JSON.parse(readOwn(file));
    return isCached(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a file that only this user can write: the settings decide where events and secrets go. */
function readOwn(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const { uid, mode } = fstatSync(descriptor);
    const user = process.getuid?.();
    if (user !== undefined && (uid !== user || (mode & 0o022) !== 0)) throw new Error('not private');
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

// Only this program writes the file, with the same version, so it needs no further validation.
function isCached(value: unknown): value is CachedSettings {
  return isRecord(value) && typeof value['fingerprint'] === 'string' && isRecord(value['settings']);
}

function keep(file: string, cached: CachedSettings): void {
  try {
    createFolder(path.dirname(file));
    writeWhole(file, JSON.stringify(cached));
  } catch {
    // The next run parses the YAML again.
  }
}
