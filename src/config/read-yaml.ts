import type * as z from 'zod';
import type { Files } from '../files/reader.ts';
import { readNamed } from './followed.ts';
import { validated } from './validate.ts';
import type { YamlNode } from './yaml-node.ts';

/** A file that was valid, and where each of its values is. */
export interface YamlFile<Value> {
  readonly value: Value;
  readonly root: YamlNode;
}

/**
 * Reads a YAML file by its schema. Rejects with a `ConfigError` that names file, line and key, and for a mistyped key the
 * one that was probably meant; for a file that cannot be read it names the origin of the path, such as `--config.file`.
 */
export async function readYaml<Schema extends z.ZodType>(
  schema: Schema,
  { file, origin, files }: { readonly file: string; readonly origin: string; readonly files: Files },
): Promise<YamlFile<z.output<Schema>>> {
  const text = await readNamed(files, file, `${origin}: ${file}`);
  // Loaded lazily: the parser costs 50 ms at start-up, and most configurations have no file.
  const { parseYaml } = await import('./parse-yaml.ts');
  const root = parseYaml(text, file);
  return { value: validated(schema, root), root };
}
