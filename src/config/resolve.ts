import { ConfigError } from '../runtime/errors.ts';
import type { GivenOptions } from './given.ts';
import type { Option, OptionTable, ValuesOf } from './option.ts';
import { parseValue } from './values.ts';

/**
 * The value of every option of a table: from the first source that gives it, else the default. All sources are
 * read, so that a mistake shows even where another source takes precedence; throws a `ConfigError` for it.
 */
export function resolveValues<Table extends OptionTable>(
  table: Table,
  sources: readonly GivenOptions[],
): ValuesOf<Table> {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(table)) {
    values[name] = resolveOption(name, option, sources);
  }
  // The table's type says what each of its kinds is read into.
  return values as ValuesOf<Table>;
}

function resolveOption(name: string, option: Option, sources: readonly GivenOptions[]): unknown {
  const found = sources.flatMap((source) => source.get(name) ?? []);
  const read = found.map(({ texts, origin }) => texts.map((text) => parse(option, text, origin)));
  const first = read[0] ?? (option.default === undefined ? [] : [parse(option, option.default, name)]);
  return option.repeatable ? first : first[0];
}

function parse(option: Option, text: string, origin: string): unknown {
  const parsed = parseValue(option, text);
  if ('problem' in parsed) throw new ConfigError(`${origin}: ${parsed.problem}`);
  return parsed.value;
}
