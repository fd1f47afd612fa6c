import type { TLSSocket } from 'node:tls';
import { policies } from './names.ts';
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
export function admits({ clientAuth, allowedNames }: TlsSettings, shown: ShownCertificate): boolean {
  const { requires, verifies } = policies[clientAuth];
  if (!shown.present) return !requires;
  if (verifies && !shown.verified) return false;
  return allowedNames === undefined || hasAllowedName(shown.alternativeNames, allowedNames);
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
