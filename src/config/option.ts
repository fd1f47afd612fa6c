import * as z from 'zod';
import { ConfigError } from '../text/errors.ts';
import type { Parse } from './kinds.ts';

/** The metadata of one option, declared once: help, documentation and JSON Schema are derived from it. */
export interface Option {
  /** Without dashes. */
  readonly flag: string;
  /** The environment variable. */
  readonly env: string;
  /** The path of its key in the configuration file, if it has one; the flag in snake_case where it says nothing else. */
  readonly key?: readonly string[] | undefined;
  /** Whether a reload applies a change of it; undefined for the options of single commands. */
  readonly reload?: 'live' | 'restart' | undefined;
  /** The format of its values, and how the text of a flag or a variable is parsed. */
  readonly kind: string;
  readonly parse: Parse<unknown>;
  readonly section: string;
  /** One sentence without a full stop at the end. */
  readonly description: string;
  /** As an operator writes it. */
  readonly standard?: string;
  /** Inclusive bounds, as an operator writes them. */
  readonly min?: string;
  readonly max?: string;
  readonly choices?: readonly string[];
  /** May be given several times; its value is then a list. */
  readonly repeatable?: true;
  /** The commands that accept it. */
  readonly takenBy: readonly string[];
}

/** The schemas of options by flag, without its dashes; `optionOf` has the metadata of each. */
export type OptionTable = Readonly<Record<string, z.ZodType>>;

/** The values that a table of options resolves to. */
export type ValuesOf<Table extends OptionTable> = {
  readonly [Name in keyof Table]: z.output<Table[Name]>;
};

/** The properties of a collector that options depend on. */
export interface CollectorChoice {
  readonly name: string;
  readonly description: string;
  readonly enabledByDefault: boolean;
  /** The collector that this one requires. */
  readonly derivesFrom?: string;
  /** Their labels are those for which a limit can be set, and their names those that can be excluded. */
  readonly families?: readonly { readonly name: string; readonly labels: readonly string[] }[];
}

export const environmentPrefix = 'AGENT_PLATFORM_';

/** What an option may say besides its description and the format of its values, where it differs from its section. */
type Particulars = Partial<Pick<Option, 'takenBy' | 'reload' | 'key'>>;

/**
 * Declares an option by its description, which is one sentence without a full stop at the end, and the format of its values,
 * which may have a default as an operator would write it.
 */
export function option<Value extends z.ZodType>(
  description: string,
  value: Value,
  says: Particulars = {},
): Declared<Value> {
  const hasDefault = value instanceof z.ZodPrefault;
  const format: unknown = hasDefault ? value.unwrap() : value;
  const { kind, parse, min, max, choices, repeatable } = Object(format).meta() ?? {};
  const standard = hasDefault && repeatable !== true ? String(value.def.defaultValue) : undefined;
  const meta = { description, kind, parse, min, max, choices, repeatable, standard, ...says };
  return (hasDefault ? value : value.optional()).meta(meta) as Declared<Value>;
}

/** Without a default, an option may be undefined. */
type Declared<Value extends z.ZodType> = Value extends z.ZodPrefault ? Value : z.ZodOptional<Value>;

/** The schema of an option that may be given several times; the file may have one value or a list. */
export function several<Value extends z.ZodType>(value: Value) {
  const list = z
    .union([z.array(value), value])
    .transform((given): readonly z.output<Value>[] => (Array.isArray(given) ? given : [given]));
  // What a JSON Schema says about one value is not true of a list.
  const { kind, parse, min, max, choices } = value.meta() ?? {};
  return list.meta({ kind, parse, min, max, choices, repeatable: true }).prefault([]);
}

/**
 * The schemas of a section of options: `web.listen-address` is AGENT_PLATFORM_WEB_LISTEN_ADDRESS, `web.listen_address`. These
 * commands accept them, and they apply at a reload or a restart, where an option says nothing else.
 */
export function optionsOf<Table extends OptionTable>(
  section: string,
  takenBy: readonly string[],
  reload: Option['reload'],
  table: Table,
): Table {
  return withMeta(table, (flag) => {
    const key = flag.replaceAll('-', '_').split('.');
    return { section, takenBy, reload, env: variableOf(flag), key };
  });
}

/** The options of one command only: their variables contain its name, and they have no file keys. */
export function commandOptionsOf<Table extends OptionTable>(
  command: string,
  section: string,
  table: Table,
): Table {
  return withMeta(table, (flag) => {
    const env = variableOf(`${command} ${flag}`);
    return { section, takenBy: [command], env, key: undefined };
  });
}

function withMeta<Table extends OptionTable>(table: Table, common: (flag: string) => Partial<Option>): Table {
  const schemas = Object.entries(table).map(([flag, schema]) => [
    flag,
    schema.meta({ ...common(flag), flag, ...schema.meta() }),
  ]);
  // The same schemas with more metadata.
  return Object.fromEntries(schemas) as Table;
}

function variableOf(name: string): string {
  return environmentPrefix + name.replace(/[.\- ]/g, '_').toUpperCase();
}

/** The metadata of an option. */
export function optionOf(schema: z.ZodType): Option {
  // Only `optionsOf` makes these schemas, with exactly these metadata.
  return schema.meta() as unknown as Option;
}

/** The options of a table with their metadata, in the table's order. */
export function optionsIn(table: OptionTable): readonly Option[] {
  return Object.values(table).map(optionOf);
}

/** The options of a table that a command accepts, in the table's order. */
export function optionsTakenBy(command: string, table: OptionTable): OptionTable {
  return Object.fromEntries(
    Object.entries(table).filter(([, schema]) => optionOf(schema).takenBy.includes(command)),
  );
}

/** The texts given for an option and their origin, such as `--api.timeout`. */
export interface RawOption {
  readonly texts: readonly string[];
  readonly origin: string;
}

/** The options that one source of texts (flags, environment) gives, by name. */
export type RawOptions = ReadonlyMap<string, RawOption>;

/** Parses what a flag or a variable gives for an option; throws a `ConfigError` that names its origin. */
export function parseOption(schema: z.ZodType, { texts, origin }: RawOption): unknown {
  const { parse, repeatable } = optionOf(schema);
  const values = texts.map((text) => {
    const parsed = parse(text);
    if ('value' in parsed) return parsed.value;
    throw new ConfigError(`${origin}: ${parsed.problem}`);
  });
  return repeatable === true ? values : values[0];
}
