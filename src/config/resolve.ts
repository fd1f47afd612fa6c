import type * as z from 'zod';
import type { SecretSources } from './credential.ts';
import { type Environment, optionsInEnvironment } from './environment.ts';
import { readYaml, type YamlFile } from './followed.ts';
import { type OptionTable, optionOf, parseOption, type RawOptions, type ValuesOf } from './option.ts';
import { optionsNamed } from './options.ts';
import { nodeAt, originOf, type YamlNode } from './validate.ts';

/** The sources of option values. */
export interface OptionSources extends SecretSources {
  readonly flags: RawOptions;
}

/** The values of options, and where they are from. */
export interface Resolved<Table extends OptionTable> {
  readonly values: ValuesOf<Table>;
  /** Names the flag, variable or file key that gives an option; undefined if it has its default. */
  origin(flag: keyof Table & string): string | undefined;
  /** Whether an option is given by the configuration file. */
  isInFile(flag: keyof Table & string): boolean;
}

/**
 * Reads the configuration file that a flag or the environment names, undefined if there is none. Rejects with a
 * `ConfigError` if it is invalid.
 */
export async function readConfigFile<Schema extends z.ZodType>(
  schema: Schema,
  { flags, environment, files }: OptionSources,
): Promise<YamlFile<z.output<Schema>> | undefined> {
  const options = optionsNamed('config.file');
  const { values, origin } = resolve(options, flags, environment, undefined);
  const file = values['config.file'];
  if (file === undefined) return undefined;
  return readYaml(schema, { file, origin: origin('config.file') ?? '', files });
}

/**
 * The value of every option of a table: of the flag, otherwise the variable, the file key or the default. All of them are
 * parsed, so that errors are reported even if another source takes precedence; throws a `ConfigError`.
 */
export function resolve<Table extends OptionTable>(
  table: Table,
  flags: RawOptions,
  environment: Environment,
  file: YamlFile<unknown> | undefined,
): Resolved<Table> {
  const sources = [flags, optionsInEnvironment(environment, table)];
  const given = (flag: string) => sources.flatMap((source) => source.get(flag) ?? []);
  function nodeOf(flag: keyof Table & string): YamlNode | undefined {
    const schema = table[flag];
    const key = schema && optionOf(schema).key;
    return key && file && nodeAt(file.root, key);
  }
  const values = Object.entries(table).map(([flag, schema]) => {
    const parsed = given(flag).map((raw) => parseOption(schema, raw));
    if (parsed.length > 0) return [flag, parsed[0]];
    const { key } = optionOf(schema);
    return [flag, key && file ? at(file.value, key) : schema.parse(undefined)];
  });
  return {
    // The table's type determines the type of each value.
    values: Object.fromEntries(values) as ValuesOf<Table>,
    origin(flag) {
      const node = nodeOf(flag);
      return given(flag)[0]?.origin ?? (node && originOf(node));
    },
    isInFile: (flag) => given(flag).length === 0 && nodeOf(flag) !== undefined,
  };
}

function at(content: unknown, key: readonly string[]): unknown {
  return key.reduce<unknown>((value, part) => Object(value)[part], content);
}
