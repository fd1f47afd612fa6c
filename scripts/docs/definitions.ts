import { readFileSync } from 'node:fs';

/** The definitions of computed metrics as Markdown, by name. */
export type Definitions = ReadonlyMap<string, string>;

/** Reads the definitions of `definitions.md`. */
export function readDefinitions(): Definitions {
  const text = readFileSync(new URL('definitions.md', import.meta.url), 'utf8');
  const [, ...sections] = text.split(/^## /m);
  return new Map(
    sections.map((section) => {
      const end = section.indexOf('\n');
      return [section.slice(0, end), section.slice(end).trim()];
    }),
  );
}
