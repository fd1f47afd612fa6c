import type * as z from 'zod';
import { ConfigError } from '../text/errors.ts';
import { nearest } from '../text/suggestion.ts';
import type { SecretSources } from './credential.ts';
import { readYaml, type YamlFile } from './followed.ts';
import {
  environmentPrefix,
  type OptionTable,
  optionOf,
  parseOption,
  type RawOption,
  type RawOptions,
  type ValuesOf,
} from './option.ts';
import { optionsNamed } from './options.ts';
import type { Environment } from './process-environment.ts';
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

export type { Environment } from './process-environment.ts';

/** The variable in which a build records its source revision. */
const revisionVariable = 'AGENT_PLATFORM_REVISION';

/** The source revision of this build, or `unknown`. */
export function revisionOf(environment: Environment): string {
  return environment[revisionVariable] || 'unknown';
}

/** The values that the environment gives for a table of options; an empty variable counts as not set. */
function optionsInEnvironment(environment: Environment, options: OptionTable): RawOptions {
  const given = new Map<string, RawOption>();
  for (const [name, schema] of Object.entries(options)) {
    const { env, repeatable } = optionOf(schema);
    const text = environment[env];
    if (text === undefined || text === '') continue;
    const texts = repeatable === true ? text.split(',').map((part) => part.trim()) : [text];
    given.set(name, { texts, origin: env });
  }
  return given;
}

// Kubernetes describes each Service of a namespace with such variables, and the exporter's own Service has its name.
const serviceLink =
  /^AGENT_PLATFORM_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/;

// Without the prefix, which would make any two variables look similar.
function suggestionFor(variable: string, known: ReadonlySet<string>): string | undefined {
  const rests = [...known].map((name) => name.slice(environmentPrefix.length));
  const close = nearest(variable.slice(environmentPrefix.length), rests);
  return close === undefined ? undefined : `did you mean ${environmentPrefix}${close}?`;
}

/** Throws a `ConfigError` for an unknown variable with the exporter's prefix. */
export function refuseUnknownVariables(environment: Environment, known: ReadonlySet<string>): void {
  for (const variable of Object.keys(environment).sort()) {
    if (!variable.startsWith(environmentPrefix) || known.has(variable)) continue;
    if (variable === revisionVariable) continue;
    if (serviceLink.test(variable)) continue;
    throw new ConfigError(
      `unknown environment variable ${variable.slice(0, 100)}`,
      suggestionFor(variable, known) ??
        `variables that begin with ${environmentPrefix} are reserved for the exporter`,
    );
  }
}
