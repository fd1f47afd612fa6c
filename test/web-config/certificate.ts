import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** A certificate and its key, as PEM texts. */
export interface Issued {
  readonly certificate: string;
  readonly key: string;
}

interface CertificateOptions {
  readonly name: string;
  /** The issuer; self-signed by default. */
  readonly issuer?: Issued & { readonly name: string };
  readonly isAuthority?: boolean;
  /** Alternative names by kind. */
  readonly dns?: readonly string[];
  readonly uris?: readonly string[];
  readonly ips?: readonly (readonly number[])[];
  /** Validity in days from now; negative for an expired one. */
  readonly days?: number;
}

/** Issues a certificate on a new P-256 key. */
export function issue(options: CertificateOptions): Issued & { readonly name: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer: KeyObject = options.issuer === undefined ? privateKey : createPrivateKey(options.issuer.key);
  const ends = Date.now() + (options.days ?? 30) * 86_400_000;
  const begins = Math.min(Date.now(), ends) - 86_400_000;
  const body = sequence(
    tagged(0xa0, integer([2])),
    integer([1, ...crypto.getRandomValues(new Uint8Array(8))]),
    ecdsaWithSha256,
    nameOf(options.issuer?.name ?? options.name),
    sequence(time(begins), time(ends)),
    nameOf(options.name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensionsOf(options))),
  );
  const signature = sign('sha256', body, signer);
  const der = sequence(body, ecdsaWithSha256, tagged(0x03, Buffer.from([0]), signature));
  return {
    name: options.name,
    certificate: `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/(.{64})(?=.)/g, '$1\n')}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

function extensionsOf({ isAuthority = false, dns = [], uris = [], ips = [] }: CertificateOptions): Buffer[] {
  const names = [
    ...dns.map((text) => tagged(0x82, Buffer.from(text, 'latin1'))),
    ...uris.map((text) => tagged(0x86, Buffer.from(text, 'latin1'))),
    ...ips.map((bytes) => tagged(0x87, Buffer.from(bytes))),
  ];
  const constraints = sequence(...(isAuthority ? [tagged(0x01, Buffer.from([0xff]))] : []));
  return [
    extension([0x55, 0x1d, 0x13], constraints),
    ...(names.length === 0 ? [] : [extension([0x55, 0x1d, 0x11], sequence(...names))]),
  ];
}

function extension(id: readonly number[], value: Buffer): Buffer {
  return sequence(identifier(id), tagged(0x04, value));
}

function nameOf(text: string): Buffer {
  return sequence(tagged(0x31, sequence(identifier([0x55, 0x04, 0x03]), tagged(0x0c, Buffer.from(text)))));
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '');
  return tagged(0x18, Buffer.from(digits));
}

const ecdsaWithSha256 = sequence(identifier([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));

function identifier(bytes: readonly number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes));
}

function integer(bytes: readonly number[]): Buffer {
  return tagged(0x02, Buffer.from(bytes));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
