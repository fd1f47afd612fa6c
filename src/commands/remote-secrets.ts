import { createHash } from 'node:crypto';
import { type GivenHeader, headerValueIn, parseHeaders } from '../backfill/remote/headers.ts';
import type { backfillOptions } from '../config/command-options.ts';
import { type Credential, createFileCredential, secretIn } from '../config/credential.ts';
import type { Files } from '../config/files.ts';
import type { ValuesOf } from '../config/option.ts';
import { ConfigError } from '../runtime/errors.ts';
import { unreadable } from '../runtime/text-file.ts';

type BackfillValues = ValuesOf<typeof backfillOptions>;

/** The credentials and CA of a remote target. */
export interface RemoteSecrets {
  readonly token: Credential | undefined;
  readonly password: Credential | undefined;
  readonly headers: readonly GivenHeader[];
  /** Headers whose values are in files. */
  readonly secretHeaders: readonly (readonly [name: string, value: Credential])[];
  readonly ca: string | undefined;
  /** The secrets of all of these. */
  readonly all: readonly Credential[];
}

/** Reads the files that the remote-write options name; throws a `ConfigError` if one is unusable. */
export async function readRemoteSecrets(
  values: BackfillValues,
  files: Files,
): Promise<RemoteSecrets | undefined> {
  const { output, 'remote-write.url': url, 'remote-write.username': username } = values;
  if ((output === undefined) === (url === undefined)) {
    throw new ConfigError(
      output === undefined ? 'no destination' : '--output and --remote-write.url are both given',
      'give one of them: --output for OpenMetrics files, --remote-write.url for remote write',
    );
  }
  const tokenFile = values['remote-write.bearer-token-file'];
  const passwordFile = values['remote-write.password-file'];
  if (tokenFile !== undefined && username !== undefined) {
    throw new ConfigError('--remote-write.bearer-token-file and --remote-write.username are both given');
  }
  if ((username === undefined) !== (passwordFile === undefined)) {
    throw new ConfigError('--remote-write.username and --remote-write.password-file must be given together');
  }
  const { fixed, inFiles } = headersOf(values);
  if (url === undefined) return undefined;
  const token = tokenFile === undefined ? undefined : await createFileCredential(tokenFile, tokenFile, files);
  const password =
    passwordFile === undefined
      ? undefined
      : await createFileCredential(passwordFile, passwordFile, files, secretIn);
  const secretHeaders = await Promise.all(
    inFiles.map(async ([name, file]) => {
      return [name, await createFileCredential(file, file, files, headerValueIn)] as const;
    }),
  );
  return {
    token,
    password,
    headers: fixed,
    secretHeaders,
    ca: await readAuthorities(values['remote-write.tls-ca-file'], files),
    all: [token, password, ...secretHeaders.map(([, value]) => value)].filter((one) => one !== undefined),
  };
}

/** The headers of every request: with their values, and with the files that contain them. */
function headersOf(values: BackfillValues) {
  const fixed = parseHeaders('--remote-write.header', values['remote-write.header']);
  for (const [name, value] of fixed) headerValueIn(value, `--remote-write.header: the value of ${name}`);
  const inFiles = parseHeaders('--remote-write.header-file', values['remote-write.header-file'], fixed);
  return { fixed, inFiles };
}

/**
 * What distinguishes the tenants of one address, as the end of a key in the state file: user, headers and the files of
 * secrets. Only a digest, because a value could be secret.
 */
export function tenantOf(values: BackfillValues): string {
  const { fixed, inFiles } = headersOf(values);
  const user = values['remote-write.username'];
  const tokenFile = values['remote-write.bearer-token-file'];
  if (user === undefined && tokenFile === undefined && fixed.length + inFiles.length === 0) return '';
  const identity = JSON.stringify([user, tokenFile, fixed.toSorted(), inFiles.toSorted()]);
  return ` ${createHash('sha256').update(identity).digest('hex').slice(0, 16)}`;
}

/** The headers with the credentials of a request, as their files contain them now. */
export async function requestHeaders(
  values: BackfillValues,
  secrets: RemoteSecrets | undefined,
): Promise<Readonly<Record<string, string>>> {
  const authorization = await authorizationOf(values, secrets);
  const secret = (secrets?.secretHeaders ?? []).map(async ([name, value]) => [name, await value.read()]);
  return {
    ...Object.fromEntries([...(secrets?.headers ?? []), ...(await Promise.all(secret))]),
    ...(authorization === undefined ? {} : { Authorization: authorization }),
  };
}

async function authorizationOf(
  values: BackfillValues,
  secrets: RemoteSecrets | undefined,
): Promise<string | undefined> {
  if (secrets?.token !== undefined) return `Bearer ${await secrets.token.read()}`;
  if (secrets?.password === undefined) return undefined;
  const pair = `${values['remote-write.username'] ?? ''}:${await secrets.password.read()}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

async function readAuthorities(path: string | undefined, files: Files): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const text = await files.read(path).catch((error: unknown) => {
    throw new ConfigError(`--remote-write.tls-ca-file: ${path} ${unreadable(error)}`);
  });
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new ConfigError(`--remote-write.tls-ca-file: ${path} contains no certificate in PEM format`);
  }
  return text;
}
