/** The replacement of redacted text. */
export const MASK = '***';
/** A shorter value would match ordinary words; it cannot be a real secret. */
const MIN_SECRET_LENGTH = 4;
/** Rotated values are kept so that late errors about an old key stay clean; the oldest are dropped first. */
const REMEMBERED_SECRETS = 200;
/** Matches nothing. */
const NOTHING = /(?!)/;

/** Removes secrets, credentials and e-mail addresses from text. */
export type Redactor = ReturnType<typeof createRedactor>;

/**
 * Creates a redactor that reads `secrets` at each call, so that keys added or rotated at run time apply at once, and
 * keeps masking those it has seen before. Values under four characters are ignored.
 */
export function createRedactor(secrets: () => Iterable<string>) {
  const known = new Set<string>();
  /** Undefined once another secret is known. */
  let pattern: RegExp | undefined = NOTHING;

  function remember(value: string): void {
    const secret = value.trim();
    if (secret.length < MIN_SECRET_LENGTH || known.has(secret)) return;
    known.add(secret);
    pattern = undefined;
  }

  function forgetOldest(current: readonly string[]): void {
    const kept = new Set(current.map((value) => value.trim()));
    const oldest = [...known].slice(0, -(kept.size + REMEMBERED_SECRETS));
    for (const secret of oldest) if (!kept.has(secret)) known.delete(secret);
  }

  return {
    /** Adds a secret that the source may no longer contain, such as a key about to be rotated. */
    remember,
    /** The text with everything private replaced by `***`. */
    redact(text: string): string {
      const current = [...secrets()];
      for (const secret of current) remember(secret);
      if (pattern === undefined) {
        forgetOldest(current);
        pattern = patternOf(known, 'own');
      }
      return redactForms(text.replace(pattern, MASK));
    },
  };
}

/**
 * Replaces what looks like a credential or an e-mail address. For the program's own texts, which contain no configured
 * secret: a secret that happens to be an ordinary word would be removed from them.
 */
export function redactForms(text: string): string {
  return redactAddresses(redactCredentials(text));
}

/**
 * Matches known secrets in their spellings. In foreign text (`foreign`) it also matches them in another case, or
 * truncated.
 */
function patternOf(secrets: Iterable<string>, origin: 'own' | 'foreign'): RegExp {
  const known = [...secrets];
  const longestFirst = [...new Set(known.flatMap(spellingsOf))].sort((a, b) => b.length - a.length);
  if (origin === 'own') return new RegExp(longestFirst.join('|'), 'g');
  const beginnings = known
    .filter(({ length }) => length > TELLTALE + 2)
    .map((secret) => `${escapeForRegExp(secret.slice(0, TELLTALE))}[^\\s"'<>]*`);
  return new RegExp([...longestFirst, ...beginnings].join('|'), 'gi');
}

/** Patterns for the spellings of a secret inside URLs, JSON and headers. */
function spellingsOf(secret: string): string[] {
  const text = secret.toWellFormed();
  const percentEncoded = escapeForRegExp(encodeURIComponent(text)).replace(/%[0-9A-F]{2}/g, (code) =>
    code.replace(/[A-F]/g, (digit) => `[${digit}${digit.toLowerCase()}]`),
  );
  const others = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(text).toString('base64').replace(/=+$/, ''),
    Buffer.from(text).toString('base64url'),
  ];
  return [percentEncoded, ...others.map(escapeForRegExp)];
}

/** A text as a part of a regular expression that matches nothing else. */
export function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

