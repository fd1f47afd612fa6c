import { readFileSync } from 'node:fs';
import { codeOf } from './code-of.ts';

/** The usual certificates and those of a file (PEM); throws an error that names the file where it cannot be read. */
export function certificatesWith(file: string): string[] {
  let own: string;
  try {
    own = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`the file of certificates ${file} cannot be read (${codeOf(error)})`);
  }
  return [...process.getBuiltinModule('node:tls').getCACertificates('default'), own];
}
