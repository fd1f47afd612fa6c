const BEGINNING = '<!-- soak -->';
const END = '<!-- end of soak -->';

/** The page of figures with its section about a soak replaced, or added at the end. */
export function replaceSoak(page: string, section: string): string {
  const [before = '', rest] = page.split(BEGINNING);
  const after = rest?.split(END)[1] ?? '\n';
  return `${before.trimEnd()}\n\n${BEGINNING}\n${section.trimEnd()}\n${END}${after}`;
}

/** A page that is written anew, with the section about a soak that the one before it had. */
export function keepSoak(page: string, before: string): string {
  const section = before.split(BEGINNING)[1]?.split(END)[0];
  return section === undefined ? page : replaceSoak(page, section.trim());
}
