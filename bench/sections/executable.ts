import { globSync, lstatSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Built, ROOT } from '../build.ts';
import { median } from '../report/statistics.ts';
import { type Started, serveCommand, timeStart } from './starting.ts';

/** One form of the program: its size in bytes, median start-up, and memory in bytes right after the first scrape. */
interface Form {
  readonly bytes: number;
  readonly ms: number;
  readonly resident: number;
}

export interface ExecutableResult {
  readonly executable: Form;
  /** Node.js with the built program and its packages. */
  readonly built: Form;
}

/** Starts the single executable and the built program in turn, the given number of times each, after one warm-up. */
export async function measureExecutable(
  { program }: Built,
  executable: string,
  times: number,
): Promise<ExecutableResult> {
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-'));
  const single = serveCommand([executable]);
  const installed = serveCommand([process.execPath, program]);
  const starts: { readonly single: Started[]; readonly installed: Started[] } = { single: [], installed: [] };
  try {
    await timeStart(directory, single);
    await timeStart(directory, installed);
    for (let nth = 0; nth < times; nth++) {
      starts.single.push(await timeStart(directory, single));
      starts.installed.push(await timeStart(directory, installed));
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
  const release = path.dirname(path.dirname(program));
  const builtBytes = bytesOf(process.execPath) + bytesBelow(release) + bytesOfPackages();
  return { executable: form(bytesOf(executable), starts.single), built: form(builtBytes, starts.installed) };
}

function form(bytes: number, starts: readonly Started[]): Form {
  return { bytes, ms: median(starts.map(({ ms }) => ms)), resident: median(starts.map(residentOf)) };
}

function residentOf({ page }: Started): number {
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(page)?.[1]);
}

function bytesOf(file: string): number {
  return lstatSync(file).size;
}

function bytesBelow(folder: string): number {
  const files = globSync('**', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + bytesOf(path.join(parentPath, name)), 0);
}

/** The packages installed with the program. */
function bytesOfPackages(): number {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  const needed = Object.entries(packages).filter(([folder, { dev }]) => folder !== '' && dev !== true);
  // A package nested in another one is counted with that one.
  const outer = needed.filter(([folder]) => folder.lastIndexOf('node_modules/') === 0);
  return outer.reduce((sum, [folder]) => sum + bytesBelow(path.join(ROOT, folder)), 0);
}
