// Nothing is imported: the hook command counts milliseconds. In the single executable another module takes the place of
// this one (scripts/bundle/installation.ts), since it has no files beside it.
const { readFileSync } = process.getBuiltinModule('node:fs');
const { fileURLToPath } = process.getBuiltinModule('node:url');

const root = new URL('../../', import.meta.url);

/** This program's version, `unknown` where its package.json has none. */
export function packageVersion(): string {
  const text = readFileSync(new URL('package.json', root), 'utf8');
  return /"version": "([^"]*)"/.exec(text)?.[1] ?? 'unknown';
}

/** Path of the sound that is played where the settings name none. */
export function soundFile(): string {
  return fileURLToPath(new URL('assets/notification.wav', root));
}

/** The file that starts this program, and the words that run it where PATH does not lead there. */
export function ownProgram(): { readonly file: string; readonly words: readonly string[] } {
  const file = fileURLToPath(new URL('bin/agent-platform-exporter.js', root));
  return { file, words: [process.execPath, file] };
}
