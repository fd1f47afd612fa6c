import * as z from 'zod';
import { DAY_MS, type Day, daysBetween, daysFrom, parseDay } from '../catalog/day.ts';
import { parseListenAddress } from './listen-address.ts';
import {
  durationJson,
  isOrgName,
  orgNamePattern,
  orgNameRule,
  parseDuration,
  parseHttpPath,
  parsePath,
  parseSize,
  parseUrl,
  quoted,
  type Result,
  sizeJson,
  urlPattern,
} from './parse.ts';

type Scalar = string | number | boolean;

/** Parses a text, or says what is wrong with it. */
type Parse<Value> = (text: string) => Result<Value>;

/** What YAML must contain, and what is said if it does not. */
const TEXT = { type: 'string', otherwise: 'must be a text: put it in quotes' };
const NUMBER = { type: 'number', otherwise: 'must be a number, without quotes' };
const BOOLEAN = { type: 'boolean', otherwise: 'must be true or false' };

/**
 * The schema of a single value. Its metadata are the name of its format, which help and documentation show, its bounds as
 * an operator writes them, and what a JSON Schema says about it.
 */
function scalar<Value>(
  meta: Readonly<Record<string, unknown>> & { readonly kind: string },
  parse: Parse<Value>,
  only?: typeof TEXT,
): z.ZodType<Value> {
  function result(value: unknown): Result<Value> {
    if (value === null) return { problem: 'is empty' };
    if (value === undefined || typeof value === 'object') return { problem: 'must be a single value' };
    if (only !== undefined && typeof value !== only.type) return { problem: only.otherwise };
    return parse(String(value));
  }
  return z
    .unknown()
    .transform((value, context) => {
      const parsed = result(value);
      if ('value' in parsed) return parsed.value;
      context.addIssue(parsed.problem);
      return z.NEVER;
    })
    .meta(meta);
}

/** A value that YAML must contain as a text. */
export function textual<Value>(
  kind: string,
  parse: Parse<Value>,
  meta: Readonly<Record<string, unknown>> = {},
): z.ZodType<Value> {
  return scalar({ kind, type: 'string', minLength: 1, ...meta }, parse, TEXT);
}

/** A number or a text that begins with one: YAML may contain it without quotes. */
function measured(kind: string, parse: Parse<number>, [min, max]: Bounds, json: object): z.ZodType<number> {
  return scalar({ kind, min, max, ...json }, between(parse, min, max));
}

/** Inclusive bounds, as an operator writes them. */
type Bounds = readonly [min?: string, max?: string];

function between<Value extends number | string>(
  parse: Parse<Value>,
  min?: string,
  max?: string,
): Parse<Value> {
  const [lowest, highest] = [min, max].map((bound) => (bound === undefined ? undefined : parse(bound)));
  return (text) => {
    const result = parse(text);
    if ('problem' in result) return result;
    if (lowest !== undefined && 'value' in lowest && result.value < lowest.value) {
      return { problem: `${quoted(text)} is below the minimum of ${min}` };
    }
    if (highest !== undefined && 'value' in highest && result.value > highest.value) {
      return { problem: `${quoted(text)} is above the maximum of ${max}` };
    }
    return result;
  };
}

/** Of a parser that gives undefined for an invalid text: says what is meant. */
export function orElse<Value>(parse: (text: string) => Value | undefined, meant: string): Parse<Value> {
  return (text) => {
    const value = parse(text);
    return value === undefined ? { problem: `${quoted(text)} is not ${meant}` } : { value };
  };
}

export function boolean(): z.ZodType<boolean> {
  return scalar({ kind: 'boolean', type: 'boolean' }, fromText.boolean, BOOLEAN);
}

export function choice<const Choice extends string>(...choices: readonly Choice[]): z.ZodType<Choice> {
  const parse = (text: string) => choices.find((one) => one === text);
  return textual('choice', orElse(parse, `one of ${choices.join(', ')}`), { choices, enum: choices });
}

