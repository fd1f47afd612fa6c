import { type Html, html } from './html.ts';

/** A table; its roles keep it one for assistive technology when a narrow window shows the rows as cards. */
export function table(labelledBy: string, heads: readonly Html[], rows: readonly Html[]): Html {
  return html`<table role="table" aria-labelledby="${labelledBy}">
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">${rows}</tbody>
</table>`;
}

/** The head of a column. */
export function columnHead(title: string): Html {
  return html`<th scope="col" role="columnheader">${title}</th>`;
}

/** A cell that a narrow window shows with its title. */
export function cell(title: string, content: Html): Html {
  return html`<td role="cell" data-title="${title}"><div>${content}</div></td>`;
}
