/** A value, or what is wrong with it in words that follow the name of its key. */
export type Parsed<Value = unknown> = { readonly value: Value } | { readonly problem: string };

/** A text for an error line: in quotes, without control characters, at most 60 characters of it. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
