import { ConfigError } from '../runtime/errors.ts';
import { unreadable } from '../runtime/text-file.ts';
import { type Environment, optionsInEnvironment } from './environment.ts';
import type { Files } from './files.ts';
import type { RawOptions } from './option.ts';
import { createOptions } from './options.ts';
import { resolveValues } from './values.ts';
import type { YamlNode } from './yaml-node.ts';

/**
 * The configuration file that a flag or the environment names, undefined if there is none. Rejects with a `ConfigError`
 * if it cannot be read or is not YAML.
 */
export async function readConfigFile(
  flags: RawOptions,
  environment: Environment,
  files: Files,
): Promise<YamlNode | undefined> {
  const options = { 'config.file': createOptions([])['config.file'] };
  const given = [flags, optionsInEnvironment(environment, options)];
  const { 'config.file': file } = resolveValues(options, given);
  if (file === undefined) return undefined;
  let content: string;
  try {
    content = await files.read(file);
  } catch (error) {
    const origin = given.find((source) => source.has('config.file'))?.get('config.file')?.origin;
    throw new ConfigError(`${origin}: ${file} ${unreadable(error)}`);
  }
  // Loaded lazily: YAML costs 50 ms at start-up, and most configurations have no file.
  const { parseYamlTree } = await import('./parse-yaml.ts');
  const tree = parseYamlTree(content, file);
  return { file, path: '', line: tree.line, tree };
}
