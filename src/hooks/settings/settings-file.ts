import { readFileSync } from 'node:fs';
import { parseYamlTree } from '../../config/yaml-tree.ts';
import { readSettings } from './read-settings.ts';
import type { HookSettings } from './settings.ts';

/** Reads a file of settings; throws a `ConfigError`, or the system's error where it cannot be read. */
export function readSettingsFile(file: string, home: string): HookSettings {
  const tree = parseYamlTree(readFileSync(file, 'utf8'), file);
  return readSettings({ file, path: '', line: tree.line, tree }, home);
}