// Every repetition that could start at many places is bounded: hostile text takes linear time.
const HEADER =
  /((?:authorization|x-api-key)["']?\s{0,8}[:=]\s{0,8}["']?)(?:(bearer|basic|token)\s+)?[^\s"',;]+/gi;
const SCHEME = /\b(bearer|basic)\s{1,8}(?!(?:tokens?|auth[a-z]*)(?![\w.~+/=-]))[\w.~+/=-]+/gi;
const ASSIGNMENT =
  /((?:^|[?&;,{\s])["']?(?:api[-_]?key|access[-_]?token|auth[-_]?token|token|secret|password|passwd|pwd|signature)(?:["']\s{0,8}:\s{0,8}["']?|=["']?))[^\s&"',;]+/gi;
const USER_INFO = /([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#]*@/gi;
/** A password with an unescaped slash; a port before a path does not match. */
const ODD_USER_INFO = /([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#:@]{0,256}:(?!\d{1,5}[/?#])[^\s]{0,512}@/gi;

function redactCredentials(text: string): string {
  const shown = text
    .replace(HEADER, (_match, name: string, scheme: string | undefined) =>
      scheme === undefined ? `${name}${MASK}` : `${name}${scheme} ${MASK}`,
    )
    .replace(SCHEME, `$1 ${MASK}`)
    .replace(ASSIGNMENT, `$1${MASK}`);
  if (!shown.includes('://')) return shown;
  return shown.replace(USER_INFO, `$1${MASK}@`).replace(ODD_USER_INFO, `$1${MASK}@`);
}

/** The name may be empty: its first character may be legal there and yet end something else before it. */
const ADDRESS =
  /((?:[^\s@"'`<>()[\]{},;:=\\/?&|][^\s@"`<>()[\]{},;:=\\/?&|]{0,63})?|"[^"\n]{1,64}")(?:@|%40)(?:[\p{L}\p{N}][\p{L}\p{N}-]{0,62}\.){1,10}\p{L}[\p{L}\p{N}-]{1,62}/giu;

function redactAddresses(text: string): string {
  if (!text.includes('@') && !text.includes('%40')) return text;
  return text.replace(ADDRESS, (match, name: string) => (name === MASK ? match : MASK));
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const KNOWN_KEY_PREFIX = /\b(?:fk|sk|pk|rk|ghp|gho|github_pat|glpat|xox[a-z])[-_][\w-]{6,}/gi;
/** The length of a key's beginning that reveals it, for servers that echo it shortened or masked. */
const TELLTALE = 8;

/**
 * Redacts a foreign line, such as the body of an error response: the given secrets, whole, encoded or by their
 * beginning; bearer tokens, e-mail addresses, credentials and queries in URLs, and anything that looks like a key. It
 * removes more than a `Redactor` does, because nothing in such a line is known to be harmless.
 */
export function redactForeign(line: string, secrets: readonly string[]): string {
  return redactSecrets(line, secrets)
    .replace(/\b(bearer|basic)\s+\S+/gi, `$1 ${MASK}`)
    .replace(/\b(api[-_ ]?key|token|secret|password|authorization)(\s?=\s?|["']?\s?:\s?)(\S+)/gi, redactValue)
    .split(' ')
    .map(redactWord)
    .join(' ');
}

/** Redacts only the given secrets in a foreign text. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret !== '');
  return known.length === 0 ? text : text.replace(patternOf(known, 'foreign'), MASK);
}

// `token: expired` is an explanation, `token: 3f9a8b7c` is a secret.
function redactValue(whole: string, name: string, separator: string, value: string): string {
  const isSecret = separator.includes('=') || (value.length >= 8 && /\d/.test(value));
  return isSecret ? `${name}${separator}${MASK}` : whole;
}

// Word by word: patterns for addresses over a whole text take quadratic time on hostile input.
function redactWord(word: string): string {
  if (word.includes('@') || /%40/.test(word)) return MASK;
  const query = word.search(/\?[^?]*=/);
  const bare = query < 0 ? word : `${word.slice(0, query)}?${MASK}`;
  return bare.replace(KNOWN_KEY_PREFIX, MASK).replace(/[A-Za-z0-9+_=-]{16,}/g, redactOpaque);
}

function redactOpaque(run: string): string {
  if (UUID.test(run)) return run;
  for (const part of run.match(/[A-Za-z0-9]{16,}/g) ?? []) {
    if ((/\d/.test(part) && /[A-Za-z]/.test(part)) || part.length >= 32) return MASK;
  }
  return run;
}

/** Redacts bcrypt hashes and PEM blocks, which an error about a misplaced value may quote. */
export function redactHashesAndKeys(message: string): string {
  return message.replace(/\$2[aby]?\$\d\d\$[./A-Za-z0-9]*/g, MASK).replace(/-----BEGIN.*/s, MASK);
}
