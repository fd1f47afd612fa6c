import { constants } from 'node:crypto';
import { getCACertificates, type SecureContextOptions } from 'node:tls';
import { type TlsSettings, verifiesClients } from './settings.ts';

/** TLS settings in Node's words. */
export function contextOptions(tls: TlsSettings): SecureContextOptions {
  return {
    cert: tls.certificate,
    key: tls.key,
    ...authoritiesOf(tls),
    minVersion: tls.minVersion,
    maxVersion: tls.maxVersion,
    ciphers: tls.ciphers,
    ...(tls.curves === undefined ? {} : { ecdhCurve: tls.curves }),
    honorCipherOrder: tls.serverOrder,
    // A resumed session would bring along a client certificate that was judged by settings of the past.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}

function authoritiesOf({ clientAuth, clientCa }: TlsSettings): Pick<SecureContextOptions, 'ca'> {
  if (clientCa !== undefined) return { ca: clientCa };
  if (!verifiesClients(clientAuth)) return {};
  // Systems list them twice, and clients refuse a handshake that names too many.
  const ofSystem = [...new Set(getCACertificates('system'))];
  // Where the system has none, those that come with Node count.
  return ofSystem.length === 0 ? {} : { ca: ofSystem };
}
