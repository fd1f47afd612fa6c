import { join } from 'node:path';
import { REPOSITORY } from './image.ts';
import type { Programs } from './programs.ts';

/** Builds the single executable of this machine and returns its path; rejects with the output of the build. */
export async function buildExecutable(programs: Programs): Promise<string> {
  const file = join(programs.folder(), 'agent-platform-exporter');
  const build = join(REPOSITORY, 'scripts/bundle/build.ts');
  const { code, stdout, stderr } = await programs.run(process.execPath, [build, `--output=${file}`]);
  if (code !== 0) throw new Error(`${stdout}${stderr}`);
  return file;
}
