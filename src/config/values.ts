import { validate } from 'node-cron';
import { parseDay } from '../catalog/day.ts';
import { ConfigError } from '../runtime/errors.ts';
import { parseListenAddress } from './listen-address.ts';
import type { Option, OptionTable, RawOptions, ValueKind, ValuesOf, ValueTypes } from './option.ts';
import {
  isOrgName,
  orgNameRule,
  parseDuration,
  parseHttpPath,
  parsePath,
  parseSize,
  parseUrl,
  quoted,
  type Result,
} from './parse.ts';

type Readers = { readonly [Kind in ValueKind]: (text: string, option: Option) => Result<ValueTypes[Kind]> };

const dayMs = 86_400_000;

const readers: Readers = {
  boolean: (text) =>
    orElse(text === 'true' ? true : text === 'false' ? false : undefined, text, 'true or false'),
  choice: (text, option) =>
    orElse(
      option.choices?.find((choice) => choice === text),
      text,
      `one of ${option.choices?.join(', ')}`,
    ),
  cron: readCron,
  day: (text) => orElse(parseDay(text), text, 'a day in the form YYYY-MM-DD'),
  days: readDays,
  duration: (text) => orElse(parseDuration(text), text, 'a duration, such as 30s, 1h30m or 7d'),
  file: readText,
  'host-name': (text) =>
    orElse(
      /^(\*\.)?[\da-z_-]{1,63}(\.[\da-z_-]{1,63})*$/i.test(text) ? text.toLowerCase() : undefined,
      text,
      'a host name without a port, such as exporter.example.com or *.example.com',
    ),
  'http-path': (text) => parseHttpPath(text),
  integer: (text) => orElse(/^-?\d{1,15}$/.test(text) ? Number(text) : undefined, text, 'a whole number'),
  'listen-address': (text) =>
    orElse(
      parseListenAddress(text),
      text,
      'an address to listen on, such as :9889, 127.0.0.1:9889 or [::1]:9889',
    ),
  number: (text) =>
    orElse(/^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : undefined, text, 'a number'),
  'org-name': (text) => orElse(isOrgName(text) ? text : undefined, text, orgNameRule),
  path: (text) => parsePath(text),
  size: (text) => orElse(parseSize(text), text, 'a size, such as 64MiB, 512KiB or a number of bytes'),
  text: readText,
  url: (text) => parseUrl(text),
};

/** Parses one value of an option and checks its bounds. */
export function parseValue(option: Option, text: string): Result {
  const parsed = readers[option.kind](text, option);
  if ('problem' in parsed) return parsed;
  const { min, max } = option;
  if (min !== undefined && isBelow(parsed.value, boundOf(option, min))) {
    return { problem: `${quoted(text)} is below the minimum of ${min}` };
  }
  if (max !== undefined && isBelow(boundOf(option, max), parsed.value)) {
    return { problem: `${quoted(text)} is above the maximum of ${max}` };
  }
  return parsed;
}

function boundOf(option: Option, bound: string): unknown {
  const parsed = readers[option.kind](bound, option);
  return 'value' in parsed ? parsed.value : undefined;
}

// Days are compared as text, everything else with bounds as numbers.
function isBelow(a: unknown, b: unknown): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a < b;
  return typeof a === 'number' && typeof b === 'number' && a < b;
}

function orElse<Value>(value: Value | undefined, text: string, meant: string): Result<Value> {
  return value === undefined ? { problem: `${quoted(text)} is not ${meant}` } : { value };
}

function readText(text: string): Result<string> {
  return text.trim() === '' ? { problem: 'is empty' } : { value: text };
}

function readDays(text: string): Result<number> {
  const ms = parseDuration(text);
  return orElse(
    ms !== undefined && ms % dayMs === 0 ? ms / dayMs : undefined,
    text,
    'a duration of whole days, such as 7d',
  );
}

function readCron(text: string): Result<string> {
  const expression = text.trim();
  const fields = expression.split(/\s+/).length;
  // With six fields the first would be seconds: an hourly schedule would run every minute.
  if (fields !== 5) {
    return {
      problem: `${quoted(text)} has ${fields} ${fields === 1 ? 'field' : 'fields'}; a cron schedule has 5: minute, hour, day of month, month, day of week`,
    };
  }
  return orElse(validate(expression) ? expression : undefined, text, 'a cron schedule, such as 20 * * * *');
}

/**
 * The value of every option of a table: from the first source that gives it, otherwise the default. All sources are
 * parsed, so that errors are reported even if another source takes precedence; throws a `ConfigError`.
 */
export function resolveValues<Table extends OptionTable>(
  table: Table,
  sources: readonly RawOptions[],
): ValuesOf<Table> {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(table)) {
    values[name] = resolveOption(name, option, sources);
  }
  // The table's type determines the type of each value.
  return values as ValuesOf<Table>;
}

function resolveOption(name: string, option: Option, sources: readonly RawOptions[]): unknown {
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
