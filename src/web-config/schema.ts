import * as z from 'zod';
import { duration } from '../config/kinds.ts';
import { quoted } from '../config/parse.ts';
import { refuse, section, text, wholeNumber } from '../config/validate.ts';
import { suggestion } from '../text/suggestion.ts';

/** The suites of TLS 1.3 cannot be configured in this format: they are all offered, whether a list names them or not. */
const suitesOfTls13 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** OpenSSL's names of every suite that a configuration may name: with TLS 1.2, those with forward secrecy; by Go's names. */
const suites: ReadonlyMap<string, string> = new Map([
  ...suitesOfTls13.map((name) => [name, name] as const),
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', 'ECDHE-ECDSA-AES256-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA'],
]);

/** A list of OpenSSL's names in its notation, by default the suites with authenticated encryption. */
function suiteList(chosen: readonly string[]): string {
  const standard = [...suites].filter(([name]) => !name.includes('_CBC_')).map(([, name]) => name);
  return [...new Set([...suitesOfTls13, ...(chosen.length === 0 ? standard : chosen)])].join(':');
}

/** OpenSSL's names of the curves, by Go's. */
const curves: ReadonlyMap<string, string> = new Map([
  ['X25519', 'X25519'],
  ['CurveP256', 'P-256'],
  ['CurveP384', 'P-384'],
  ['CurveP521', 'P-521'],
]);

/** The versions of TLS in Node.js' notation. */
const versions = new Map([
  ['TLS12', 'TLSv1.2'],
  ['TLS13', 'TLSv1.3'],
] as const);

/** What each policy for client certificates does, by its name in Go's TLS. */
export const policies = {
  NoClientCert: { asks: false, requires: false, verifies: false },
  RequestClientCert: { asks: true, requires: false, verifies: false },
  RequireAnyClientCert: { asks: true, requires: true, verifies: false },
  VerifyClientCertIfGiven: { asks: true, requires: false, verifies: true },
  RequireAndVerifyClientCert: { asks: true, requires: true, verifies: true },
} as const;

/** Headers that a configuration may set, with their allowed values if these are limited. */
const headers: ReadonlyMap<string, readonly string[]> = new Map([
  ['Content-Security-Policy', []],
  ['X-Frame-Options', ['deny', 'sameorigin']],
  ['X-Content-Type-Options', ['nosniff']],
  ['X-XSS-Protection', []],
  ['Strict-Transport-Security', []],
]);

const HASH = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
const MIN_COST = 4;
/** The range of bcrypt. */
const MAX_COST = 31;
const MAX_USERS = 1_000;
const MAX_BURST = 1_000_000;

/** What one of the known names stands for; some names have alternative spellings. */
function oneOf<Value>(known: ReadonlyMap<string, Value>, spellings: Readonly<Record<string, string>> = {}) {
  const names = [...known.keys()];
  const parsed = text().transform((value, context) => {
    const found = known.get(spellings[value] ?? value);
    if (found !== undefined) return found;
    const hint = suggestion(value, names) ?? `one of ${names.join(', ')}`;
    return refuse(context, `${quoted(value)} is not known`, hint);
  });
  return parsed.meta({ enum: [...names, ...Object.keys(spellings)] });
}

type ClientAuth = keyof typeof policies;
// A legacy name is accepted too.
const clientAuthType = oneOf(new Map(Object.keys(policies).map((name) => [name, name as ClientAuth])), {
  RequireClientCert: 'RequireAnyClientCert',
});

const version = text()
  .superRefine((value, context) => {
    if (value !== 'TLS10' && value !== 'TLS11') return;
    refuse(context, `${value} is obsolete and not offered`, 'TLS12 and TLS13 are');
  })
  .pipe(oneOf(versions))
  .meta({ enum: [...versions.keys()] });

/** For a JSON Schema: a text is given inline or by its file, not both. */
function eitherWay(name: string) {
  return { oneOf: [{ required: [name] }, { required: [`${name}_file`] }] };
}

const tls = z
  .strictObject({
    cert_file: text().nullish(),
    key_file: text().nullish(),
    cert: text().nullish(),
    key: text().nullish(),
    client_auth_type: clientAuthType.nullish(),
    client_ca_file: text().nullish(),
    client_ca: text().nullish(),
    client_allowed_sans: z.array(text()).nullish(),
    min_version: version.nullish(),
    max_version: version.nullish(),
    cipher_suites: z.array(oneOf(suites)).nullish(),
    curve_preferences: z.array(oneOf(curves)).nullish(),
    prefer_server_cipher_suites: z.boolean().nullish(),
  })
  .meta({ anyOf: [{ additionalProperties: { type: 'null' } }, { allOf: ['cert', 'key'].map(eitherWay) }] })
  .transform((entry, context) => {
    if (Object.values(entry).every((value) => value === null)) return undefined;
    for (const name of ['cert', 'key', 'client_ca'] as const) {
      if (entry[name] == null || entry[`${name}_file`] == null) continue;
      refuse(context, `excludes ${name}, which is given too`, undefined, [`${name}_file`]);
    }
    const clientAuth = entry.client_auth_type ?? 'NoClientCert';
    const hint = 'add client_auth_type: RequireAndVerifyClientCert';
    const path = ['client_allowed_sans'];
    if (entry.client_allowed_sans != null && !policies[clientAuth].requires) {
      refuse(context, 'requires that every client presents a certificate', hint, path);
    } else if (entry.client_allowed_sans?.length === 0) {
      refuse(context, 'is empty, so that no client could connect', undefined, path);
    }
    const { min_version: lowest, max_version: highest } = entry;
    if (lowest != null && lowest > (highest ?? 'TLSv1.3')) {
      refuse(context, 'is later than max_version', undefined, ['min_version']);
    }
    return {
      pem: entry,
      settings: {
        clientAuth,
        /** The names of which a client certificate must contain one, if given. */
        allowedNames: entry.client_allowed_sans ?? undefined,
        minVersion: lowest ?? 'TLSv1.2',
        maxVersion: highest ?? 'TLSv1.3',
        /** Suites and curves in OpenSSL's notation. */
        ciphers: suiteList(entry.cipher_suites ?? []),
        curves: entry.curve_preferences?.join(':') || undefined,
        /** Whether the server determines the order of suites. */
        serverOrder: entry.prefer_server_cipher_suites ?? true,
      },
    };
  });

