import { readFileSync } from 'node:fs';
import type { ClientConfig } from 'pg';
import { type DatabaseTls, parseDatabaseUrl } from '../runtime/database-url.ts';

/**
 * How the driver connects to the database of a URL. Every setting for which the driver would otherwise look up a
 * variable of libpq or `~/.pgpass` is given. Throws a `ConfigError`, or the system's error for a file of the URL.
 */
export function connectionOf(text: string): ClientConfig {
  const { host, port, user, password, database, applicationName, tls } = parseDatabaseUrl(text);
  const secure = tls || undefined;
  return {
    host,
    port,
    user,
    // The driver asks a function, and nobody else, though it returns nothing.
    password: password ?? (() => ''),
    database,
    application_name: applicationName,
    ssl: secure === undefined ? false : secureOptions(secure),
    sslnegotiation: secure?.isDirect === true ? 'direct' : 'postgres',
  };
}

function secureOptions({ verify, rootCert, cert, key }: DatabaseTls): ClientConfig['ssl'] {
  return {
    rejectUnauthorized: verify !== 'nothing',
    ...(verify === 'authority' ? { checkServerIdentity: () => undefined } : {}),
    ...(rootCert === undefined ? {} : { ca: readFileSync(rootCert) }),
    ...(cert === undefined || key === undefined ? {} : { cert: readFileSync(cert), key: readFileSync(key) }),
  };
}
