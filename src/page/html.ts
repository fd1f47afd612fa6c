import type { Day, Instant } from '../catalog/day.ts';
import { dayAgeWords, dayWords, groupDigits, momentWords, readable } from './format.ts';
import { isoText } from './status.ts';

/** Markup that is safe to send: only `html` creates it. */
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

/** An instant in words, with the exact time on hover; `never` if undefined. */
export function moment(instant: Instant | undefined, now: Instant, never = 'never'): Html {
  const iso = instant === undefined ? null : isoText(instant);
  if (instant === undefined || iso === null) return html`<span class="none">${never}</span>`;
  const exact = `${iso.slice(0, 19).replace('T', ' ')} UTC`;
  return html`<time datetime="${iso}" title="${exact}">${momentWords(instant, now)}</time>`;
}

/** A day as people write it, with the exact date on hover. */
export function dayTime(day: Day): Html {
  return html`<time datetime="${day}" title="${day}">${dayWords(day)}</time>`;
}

/** A day and its age. */
export function dataDay(day: Day, now: Instant): Html {
  return html`${dayTime(day)} <small>${dayAgeWords(day, now)}</small>`;
}

/** How many more there are than are listed. */
export function andMore(rest: number): Html | undefined {
  return rest > 0 ? html`<p class="none">and ${number(rest)} more</p>` : undefined;
}

/** What is shown about one thing, below its title; `id` is unique on the page. */
export function card(kind: string, id: string, title: string, content: Html): Html {
  return html`<article class="figure${kind}" aria-labelledby="${id}">
<h3 id="${id}">${title}</h3>
${content}
</article>
`;
}

/** A readable number, with all its digits on hover and for programs. */
export function number(value: number, text = readable(value)): Html {
  return html`<data value="${value}" title="${groupDigits(value)}">${text}</data>`;
}

/** A table; its roles keep it one for assistive technology when a narrow window shows the rows as cards. */
export function table(labelledBy: string, heads: readonly Html[], rows: readonly Html[]): Html {
  return html`<table role="table" aria-labelledby="${labelledBy}">
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">${rows}</tbody>
</table>`;
}

/** The head of a column; `order` is that of the rows if they are sorted by it. */
export function columnHead(title: string | Html, order?: 'ascending' | 'descending'): Html {
  return html`<th scope="col" role="columnheader"${order && html` aria-sort="${order}"`}>${title}</th>`;
}

/** A cell that a narrow window shows with its title. */
export function cell(title: string, content: Html): Html {
  return html`<td role="cell" data-title="${title}"><div>${content}</div></td>`;
}
