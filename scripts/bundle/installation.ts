// Takes the place of src/runtime/installation.ts in the single executable, which has no files beside it.
const { mkdtempSync, rmSync, writeFileSync } = process.getBuiltinModule('node:fs');
const { tmpdir } = process.getBuiltinModule('node:os');
const { join } = process.getBuiltinModule('node:path');

/** Put in by the bundler. */
declare const BUNDLED_VERSION: string;

export function packageVersion(): string {
  return BUNDLED_VERSION;
}

/** A copy of the sound for the time of this process: players take files. */
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
