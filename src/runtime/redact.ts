const MASK = '***';
/** A shorter value would hit ordinary words; it cannot be a real secret. */
const SHORTEST_SECRET = 4;
/** Rotated values are kept so that late errors about an old key stay clean; the oldest go first. */
const REMEMBERED_SECRETS = 200;

/** Takes secrets, credentials and e-mail addresses out of text that people or machines will read. */
export interface Redactor {
  /** The text with everything private replaced by `***`. */
  redact(text: string): string;
  /** Adds a secret that the source given at creation may no longer name, such as a key about to be rotated. */
  remember(secret: string): void;
}

/**
 * Creates a redactor that asks `secrets` at each call, so that keys added or rotated while the process runs
 * are known at once, and keeps masking those it has seen before. Values under four characters are left alone.
 */
export function createRedactor(secrets: () => Iterable<string>): Redactor {
  const known = new Set<string>();
  let pattern: RegExp | undefined;

  function remember(value: string): void {
    const secret = value.trim();
    if (secret.length < SHORTEST_SECRET || known.has(secret)) return;
    known.add(secret);
    for (const oldest of known) {
      if (known.size <= REMEMBERED_SECRETS) break;
      known.delete(oldest);
    }
    pattern = patternOf(known);
  }

  return {
    remember,
    redact(text) {
      for (const secret of secrets()) remember(secret);
      const masked = pattern === undefined ? text : text.replace(pattern, MASK);
      return redactForms(masked);
    },
  };
}

/**
 * Replaces what looks like a credential or an e-mail address. For texts that are written here and hold no secret of the
 * configuration: one that happens to be an ordinary word would be taken out of them.
 */
export function redactForms(text: string): string {
  return redactAddresses(redactCredentials(text));
}

function patternOf(secrets: Iterable<string>): RegExp {
  const spellings = new Set<string>();
  for (const secret of secrets) {
    for (const spelling of spellingsOf(secret)) spellings.add(spelling);
  }
  const longestFirst = [...spellings].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.join('|'), 'g');
}

/** Patterns for the ways in which a secret is written inside URLs, JSON and headers. */
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

function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

// Every repetition that could be started at many places is bounded: hostile text costs linear time.
const HEADER =
  /((?:authorization|x-api-key)["']?\s{0,8}[:=]\s{0,8}["']?)(?:(bearer|basic|token)\s+)?[^\s"',;]+/gi;
const SCHEME = /\b(bearer|basic)\s{1,8}(?!(?:tokens?|auth[a-z]*)(?![\w.~+/=-]))[\w.~+/=-]+/gi;
const ASSIGNMENT =
  /((?:^|[?&;,{\s])["']?(?:api[-_]?key|access[-_]?token|auth[-_]?token|token|secret|password|passwd|pwd|signature)(?:["']\s{0,8}:\s{0,8}["']?|=["']?))[^\s&"',;]+/gi;
const USER_INFO = /([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#]*@/gi;
/** A password with an unescaped slash; a port before a path is none. */
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

/** The name may be empty: what it starts with may be legal there and yet end something else before it. */
const ADDRESS =
  /((?:[^\s@"'`<>()[\]{},;:=\\/?&|][^\s@"`<>()[\]{},;:=\\/?&|]{0,63})?|"[^"\n]{1,64}")(?:@|%40)(?:[\p{L}\p{N}][\p{L}\p{N}-]{0,62}\.){1,10}\p{L}[\p{L}\p{N}-]{1,62}/giu;

function redactAddresses(text: string): string {
  if (!text.includes('@') && !text.includes('%40')) return text;
  return text.replace(ADDRESS, (match, name: string) => (name === MASK ? match : MASK));
}
