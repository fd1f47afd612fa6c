/** The types of option values; `values.ts` parses each kind. */
export interface ValueTypes {
  readonly boolean: boolean;
  readonly choice: string;
  readonly cron: string;
  readonly day: import('../catalog/day.ts').Day;
  /** A duration of whole days, as a number of days. */
  readonly days: number;
  /** A duration, in milliseconds. */
  readonly duration: number;
  readonly file: string;
  /** A host name in lower case, also with `*.` before it. */
  readonly 'host-name': string;
  readonly 'http-path': string;
  readonly integer: number;
  readonly 'listen-address': import('./listen-address.ts').ListenAddress;
  readonly number: number;
  readonly 'org-name': string;
  readonly path: string;
  /** A size, in bytes. */
  readonly size: number;
  readonly text: string;
  /** An http or https address without a trailing slash. */
  readonly url: string;
}

export type ValueKind = keyof ValueTypes;

/** One option, declared once: flag, environment variable, file key, help and documentation are derived from it. */
export interface Option {
  readonly kind: ValueKind;
  readonly section: string;
  /** One sentence without a full stop at the end. */
  readonly description: string;
  /** As an operator writes it. */
  readonly default?: string;
  /** Inclusive bounds, as an operator writes them. */
  readonly min?: string;
  readonly max?: string;
  readonly choices?: readonly string[];
  /** May be given several times; its value is then a list. */
  readonly repeatable?: true;
  /** The commands that accept a shared option. */
  readonly takenBy?: readonly string[];
  /** The only command of an option: its variable contains the command's name, and it has no file key. */
  readonly command?: string;
  /** Path of the file key if it is not the name in snake_case; `none` if there is none. */
  readonly fileKey?: readonly string[] | 'none';
}

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

/** The switch of one collector. */
export interface CollectorOption extends Option {
  readonly kind: 'boolean';
  readonly default: 'true' | 'false';
}

/** Options by name, which is the flag without dashes. */
export type OptionTable = Readonly<Record<string, Option>>;

type ScalarOf<Declared extends Option> = Declared extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : ValueTypes[Declared['kind']];

type ValueOf<Declared extends Option> = Declared extends { readonly repeatable: true }
  ? readonly ScalarOf<Declared>[]
  : Declared extends { readonly default: string }
    ? ScalarOf<Declared>
    : ScalarOf<Declared> | undefined;

/** The values that a table of options resolves to. */
export type ValuesOf<Table extends OptionTable> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> };

export const environmentPrefix = 'AGENT_PLATFORM_';

/** The environment variable of an option: `web.listen-address` is `AGENT_PLATFORM_WEB_LISTEN_ADDRESS`. */
export function variableOf(name: string, option: Option): string {
  const own = option.command === undefined ? name : `${option.command}.${name}`;
  return environmentPrefix + own.replace(/[.\- ]/g, '_').toUpperCase();
}

/** The path of an option's key in the configuration file, undefined if it has none. */
export function fileKeyOf(name: string, option: Option): readonly string[] | undefined {
  if (option.fileKey === 'none' || option.command !== undefined) return undefined;
  return option.fileKey ?? name.split('.').map((part) => part.replaceAll('-', '_'));
}

/** The options of a table that a command accepts, in the table's order. */
export function optionsTakenBy(command: string, table: OptionTable): OptionTable {
  return Object.fromEntries(
    Object.entries(table).filter(
      ([, option]) => option.command === command || option.takenBy?.includes(command) === true,
    ),
  );
}

/** The texts given for an option and their origin, such as `--api.timeout` or `config.yml:3: api.timeout`. */
export interface RawOption {
  readonly texts: readonly string[];
  readonly origin: string;
}

/** The options that one source (flags, environment, file) gives, by name. */
export type RawOptions = ReadonlyMap<string, RawOption>;
