import type { LogFields } from './logger.ts';
import { MASK, type Redactor, redactForms } from './redact.ts';

/** The possible values of log fields; undefined fields, functions and class instances are removed. */
export type LogValue =
  | string
  | number
  | boolean
  | null
  | readonly LogValue[]
  | { readonly [key: string]: LogValue };

const PRIVATE_NAMES = new Set([
  'authorization',
  'apikey',
  'xapikey',
  'accesstoken',
  'authtoken',
  'token',
  'secret',
  'password',
  'passwd',
  'cookie',
  'setcookie',
  'email',
]);
const MAX_DEPTH = 4;
const MAX_ITEMS = 50;
const MAX_CAUSES = 3;

/** Converts fields to plain values without secrets; with `stacks`, an Error under `error` also adds `error_stack`. */
export function plainFields(fields: LogFields, redactor: Redactor, stacks: boolean): Map<string, LogValue> {
  const plain = new Map<string, LogValue>();
  for (const key of Object.keys(fields)) {
    const value = readField(fields, key);
    const name = fieldName(redactor.redact(key));
    const shown = shownOf(key, value, redactor);
    if (shown !== undefined) plain.set(name, shown);
    if (stacks && value instanceof Error && value.stack !== undefined) {
      plain.set(`${name}_stack`, redactor.redact(value.stack));
    }
  }
  return plain;
}

function shownOf(key: string, value: unknown, redactor: Redactor): LogValue | undefined {
  if (isPrivate(key)) return maskedOf(value);
  // Hints are this program's own text.
  if (key === 'hint' && typeof value === 'string') return redactForms(value);
  return plainValue(value, redactor, MAX_DEPTH);
}

/** One line with an error's message, its code and its causes. */
function errorLine(error: Error, redactor: Redactor): string {
  const parts: string[] = [];
  let current: unknown = error;
  while (current instanceof Error && parts.length < MAX_CAUSES) {
    const code = 'code' in current ? current.code : undefined;
    const coded = typeof code === 'string' || typeof code === 'number' ? ` (${code})` : '';
    // Redacted before white space is folded, because secrets are matched literally.
    const message = redactor.redact(current.message).replace(/\s+/g, ' ').trim();
    parts.push(`${message === '' ? current.name : message}${redactor.redact(coded)}`);
    current = current.cause;
  }
  return parts.join('; caused by: ');
}

function plainValue(value: unknown, redactor: Redactor, depth: number): LogValue | undefined {
  switch (typeof value) {
    case 'string':
      return redactor.redact(value);
    case 'boolean':
      return value;
    case 'number': {
      const text = String(value);
      const redacted = redactor.redact(text);
      // JSON has no NaN and no infinity.
      return redacted === text && Number.isFinite(value) ? value : redacted;
    }
    case 'bigint':
    case 'symbol':
      return redactor.redact(value.toString());
    case 'function':
      return '[function]';
    case 'object':
      return value === null ? null : plainObject(value, redactor, depth);
    default:
      return undefined;
  }
}

function plainObject(value: object, redactor: Redactor, depth: number): LogValue {
  if (value instanceof Error) return errorLine(value, redactor);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  if (value instanceof URL) return redactor.redact(value.href);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  // Also ends cycles.
  if (depth === 0) return '[…]';
  if (value instanceof Map) return plainEntries(value, redactor, depth);
  if (Array.isArray(value) || value instanceof Set) {
    const items = [...value].slice(0, MAX_ITEMS);
    return items.map((item: unknown) => plainValue(item, redactor, depth - 1) ?? null);
  }
  return plainEntries(
    Object.keys(value).map((key) => [key, readField(value, key)]),
    redactor,
    depth,
  );
}

function plainEntries(
  entries: Iterable<readonly [unknown, unknown]>,
  redactor: Redactor,
  depth: number,
): LogValue {
  const plain = new Map<string, LogValue>();
  for (const [key, value] of entries) {
    if (plain.size >= MAX_ITEMS) break;
    const name = String(key);
    const shown = isPrivate(name) ? maskedOf(value) : plainValue(value, redactor, depth - 1);
    if (shown !== undefined) plain.set(redactor.redact(name), shown);
  }
  return Object.fromEntries(plain);
}

/** A getter that throws must not prevent the log line. */
function readField(holder: object, key: string): unknown {
  try {
    return Reflect.get(holder, key);
  } catch {
    return '[unreadable]';
  }
}

function isPrivate(key: string): boolean {
  return PRIVATE_NAMES.has(key.toLowerCase().replace(/[-_]/g, ''));
}

function maskedOf(value: unknown): LogValue | undefined {
  return value === undefined ? undefined : MASK;
}

function fieldName(key: string): string {
  const name = key.replace(/[^\w.-]/g, '_');
  if (name === '') return '_';
  return name === 'ts' || name === 'level' || name === 'msg' ? `${name}_` : name;
}
