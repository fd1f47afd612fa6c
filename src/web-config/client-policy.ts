import type { TLSSocket } from 'node:tls';
import type { TlsSettings } from './settings.ts';
import { hasAllowedName } from './subject-names.ts';

/** A client's certificate after the handshake. */
interface ShownCertificate {
  readonly present: boolean;
  /** Whether a chain of valid signatures leads to one of the CAs. */
  readonly verified: boolean;
  /** Its alternative names, in the notation of `X509Certificate.subjectAltName`. */
  readonly alternativeNames: string | undefined;
}

/** Whether a client is admitted after the handshake. */
export function admits(tls: TlsSettings, shown: ShownCertificate): boolean {
  switch (tls.clientAuth) {
    case 'NoClientCert':
    case 'RequestClientCert':
      return true;
    case 'VerifyClientCertIfGiven':
      return !shown.present || shown.verified;
    case 'RequireAnyClientCert':
      return shown.present && isNamed(tls, shown);
    case 'RequireAndVerifyClientCert':
      return shown.present && shown.verified && isNamed(tls, shown);
  }
}

/** Whether the handshake requests a certificate. */
export function asksForCertificate({ clientAuth }: TlsSettings): boolean {
  return clientAuth !== 'NoClientCert';
}

/** The certificate that a client presented in its handshake. */
export function shownBy(socket: TLSSocket): ShownCertificate {
  const certificate = socket.getPeerX509Certificate();
  return {
    present: certificate !== undefined,
    verified: certificate !== undefined && socket.authorized,
    alternativeNames: certificate?.subjectAltName,
  };
}

function isNamed({ allowedNames }: TlsSettings, { alternativeNames }: ShownCertificate): boolean {
  return allowedNames === undefined || hasAllowedName(alternativeNames, allowedNames);
}
