import { isRecord } from './event.ts';

const longestValue = 1000;
const longestText = 4000;
const variable = /\{\{|\}\}|\{([A-Za-z_][\w.]*)\}/g;

/** Why a text is no template, undefined where it is one. */
export function problemOfTemplate(text: string): string | undefined {
  const rest = text.replace(variable, '');
  return /[{}]/.test(rest) ? 'has a brace that is no variable: write {{ and }} for braces' : undefined;
}

/** The variables of a template. */
export function variablesOf(text: string): readonly string[] {
  return [...text.matchAll(variable)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

/**
 * Fills a template. `{name}` is a member of the values, `{tool_input.file}` one below it; what is not there is
 * empty. Values lose their control characters and are cut at 1000 characters, the whole at 4000.
 */
export function fill(text: string, values: Readonly<Record<string, unknown>>): string {
  return text
    .replace(variable, (match: string, name: string | undefined) =>
      name === undefined ? match.slice(1) : shown(lookUp(values, name)),
    )
    .slice(0, longestText)
    .toWellFormed()
    .trim();
}

function lookUp(values: Readonly<Record<string, unknown>>, name: string): unknown {
  let value: unknown = values;
  for (const key of name.split('.')) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return clean(text.slice(0, longestValue + 1000)).slice(0, longestValue);
}

/** A text without what could steer a terminal or hide part of it; line ends stay. */
function clean(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\S\n ]/g, ' ')
    .replace(/[\p{Cc}\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, (character) =>
      character === '\n' ? '\n' : '',
    );
}
