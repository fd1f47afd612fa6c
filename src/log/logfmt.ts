import { attempt, escaped } from '../text/errors.ts';
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

/** The syntax of a log line: its frame and each `key, value` pair in it. */
interface LineSyntax {
  readonly open: string;
  readonly separator: string;
  readonly close: string;
  pair(key: string, value: LogValue): string;
}

export const logfmtSyntax: LineSyntax = {
  open: '',
  separator: ' ',
  close: '',
  pair: (key, value) => `${key}=${logfmtValue(value)}`,
};

export const jsonSyntax: LineSyntax = {
  open: '{',
  separator: ',',
  close: '}',
  pair: (key, value) => `${jsonText(key)}:${jsonText(value)}`,
};

/** Maximum length of a line, in bytes without its line end: log shippers do not split such lines. */
const MAX_LINE_BYTES = 8_192;

const TRUNCATED = 'truncated';

/**
 * Joins the pairs into one line of at most `MAX_LINE_BYTES` bytes. What does not fit is truncated (texts) or omitted
 * (everything else), and the line has `truncated=true`.
 */
export function formatLine(syntax: LineSyntax, pairs: Iterable<readonly [string, LogValue]>): string {
  const reserve = syntax.pair(TRUNCATED, true).length + syntax.separator.length;
  let room = MAX_LINE_BYTES - syntax.open.length - syntax.close.length - reserve;
  let truncated = false;
  const written: string[] = [];
  for (const [key, value] of pairs) {
    const pair = fittingPair(syntax, key, value, room - syntax.separator.length);
    if (pair?.whole !== true) truncated = true;
    if (pair === undefined) continue;
    written.push(pair.text);
    room -= Buffer.byteLength(pair.text) + syntax.separator.length;
  }
  if (truncated) written.push(syntax.pair(TRUNCATED, true));
  return `${syntax.open}${written.join(syntax.separator)}${syntax.close}`;
}

function fittingPair(
  syntax: LineSyntax,
  key: string,
  value: LogValue,
  room: number,
): { text: string; whole: boolean } | undefined {
  // A text with more characters than the room has bytes cannot fit: avoid escaping a megabyte to find out.
  let shown = typeof value === 'string' && value.length > room ? cut(value, room) : value;
  let text = syntax.pair(key, shown);
  while (Buffer.byteLength(text) > room) {
    if (typeof shown !== 'string' || shown.length < 2) return undefined;
    shown = cut(shown, Math.floor(shown.length * 0.8));
    text = syntax.pair(key, shown);
  }
  return { text, whole: shown === value };
}

function cut(text: string, length: number): string {
  return `${text.slice(0, Math.max(0, length - 1)).toWellFormed()}…`;
}

const BARE = /^[^\s"=\\\p{C}]+$/u;

function logfmtValue(value: LogValue): string {
  return typeof value !== 'string' || BARE.test(value) ? String(value) : jsonText(value);
}

/** Characters that JSON does not escape, but that could forge or hide parts of a log on a terminal. */
const UNSAFE = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function jsonText(value: LogValue): string {
  return JSON.stringify(value).replace(UNSAFE, escaped);
}
