import type { Environment } from '../config/process-environment.ts';
import { codeOf } from './code-of.ts';
import type { Secret } from './settings/settings.ts';

// Not imported: importing all members of such a module takes longer than the use of a few.
const { readFileSync } = process.getBuiltinModule('node:fs');

/** Reads a secret; throws an error that names its place and never its value. */
export type ReadSecret = (secret: Secret) => string;

/** Secrets from files and from an environment; `remember` is told each one, so that the log can mask it. */
export function createSecrets(environment: Environment, remember: (secret: string) => void): ReadSecret {
  return (secret) => {
    const source = 'file' in secret ? secret.file : secret.variable;
    const text = ('file' in secret ? textOf(secret.file) : (environment[secret.variable] ?? '')).trim();
    if (text === '') throw new Error(`${source} ${'file' in secret ? 'is empty' : 'is not set'}`);
    // Anything else cannot be sent in a header.
    if (!/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(text)) {
      throw new Error(
        `${source} holds characters that no secret has: line ends, tabs or letters beyond ASCII`,
      );
    }
    remember(text);
    return text;
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    throw new Error(`${file} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}`);
  }
}
