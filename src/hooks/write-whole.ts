// Not imported: importing all members of such a module takes longer than the use of a few.
const { renameSync, rmSync, writeFileSync } = process.getBuiltinModule('node:fs');

/**
 * Writes a file so that others see all of it or nothing, also when this process is killed on the way. Only the owner
 * may read it. Throws the system's error.
 */
export function writeWhole(file: string, content: string): void {
  const unfinished = `${file}.${process.pid}.new`;
  try {
    writeFileSync(unfinished, content, { mode: 0o600 });
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
