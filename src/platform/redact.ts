const REDACTED = '[redacted]';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const KNOWN_KEY_PREFIX = /\b(?:fk|sk|pk|rk|ghp|gho|github_pat|glpat|xox[a-z])[-_][\w-]{6,}/gi;
/** How much of a key's beginning gives it away, for servers that echo it shortened or masked. */
const TELLTALE = 8;

/**
 * Replaces in a line what nobody but its owner should read: the given secrets, whole, encoded or by their
 * beginning; bearer tokens, e-mail addresses, credentials and queries in URLs, and whatever looks like a key.
 */
export function redact(line: string, secrets: readonly string[]): string {
  return redactSecrets(line, secrets)
    .replace(/\b(bearer|basic)\s+\S+/gi, `$1 ${REDACTED}`)
    .replace(/\b(api[-_ ]?key|token|secret|password|authorization)(\s?=\s?|["']?\s?:\s?)(\S+)/gi, redactValue)
    .split(' ')
    .map(redactWord)
    .join(' ');
}

/** Replaces the given secrets alone, whole, encoded or by their beginning. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret === '') continue;
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')];
    const literals = forms.map(escapeForPattern);
    if (secret.length > TELLTALE + 2) {
      literals.push(`${escapeForPattern(secret.slice(0, TELLTALE))}[^\\s"'<>]*`);
    }
    clean = clean.replace(new RegExp(literals.join('|'), 'gi'), REDACTED);
  }
  return clean;
}

// `token: expired` is an explanation, `token: 3f9a8b7c` is a secret.
function redactValue(whole: string, name: string, separator: string, value: string): string {
  const isSecret = separator.includes('=') || (value.length >= 8 && /\d/.test(value));
  return isSecret ? `${name}${separator}${REDACTED}` : whole;
}

// Word by word: patterns for addresses over a whole text take quadratic time on hostile input.
function redactWord(word: string): string {
  if (word.includes('@') || /%40/.test(word)) return REDACTED;
  const query = word.search(/\?[^?]*=/);
  const bare = query < 0 ? word : `${word.slice(0, query)}?${REDACTED}`;
  return bare.replace(KNOWN_KEY_PREFIX, REDACTED).replace(/[A-Za-z0-9+_=-]{16,}/g, redactOpaque);
}

function redactOpaque(run: string): string {
  if (UUID.test(run)) return run;
  for (const part of run.match(/[A-Za-z0-9]{16,}/g) ?? []) {
    if ((/\d/.test(part) && /[A-Za-z]/.test(part)) || part.length >= 32) return REDACTED;
  }
  return run;
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
