import { ConfigError } from '../runtime/errors.ts';
import { type Environment, givenInEnvironment } from './environment.ts';
import { type Files, unreadable } from './files.ts';
import type { GivenOptions } from './given.ts';
import { createOptions } from './options.ts';
import { resolveValues } from './resolve.ts';
import type { Place } from './tree.ts';

/**
 * The configuration file that a flag or the environment names, undefined where none is named. Rejects with a
 * `ConfigError` where it cannot be read or is no YAML.
 */
export async function readConfigFile(
  flags: GivenOptions,
  environment: Environment,
  files: Files,
): Promise<Place | undefined> {
  const options = { 'config.file': createOptions([])['config.file'] };
  const given = [flags, givenInEnvironment(environment, options)];
  const { 'config.file': file } = resolveValues(options, given);
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = await files.read(file);
  } catch (error) {
    const origin = given.find((source) => source.has('config.file'))?.get('config.file')?.origin;
    throw new ConfigError(`${origin}: ${file} ${unreadable(error)}`);
  }
  // Loaded here: YAML costs 50 ms at start, and most configurations have no file.
  const { parseYamlTree } = await import('./yaml-tree.ts');
  const tree = parseYamlTree(text, file);
  return { file, path: '', line: tree.line, tree };
}

/** A part of the file by its key at the top, undefined where it is not there. */
export function sectionOf(root: Place | undefined, key: string): Place | undefined {
  const entry = root?.tree.kind === 'mapping' ? root.tree.entries.get(key) : undefined;
  return root === undefined || entry === undefined ? undefined : { ...root, path: key, ...entry };
}
