// Replaces src/files/installation.ts in the single executable, which has no files next to it.
const { mkdtempSync, rmSync, writeFileSync } = process.getBuiltinModule('node:fs');
const { tmpdir } = process.getBuiltinModule('node:os');
const { join } = process.getBuiltinModule('node:path');

/** Inserted by the bundler. */
declare const BUNDLED_VERSION: string;

export function packageVersion(): string {
  return BUNDLED_VERSION;
}

/** A temporary copy of the sound for this process, because players need a file. */
export function soundFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-platform-exporter-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'notification.wav');
  writeFileSync(file, Buffer.from(process.getBuiltinModule('node:sea').getAsset('notification.wav')));
  return file;
}

export function ownProgram(): { readonly file: string; readonly words: readonly string[] } {
  return { file: process.execPath, words: [process.execPath] };
}
