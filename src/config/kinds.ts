import * as z from 'zod';
import { DAY_MS, type Day, daysBetween, daysFrom, parseDay } from '../catalog/day.ts';
import { parseListenAddress } from '../net/listen-address.ts';
import {
  durationPattern,
  isOrgName,
  orgNamePattern,
  orgNameRule,
  ownPathPattern,
  parseDuration,
  parseSize,
  pathPattern,
  quoted,
} from './parse.ts';

/** A value, or a description of the problem to follow the name of its key. */
type Result<Value> = { readonly value: Value } | { readonly problem: string };

/** Parses a text, or says what is wrong with it. */
export type Parse<Value> = (text: string) => Result<Value>;

/** What YAML must contain, and what is said if it does not. */
const TEXT = { type: 'string', otherwise: 'must be a text: put it in quotes' };
const NUMBER = { type: 'number', otherwise: 'must be a number, without quotes' };
const BOOLEAN = { type: 'boolean', otherwise: 'must be true or false' };

/**
 * The schema of a single value of a file. Its metadata are the name of its format, which help and documentation show, its
 * bounds as an operator writes them, what a JSON Schema says about it, and how the text of a flag or a variable is parsed.
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
    .meta({ ...meta, parse });
}

/** A value that YAML must contain as a text. */
export function textual<Value>(
  kind: string,
  parse: Parse<Value>,
  meta: Readonly<Record<string, unknown>> = {},
): z.ZodType<Value> {
  return scalar({ kind, type: 'string', minLength: 1, ...meta }, parse, TEXT);
}

/** Inclusive bounds, as an operator writes them. */
type Bounds = readonly [min?: string, max?: string];

