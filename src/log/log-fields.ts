import { attempt } from '../text/errors.ts';
import type { LogFields } from './logger.ts';
import { MASK, type Redactor, redactForms } from './redact.ts';

/** The possible values of log fields; undefined fields are removed. */
export type LogValue = string | number | boolean | null;

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
const MAX_CAUSES = 3;

/** Converts fields to plain values without secrets; with `stacks`, an Error under `error` also adds `error_stack`. */
export function plainFields(fields: LogFields, redactor: Redactor, stacks: boolean): Map<string, LogValue> {
  const plain = new Map<string, LogValue>();
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const name = fieldName(redactor.redact(key));
    plain.set(name, plainValue(key, value, redactor));
    if (stacks && value instanceof Error && value.stack !== undefined) {
      plain.set(`${name}_stack`, redactor.redact(value.stack));
    }
  }
  return plain;
}

function plainValue(key: string, value: unknown, redactor: Redactor): LogValue {
  if (isPrivate(key)) return MASK;
  if (value === null || typeof value === 'boolean') return value;
  if (value instanceof Error) return errorLine(value, redactor);
  const text = typeof value === 'object' ? jsonOf(value) : String(value);
  // Hints are this program's own text.
  const shown = key === 'hint' ? redactForms(text) : redactor.redact(text);
  // JSON has no NaN and no infinity.
  return Number.isFinite(value) && shown === text ? Number(value) : shown;
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

/** Fields are flat: an object can only be something unexpected that was thrown, and must not prevent the log line. */
function jsonOf(value: object): string {
  const text = attempt(() => JSON.stringify(value, (key, part) => (isPrivate(key) ? MASK : part)));
  return text ?? '[unreadable]';
}

function isPrivate(key: string): boolean {
  return PRIVATE_NAMES.has(key.toLowerCase().replace(/[-_]/g, ''));
}

function fieldName(key: string): string {
  const name = key.replace(/[^\w.-]/g, '_');
  if (name === '') return '_';
  return name === 'ts' || name === 'level' || name === 'msg' ? `${name}_` : name;
}
