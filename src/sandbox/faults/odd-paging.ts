import type { Row } from '../types.ts';

/** The wrong types of paging metadata. */
export const oddPagings = ['text', 'number', 'list', 'object', 'null', 'missing'] as const;

/** Paging metadata of a wrong type; `detail` is one of `oddPagings`. */
export function oddPaging({ has_more: more, next_cursor: next }: Row, detail: string): Row {
  switch (detail) {
    case 'text':
      return { has_more: String(more), next_cursor: next };
    case 'number':
      return { has_more: Number(more), next_cursor: 7 };
    case 'list':
      return { has_more: more, next_cursor: [next ?? null] };
    case 'object':
      return { has_more: more, next_cursor: { id: next ?? null } };
    case 'null':
      return { has_more: null, next_cursor: null };
    default:
      return {};
  }
}
