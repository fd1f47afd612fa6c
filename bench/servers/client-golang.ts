import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { go } from '../../scripts/cluster/go.ts';
import { endProgram } from '../programs.ts';

/** Builds the exporter on client_golang into a folder; undefined without Go or its modules. */
export function buildClientGolang(folder: string): string | undefined {
  const program = path.join(folder, 'client-golang');
  const source = path.join(import.meta.dirname, 'client-golang');
  try {
    go(['build', '-trimpath', '-o', program, '.'], source, { GOFLAGS: '-mod=readonly' });
    return program;
  } catch {
    console.error('client_golang is not measured: Go or its modules are missing');
    return undefined;
  }
}

/** Starts it with the families of a file. */
export async function startClientGolang(program: string, families: string) {
  const child = spawn(program, [families], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit').then(() => {
    throw new Error('the exporter on client_golang ended');
  });
  const [port] = await Promise.race([once(createInterface(child.stdout), 'line'), gone]);
  gone.catch(() => undefined);
  return { port: Number(port), pid: child.pid ?? 0, stop: () => endProgram(child) };
}
