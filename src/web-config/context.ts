import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import type { TlsSettings } from './settings.ts';

/** TLS settings in Node's words. */
export function contextOptions(tls: TlsSettings): SecureContextOptions {
  return {
    cert: tls.certificate,
    key: tls.key,
    ...(tls.clientCa === undefined ? {} : { ca: tls.clientCa }),
    minVersion: tls.minVersion,
    maxVersion: tls.maxVersion,
    ciphers: tls.ciphers,
    ...(tls.curves === undefined ? {} : { ecdhCurve: tls.curves }),
    honorCipherOrder: tls.serverOrder,
    // A resumed session would bring along a client certificate that was judged by settings of the past.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}
