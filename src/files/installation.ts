// In the single executable, scripts/bundle/installation.ts replaces this module, because there are no files beside it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

/** This program's version, `unknown` if its package.json has none. */
export function packageVersion(): string {
  const text = readFileSync(new URL('package.json', root), 'utf8');
  return /"version": "([^"]*)"/.exec(text)?.[1] ?? 'unknown';
}

/** Path of the default sound. */
export function soundFile(): string {
  return fileURLToPath(new URL('assets/notification.wav', root));
}

/** The file that starts this program, and the words that run it if PATH does not lead to it. */
export function ownProgram(): { readonly file: string; readonly words: readonly string[] } {
  const file = fileURLToPath(new URL('bin/agent-platform-exporter.js', root));
  return { file, words: [process.execPath, file] };
}