function between<Value extends number | string>(
  parse: Parse<Value>,
  [min, max]: readonly (string | undefined)[],
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

/** Parses the texts that fit a pattern. */
function fitting<Value>(pattern: RegExp, meant: string, parse: (text: string) => Value): Parse<Value> {
  return orElse((text) => (pattern.test(text) ? parse(text) : undefined), meant);
}

const isTrue = fitting(/^(true|false)$/, 'true or false', (text) => text === 'true');
export const boolean = scalar({ kind: 'boolean', type: 'boolean' }, isTrue, BOOLEAN);

export function choice<const Choice extends string>(...choices: readonly Choice[]): z.ZodType<Choice> {
  const parse = (text: string) => choices.find((one) => one === text);
  return textual('choice', orElse(parse, `one of ${choices.join(', ')}`), { choices, enum: choices });
}

/** A UTC day. */
export function day(min?: string): z.ZodType<Day> {
  const parse = between<Day>(orElse(parseDay, 'a day in the form YYYY-MM-DD'), [min]);
  return textual('day', parse, { min, pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' });
}

/** A month as `YYYY-MM`, or `last` for the newest one that is closed. */
export const month = textual(
  'month',
  orElse(
    (text) => (text === 'last' || parseDay(`${text}-01`) !== undefined ? text : undefined),
    'a month in the form YYYY-MM, or last',
  ),
  { pattern: '^([0-9]{4}-[0-9]{2}|last)$' },
);

/** In days: ten years. */
const LONGEST_RANGE = 3660;

/** A day, or a range of days as `FIRST..LAST`; the days in order. */
export const dayRange = textual(
  'days',
  orElse(parseDayRange, `a day, or a range of at most ${LONGEST_RANGE} days, such as 2026-11-01..2026-11-07`),
  { pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}([.]{2}[0-9]{4}-[0-9]{2}-[0-9]{2})?$' },
);

function parseDayRange(text: string): readonly Day[] | undefined {
  const parts = text.split('..');
  const [first, last] = parts.map(parseDay);
  if (first === undefined || parts.length > 2) return undefined;
  if (parts.length === 1) return [first];
  const isRange = last !== undefined && last >= first && daysBetween(first, last) < LONGEST_RANGE;
  return isRange ? daysFrom(first, last) : undefined;
}

/** A number with a unit: YAML may contain it without quotes. */
function measured(kind: string, parse: Parse<number>, json: object) {
  return (...bounds: Bounds) => {
    const [min, max] = bounds;
    return scalar({ kind, min, max, ...json }, between(parse, bounds));
  };
}

const durationJson = { anyOf: [{ const: 0 }, { type: 'string', pattern: durationPattern, minLength: 1 }] };
const sizeJson = { type: ['string', 'integer'], pattern: '^[0-9]+(B|KiB|MiB|GiB)?$', minimum: 0 };

function parseDays(text: string): number | undefined {
  const ms = parseDuration(text) ?? Number.NaN;
  return ms % DAY_MS === 0 ? ms / DAY_MS : undefined;
}

/** A duration of whole days, as a number of days. */
export const days = measured('days', orElse(parseDays, 'a duration of whole days, such as 7d'), durationJson);

/** A duration, in milliseconds. */
export const duration = measured(
  'duration',
  orElse(parseDuration, 'a duration, such as 30s, 1h30m or 7d'),
  durationJson,
);

/** A size, in bytes. */
export const size = measured(
  'size',
  orElse(parseSize, 'a size, such as 64MiB, 512KiB or a number of bytes'),
  sizeJson,
);

function numeric(kind: 'integer' | 'number', parse: Parse<number>) {
  return (...bounds: Bounds) => {
    const [min, max] = bounds;
    const [minimum, maximum] = bounds.map(Number);
    return scalar({ kind, min, max, type: kind, minimum, maximum }, between(parse, bounds), NUMBER);
  };
}

export const integer = numeric('integer', fitting(/^-?\d{1,15}$/, 'a whole number', Number));
export const number = numeric('number', fitting(/^-?\d{1,15}(\.\d{1,15})?$/, 'a number', Number));

function filled(text: string): Result<string> {
  return text.trim() === '' ? { problem: 'is empty' } : { value: text };
}

/** The path of a file or directory. Many programs take `-` for standard output, which would become a file of that name. */
export const file = textual('file', (text) =>
  text === '-' ? { problem: 'must be a path; ./- is the file that is named so' } : filled(text),
);

/**
 * The path of the store's file. SQLite would open what follows `file:`, and the URL of a database would become a file whose name
 * contains its password; what is said about one never repeats it.
 */
export const storeFile = textual('file', (text) =>
  /^(?:file:|[a-z][a-z\d+.-]+:\/\/)/i.test(text)
    ? {
        problem:
          'must be the path of a file, not a URL; that of a database is set with AGENT_PLATFORM_STORAGE_URL',
      }
    : filled(text),
);

export const text = textual('text', filled);

/** A host name in lower case, also with `*.` before it. */
export const hostName = textual(
  'host-name',
  fitting(
    /^(\*\.)?[\da-z_-]{1,63}(\.[\da-z_-]{1,63})*$/i,
    'a host name without a port, such as exporter.example.com or *.example.com',
    (name) => name.toLowerCase(),
  ),
);

export const listenAddress = textual(
  'listen-address',
  orElse(parseListenAddress, 'an address to listen on, such as :9889, 127.0.0.1:9889 or [::1]:9889'),
  { pattern: ':[0-9]{1,5}$' },
);

export const orgName = textual(
  'org-name',
  orElse((name) => (isOrgName(name.normalize()) ? name.normalize() : undefined), orgNameRule),
  { pattern: orgNamePattern },
);

const PATH = new RegExp(pathPattern);

function parsePath(text: string, example = '/api/reports'): Result<string> {
  if (PATH.test(text)) return { value: text };
  return { problem: `${quoted(text)} is not a path of letters, digits and . _ ~ - such as ${example}` };
}

/** The path of a URL. */
export const path = textual('path', (text) => parsePath(text), { pattern: '^/' });

const OWN_PATH = new RegExp(ownPathPattern);

/** The path of the metrics page. */
export const httpPath = textual(
  'http-path',
  (text) => {
    const path = parsePath(text, '/metrics');
    if ('problem' in path || !OWN_PATH.test(text)) return path;
    return { problem: `${text} is the path of another page of the exporter` };
  },
  { pattern: '^/' },
);

/** An http or https address without a trailing slash; what is said about one never repeats it, since it may contain a password. */
export const url = textual('url', parseUrl, { pattern: '^https?://[^@?#\\s]+$' });

function parseUrl(text: string): Result<string> {
  const url = /\s/.test(text) ? null : URL.parse(text);
  if (url === null || url.hostname === '') {
    return { problem: 'is not an address, such as https://api.example.com' };
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { problem: 'must begin with https:// or http://' };
  }
  if (url.username !== '' || url.password !== '') {
    return { problem: 'must not contain a user name or password' };
  }
  if (text.includes('?') || text.includes('#')) return { problem: 'must not have a query or a fragment' };
  return { value: url.origin + url.pathname.replace(/\/+$/, '') };
}
