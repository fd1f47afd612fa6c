/** What was pasted along with a key, such as the line of an environment file; undefined if nothing was. */
export function pasteProblem(text: string): string | undefined {
  const line = text.trim();
  if (/^(?:export\s+)?[A-Za-z_]\w*=[^=]/.test(line)) return 'NAME= in front of the key: write the key alone';
  return /^["'`]|["'`]$/.test(line) ? 'quotation marks around the key: write the key alone' : undefined;
}
