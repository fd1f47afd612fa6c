/** Markup that is safe to send: only `html` makes it. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | undefined | readonly Part[];

/** Joins markup and values; every value that is not itself `Html` is escaped, for text and quoted attributes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = strings[0] ?? '';
  for (const [index, part] of parts.entries()) markup += markupOf(part) + (strings[index + 1] ?? '');
  return { markup };
}

function markupOf(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return String(part);
  if ('markup' in part) return part.markup;
  return part.map(markupOf).join('');
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
  ['`', '&#96;'],
]);

function escapeHtml(text: string): string {
  return text.toWellFormed().replace(/[&<>"'`]/g, (character) => ENTITIES.get(character) ?? '');
}
