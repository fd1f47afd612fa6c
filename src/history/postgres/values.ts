// How values are written to the database and read from it.

/** A text as the database stores it: without NUL. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}

/** A column of a query: an instant as a number, in milliseconds. */
export function msOf(expression: string, name = expression): string {
  return `round(extract(epoch FROM ${expression}) * 1000)::float8 AS ${name}`;
}
