import { isObject } from '../catalog/object.ts';
import { attempt } from '../text/errors.ts';

const MAX_VALUE_LENGTH = 1000;
const MAX_TEXT_LENGTH = 4000;
const variable = /\{\{|\}\}|\{([A-Za-z_][\w.]*)\}/g;

/** Whether a text is a valid template: each of its braces belongs to a variable, or is written twice. */
export function isTemplate(text: string): boolean {
  return !/[{}]/.test(text.replace(variable, ''));
}

/**
 * Fills a template. `{name}` is a member of the values, `{tool_input.file}` a nested one; a missing member is empty.
 * Values lose their control characters and are truncated to 1000 characters, the whole text to 4000.
 */
export function fill(text: string, values: Readonly<Record<string, unknown>>): string {
  return text
    .replace(variable, (match: string, name: string | undefined) =>
      name === undefined ? match.slice(1) : shown(lookUp(values, name)),
    )
    .slice(0, MAX_TEXT_LENGTH)
    .toWellFormed()
    .trim();
}

function lookUp(values: Readonly<Record<string, unknown>>, name: string): unknown {
  let value: unknown = values;
  for (const key of name.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  // Empty if the value is nested too deeply to be written.
  const text = typeof value === 'object' ? (attempt(() => JSON.stringify(value)) ?? '') : String(value);
  return clean(text.slice(0, MAX_VALUE_LENGTH + 1000)).slice(0, MAX_VALUE_LENGTH);
}

/** A text without characters that control a terminal or hide parts of the text; line breaks are kept. */
function clean(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\S\n ]/g, ' ')
    .replace(/[\p{Cc}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu, (character) =>
      character === '\n' ? '\n' : '',
    );
}
