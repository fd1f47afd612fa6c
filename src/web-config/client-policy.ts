import type { TLSSocket } from 'node:tls';
import type { TlsSettings } from './settings.ts';
import { hasAllowedName } from './subject-names.ts';

/** What is known of a client's certificate after the handshake. */
export interface ShownCertificate {
  readonly present: boolean;
  /** Whether a chain of valid signatures leads to one of the authorities. */
  readonly verified: boolean;
  /** Its alternative names, in the notation of `X509Certificate.subjectAltName`. */
  readonly alternativeNames: string | undefined;
}

/** Whether a client may go on after the handshake. */
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

/** Whether the handshake asks for a certificate at all. */
export function asksForCertificate({ clientAuth }: TlsSettings): boolean {
  return clientAuth !== 'NoClientCert';
}

/** The certificate that a client has shown in a handshake that is over. */
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
