import { createPrivateKey } from 'node:crypto';
import { issue } from './certificate.ts';

/** The files used by the cases, by name: a server's certificate, an authority, and various invalid ones. */
export function caseFiles(): Readonly<Record<string, string>> {
  const authority = issue({ name: 'an authority', isAuthority: true });
  const another = issue({ name: 'another authority', isAuthority: true });
  const server = issue({ name: 'server', issuer: authority, dns: ['localhost'] });
  const encrypted = createPrivateKey(server.key).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'planted-secret',
  });
  return {
    'ca.crt': authority.certificate,
    'bundle.crt': `Some words\n${another.certificate}\n${authority.certificate}`,
    'server.crt': server.certificate,
    'chain.crt': server.certificate + authority.certificate,
    'server.key': server.key,
    'other.key': another.key,
    'encrypted.key': String(encrypted),
    'damaged.crt': server.certificate.replace(/\n.{13}/, '\nplantedsecret'),
    'damaged.key': server.key.replace(/\n.{30}/, `\n${'A'.repeat(30)}`),
  };
}

/** A case's text, with the names of its files replaced. */
export function withFiles(text: string, files: Readonly<Record<string, string>>): string {
  return text.replace(/"@([\w.]+)@"/g, (_, name: string) => JSON.stringify(files[name] ?? ''));
}
