import { readYaml } from '../config/followed.ts';
import { nearestNode, originOf } from '../config/validate.ts';
import type { Files } from '../files/reader.ts';
import { redactHashesAndKeys } from '../log/redact.ts';
import { ConfigError } from '../text/errors.ts';
import { costOf, policies, webConfigSchema } from './schema.ts';
import { readTls } from './tls-section.ts';

/** A parsed web configuration file. */
export type WebSettings = Awaited<ReturnType<typeof read>>;

/** Each further step doubles the time of a check: 14 already takes most of a second. */
const MAX_CHEAP_COST = 14;

/** Reads a web configuration file and the files that it names; rejects with a `ConfigError`. */
export async function loadWebSettings(file: string, files: Files): Promise<WebSettings> {
  try {
    return await read(file, files);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(redactHashesAndKeys(error.message), error.hint);
  }
}

async function read(file: string, files: Files) {
  const { value: content, root } = await readYaml(webConfigSchema, {
    file,
    origin: '--web.config.file',
    files,
  });
  const users: ReadonlyMap<string, string> = content.basic_auth_users ?? new Map();
  const { http_server_config: http, rate_limit: rateLimit, tls_server_config: section } = content;

  const warnings: string[] = [];
  function warn(path: readonly string[], warning: string): void {
    warnings.push(`${originOf(nearestNode(root, path))}: ${warning}`);
  }
  for (const [name, hash] of users) {
    const cost = costOf(hash) ?? 0;
    if (cost <= MAX_CHEAP_COST) continue;
    warn(
      ['basic_auth_users', name],
      `has cost ${cost}, at which a check takes seconds or longer; 10 is usual`,
    );
  }
  if (rateLimit?.burst === 0) warn(['rate_limit', 'burst'], 'is 0: no request passes');
  const tls = section && (await readTls(section, nearestNode(root, ['tls_server_config']), files));
  if (tls !== undefined && tls.clientCa === undefined && policies[tls.clientAuth].verifies) {
    warn(
      ['tls_server_config'],
      `has client_auth_type ${tls.clientAuth} without client_ca_file: certificates of any public CA are accepted`,
    );
  }

  return {
    /** Names and values of headers of every answer. */
    headers: new Map(
      Object.entries(http?.headers ?? {}).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
    /** Bcrypt hashes by user name; if empty, no password is required. */
    users,
    /** A token bucket for all requests. */
    rateLimit,
    /** Undefined for plain HTTP. */
    tls,
    /** Valid but probably unintended settings, one line each with file, line and key. */
    warnings,
  };
}

/** Describes the settings, one line each. */
export function describeWebSettings(settings: WebSettings, openHealth: boolean): readonly string[] {
  const { tls, users, headers, rateLimit } = settings;
  const lines: string[] = [];
  if (tls === undefined) lines.push('plain HTTP');
  else {
    const until = new Date(tls.expiresAt).toISOString().slice(0, 10);
    lines.push(`TLS from ${tls.minVersion} to ${tls.maxVersion}, certificate valid until ${until}`);
    const names = tls.allowedNames === undefined ? '' : `, named ${tls.allowedNames.join(' or ')}`;
    lines.push(`client certificates: ${tls.clientAuth}${names}`);
  }
  lines.push(
    users.size === 0 ? 'no password' : `basic authentication, users: ${[...users.keys()].join(', ')}`,
  );
  if (tls === undefined && users.size > 0) lines.push('(passwords cross the network in clear text)');
  if (headers.size > 0) lines.push(`headers: ${[...headers.keys()].join(', ')}`);
  if (rateLimit !== undefined) {
    lines.push(`rate limit: one request per ${rateLimit.intervalMs} ms, burst ${rateLimit.burst}`);
  }
  if (openHealth) lines.push('/-/healthy and /-/ready require no authentication');
  lines.push(...settings.warnings.map((warning) => `warning: ${warning}`));
  return lines;
}
