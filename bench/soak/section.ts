const BEGINNING = '<!-- soak -->';
const END = '<!-- end of soak -->';

/** The page of results with its soak section replaced, or added at the end. */
export function replaceSoak(page: string, section: string): string {
  const [before = '', rest] = page.split(BEGINNING);
  const after = rest?.split(END)[1] ?? '\n';
  return `${before.trimEnd()}\n\n${BEGINNING}\n${section.trimEnd()}\n${END}${after}`;
}

/** A new page with the soak section of the previous one. */
export function keepSoak(page: string, before: string): string {
  const section = before.split(BEGINNING)[1]?.split(END)[0];
  return section === undefined ? page : replaceSoak(page, section.trim());
}
