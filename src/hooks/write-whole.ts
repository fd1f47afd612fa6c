// Not imported: importing all members of such a module takes longer than the use of a few.
const { renameSync, rmSync, writeFileSync } = process.getBuiltinModule('node:fs');

/**
 * Writes a file so that others see all of it or nothing, also when this process is killed on the way. By default only
 * the owner may read it. Throws the system's error.
 */
export function writeWhole(file: string, content: string, mode = 0o600): void {
  const unfinished = `${file}.${process.pid}.new`;
  try {
    writeFileSync(unfinished, content, { mode });
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
