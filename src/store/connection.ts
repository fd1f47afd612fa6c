import type { ClientConfig } from 'pg';
import { type DatabaseAccess, type DatabaseTls, parseDatabaseUrl } from '../net/database-url.ts';

/**
 * How the driver connects to the database of a URL. Every setting for which the driver would otherwise look up a
 * variable of libpq or `~/.pgpass` is given. Throws a `ConfigError`.
 */
export function connectionOf(access: DatabaseAccess): ClientConfig {
  const { host, port, user, password, database, applicationName, tls } = parseDatabaseUrl(access.url);
  const secure = tls || undefined;
  return {
    host,
    port,
    user,
    // The driver asks a function, and nobody else, though it returns nothing.
    password: password ?? (() => ''),
    database,
    application_name: applicationName,
    ssl: secure === undefined ? false : secureOptions(secure, access),
    sslnegotiation: secure?.isDirect === true ? 'direct' : 'postgres',
  };
}

function secureOptions(
  { verify }: DatabaseTls,
  { rootCert, cert, key }: DatabaseAccess,
): ClientConfig['ssl'] {
  return {
    rejectUnauthorized: verify !== 'nothing',
    ...(verify === 'authority' ? { checkServerIdentity: () => undefined } : {}),
    ...(rootCert === undefined ? {} : { ca: rootCert }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}
