import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { codeOf, writeWhole } from '../../files/local-file.ts';
import { unreadable } from '../../files/text-file.ts';
import { attempt } from '../../text/errors.ts';
import { recordIn, waitingTypes } from '../event.ts';
import type { HookPaths } from '../paths.ts';
import { defaultDeadlineMs } from './basics.ts';
import type { HookSettings } from './settings.ts';

/** The cached settings, before the file is parsed. */
interface KnownSettings {
  /** The last valid settings, which stay in effect while the file is unusable. */
  readonly last: HookSettings | undefined;
  /** Whether `last` are the settings of the current file, or of a missing file. */
  readonly isCurrent: boolean;
  /** Of the current file; undefined if there is a `problem`. */
  readonly fingerprint?: string;
  readonly problem?: string;
}

/** The cache on disk. The fingerprint changes whenever the settings file is written. */
type StoredSettings = Partial<{ readonly fingerprint: string; readonly settings: HookSettings }>;

/** The defaults without a settings file: a sound and a desktop notification when the agent waits for the user. */
export const defaultSettings: HookSettings = {
  deadlineMs: defaultDeadlineMs,
  forward: undefined,
  channels: { desktop: { type: 'desktop' }, sound: { type: 'sound' } },
  rules: [
    {
      events: ['Notification'],
      reasons: [],
      notificationTypes: [...waitingTypes],
      folders: [],
      minSessionMs: 0,
      minTurnMs: 0,
      quiet: undefined,
      channels: ['desktop', 'sound'],
      send: [],
    },
  ],
  needsLengths: false,
};

/** The settings while no file was ever readable: no notification is sent. */
const silent: HookSettings = { ...defaultSettings, channels: {}, rules: [] };

/**
 * Returns the settings stored in the state directory if the file has not changed since: parsing and validating YAML takes
 * 90 ms of processor time, and this command runs at each use of a tool.
 */
export function peekSettings({ config, state, home }: HookPaths, version: string): KnownSettings {
  const stored = attempt(() => readStored(fileIn(state)));
  const last = stored?.settings;
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(config.file);
    const fingerprint = [version, config.file, home, dev, ino, size, mtimeMs, ctimeMs].join(' ');
    return { last, isCurrent: stored?.fingerprint === fingerprint, fingerprint };
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && !config.named) return { last: defaultSettings, isCurrent: true };
    return { last, isCurrent: false, problem: unusable(config.file, error) };
  }
}

/** The settings for one run, and why the file cannot be used: then the last ones stay in effect. */
export async function loadSettings(
  paths: HookPaths,
  version: string,
  known = peekSettings(paths, version),
): Promise<{ readonly settings: HookSettings; readonly problem: string | undefined }> {
  const { last = silent, isCurrent, fingerprint, problem } = known;
  if (isCurrent || fingerprint === undefined) return { settings: last, problem };
  const { file } = paths.config;
  try {
    const { readSettingsFile } = await import('./settings.ts');
    const settings = readSettingsFile(file, paths.home);
    // If that fails, the next run parses the YAML again.
    attempt(() => writeWhole(fileIn(paths.state), JSON.stringify({ fingerprint, settings })));
    return { settings, problem: undefined };
  } catch (error) {
    return { settings: last, problem: unusable(file, error) };
  }
}

function fileIn(state: string): string {
  return path.join(state, 'settings.json');
}

function unusable(file: string, error: unknown): string {
  const isConfigError = error instanceof Error && error.name === 'ConfigError';
  return isConfigError ? error.message : `${file} ${unreadable(error)}`;
}

/** Reads only a file that nobody else can write: the settings decide where events and secrets go. */
function readStored(file: string): StoredSettings | undefined {
  const descriptor = openSync(file, 'r');
  try {
    const { uid, mode } = fstatSync(descriptor);
    const user = process.getuid?.();
    if (user !== undefined && (uid !== user || (mode & 0o022) !== 0)) return undefined;
    // Only this program writes the file, with the same version, so it needs no further validation.
    return recordIn(readFileSync(descriptor, 'utf8'));
  } finally {
    closeSync(descriptor);
  }
}