/** A UTC day. */
export function day(min?: string) {
  const parse = between(orElse(parseDay, 'a day in the form YYYY-MM-DD'), min);
  return textual('day', parse, { min, pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' });
}

/** A month as `YYYY-MM`, or `last` for the newest one that is closed. */
export function month(): z.ZodType<string> {
  const isMonth = (text: string) => text === 'last' || parseDay(`${text}-01`) !== undefined;
  const parse = (text: string) => (isMonth(text) ? text : undefined);
  return textual('month', orElse(parse, 'a month in the form YYYY-MM, or last'), {
    pattern: '^([0-9]{4}-[0-9]{2}|last)$',
  });
}

/** A day, or a range of days as `FIRST..LAST`; the days in order. */
export function dayRange(): z.ZodType<readonly Day[]> {
  const meant = `a day, or a range of at most ${LONGEST_RANGE} days, such as 2026-11-01..2026-11-07`;
  return textual('days', orElse(parseDayRange, meant), {
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}([.]{2}[0-9]{4}-[0-9]{2}-[0-9]{2})?$',
  });
}

/** In days: ten years. */
const LONGEST_RANGE = 3660;

function parseDayRange(text: string): readonly Day[] | undefined {
  const parts = text.split('..');
  const [first, last] = parts.map(parseDay);
  if (first === undefined || parts.length > 2) return undefined;
  if (parts.length === 1) return [first];
  const isRange = last !== undefined && last >= first && daysBetween(first, last) < LONGEST_RANGE;
  return isRange ? daysFrom(first, last) : undefined;
}

/** A duration of whole days, as a number of days. */
export function days(...bounds: Bounds): z.ZodType<number> {
  const parse = (text: string) => {
    const ms = parseDuration(text);
    return ms !== undefined && ms % DAY_MS === 0 ? ms / DAY_MS : undefined;
  };
  return measured('days', orElse(parse, 'a duration of whole days, such as 7d'), bounds, durationJson);
}

/** A duration, in milliseconds. */
export function duration(...bounds: Bounds): z.ZodType<number> {
  const parse = orElse(parseDuration, 'a duration, such as 30s, 1h30m or 7d');
  return measured('duration', parse, bounds, durationJson);
}

/** A size, in bytes. */
export function size(...bounds: Bounds): z.ZodType<number> {
  const parse = orElse(parseSize, 'a size, such as 64MiB, 512KiB or a number of bytes');
  return measured('size', parse, bounds, sizeJson);
}

export function integer(...bounds: Bounds): z.ZodType<number> {
  return numeric('integer', bounds);
}

export function number(...bounds: Bounds): z.ZodType<number> {
  return numeric('number', bounds);
}

function numeric(kind: 'integer' | 'number', [min, max]: Bounds): z.ZodType<number> {
  const [minimum, maximum] = [min, max].map((bound) => (bound === undefined ? undefined : Number(bound)));
  return scalar({ kind, min, max, type: kind, minimum, maximum }, between(fromText[kind], min, max), NUMBER);
}

/** The path of a file or directory. */
export function file(): z.ZodType<string> {
  return textual('file', filled);
}

export function text(): z.ZodType<string> {
  return textual('text', filled);
}

function filled(text: string): Result<string> {
  return text.trim() === '' ? { problem: 'is empty' } : { value: text };
}

/** A host name in lower case, also with `*.` before it. */
export function hostName(): z.ZodType<string> {
  const name = /^(\*\.)?[\da-z_-]{1,63}(\.[\da-z_-]{1,63})*$/i;
  const parse = orElse(
    (text) => (name.test(text) ? text.toLowerCase() : undefined),
    'a host name without a port, such as exporter.example.com or *.example.com',
  );
  return textual('host-name', parse);
}

export function listenAddress() {
  const meant = 'an address to listen on, such as :9889, 127.0.0.1:9889 or [::1]:9889';
  return textual('listen-address', orElse(parseListenAddress, meant), { pattern: ':[0-9]{1,5}$' });
}

export function orgName(): z.ZodType<string> {
  const parse = orElse((text) => (isOrgName(text) ? text : undefined), orgNameRule);
  return textual('org-name', parse, { pattern: orgNamePattern });
}

/** The path of a URL. */
export function path(): z.ZodType<string> {
  return textual('path', (text) => parsePath(text), { pattern: '^/' });
}

/** The path of the metrics page. */
export function httpPath(): z.ZodType<string> {
  return textual('http-path', parseHttpPath, { pattern: '^/' });
}

/** An http or https address without a trailing slash. */
export function url(): z.ZodType<string> {
  return textual('url', parseUrl, { pattern: urlPattern });
}

const fromText = {
  boolean: orElse((text) => (text === 'true' ? true : text === 'false' ? false : undefined), 'true or false'),
  integer: orElse((text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined), 'a whole number'),
  number: orElse((text) => (/^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : undefined), 'a number'),
};

/**
 * What a schema gets for the text of a flag or variable: a number or a boolean if its kind is one, otherwise the text
 * itself. Returns what is wrong with a text that is neither.
 */
export function valueOfText(kind: string, text: string): Result<Scalar> {
  const parse: Parse<Scalar> | undefined = new Map(Object.entries(fromText)).get(kind);
  return parse?.(text) ?? { value: text };
}