const http = z.strictObject({
  // HTTP/2 is not supported; it is only negotiated, and clients of both kinds work without.
  http2: z.boolean().nullish(),
  headers: section(
    z.strictObject(Object.fromEntries([...headers].map(([name, allowed]) => [name, header(allowed)]))),
  ).optional(),
});

/** A header's value; the header is not set if it is empty. */
function header(allowed: readonly string[]) {
  const filled = text()
    .superRefine((value, context) => {
      if (allowed.length === 0 || allowed.includes(value)) return;
      refuse(context, `${quoted(value)} is not ${allowed.join(' or ')}`, suggestion(value, allowed));
    })
    .refine((value) => HEADER_VALUE.test(value), {
      error: 'contains characters that are not allowed in a header',
    });
  return z
    .preprocess(
      (value) =>
        value === '' || value === null ? undefined : typeof value === 'number' ? `${value}` : value,
      filled.optional(),
    )
    .optional()
    .meta(allowed.length > 0 ? { enum: [...allowed, '', null] } : { pattern: HEADER_VALUE.source });
}

const userName = z
  .string()
  .min(1, { error: 'is a user without a name' })
  // Basic authentication treats everything before the first colon as the name.
  .refine((name) => !name.includes(':'), {
    error: 'is a user name with a colon, which basic authentication cannot send',
  });

/** No message repeats a hash. */
const hash = z.unknown().transform((value, context) => {
  const text = typeof value === 'string' ? value : '';
  const cost = costOf(text);
  if (cost === undefined) {
    return refuse(context, 'is not a bcrypt hash', 'create one with: htpasswd -nBC 10 "" | tr -d \':\\n\'');
  }
  if (cost < MIN_COST) return refuse(context, `has cost ${cost}, below the minimum of ${MIN_COST}`);
  if (cost > MAX_COST) return refuse(context, `has cost ${cost}, above the maximum of ${MAX_COST}`);
  return text;
});

/** The cost of a bcrypt hash, undefined if the text is not one. */
export function costOf(text: string): number | undefined {
  const cost = HASH.exec(text)?.[1];
  return cost === undefined ? undefined : Number(cost);
}

/** For a JSON Schema. */
const usersMeta = {
  type: ['object', 'null'],
  propertyNames: { pattern: '^[^:]+$' },
  additionalProperties: {
    type: 'string',
    pattern: '^\\$2[aby]\\$(0[4-9]|[12][0-9]|3[01])\\$[./A-Za-z0-9]{53}$',
  },
};

/** A map, because a user name may be that of an object's built-in member. */
const users = z
  .preprocess(
    (value) => {
      const entries = value ?? {};
      return typeof entries === 'object' && !Array.isArray(entries)
        ? new Map(Object.entries(entries))
        : value;
    },
    z
      .map(userName, hash, { error: 'must be a mapping of user names to bcrypt hashes' })
      .max(MAX_USERS, { error: `has more than ${MAX_USERS} users` }),
  )
  .meta(usersMeta);

const rateLimit = z
  .strictObject({ interval: duration().nullish(), burst: wholeNumber(0, MAX_BURST).nullish() })
  .meta({ dependencies: { burst: ['interval'] } })
  .transform(({ interval, burst }, context) => {
    if (interval == null && burst !== undefined) return refuse(context, 'has a burst, but no interval');
    if (interval == null || interval === 0) return undefined;
    if (burst == null) return refuse(context, 'has no burst: no request would pass');
    // Milliseconds from one request to the next, and the maximum number of requests at once.
    return { intervalMs: interval, burst };
  });

/** A web configuration file; the files that it names are validated when they are read. */
export const webConfigSchema = section(
  z.strictObject({
    tls_server_config: section(tls).optional(),
    http_server_config: section(http).optional(),
    basic_auth_users: users.optional(),
    rate_limit: section(rateLimit).optional(),
  }),
);

/** The section `tls_server_config` of a valid file, if it is not empty. */
export type TlsSection = NonNullable<z.output<typeof tls>>;

/** The TLS settings of the server; certificates and keys are PEM texts. */
export type TlsSettings = TlsSection['settings'] & {
  readonly certificate: string;
  readonly key: string;
  /** End of the certificate's validity, in milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The trusted CAs of client certificates; the system's if a policy verifies and none are given. */
  readonly clientCa: string | undefined;
};
