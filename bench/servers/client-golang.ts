import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { go } from '../../scripts/cluster/go.ts';
import type { Listener } from '../child.ts';
import { endProgram } from '../programs.ts';
import { projectedFamilies } from '../workload/projected.ts';

/** The exporter on client_golang, or why there is none. */
export type ClientGolang = { readonly program: string } | { readonly missing: string };

/** Builds it into this directory, from modules that Go downloads. */
export function buildClientGolang(directory: string): ClientGolang {
  const program = path.join(directory, 'client-golang');
  const source = path.join(import.meta.dirname, 'client-golang');
  try {
    go(['version'], source);
  } catch {
    return { missing: 'Go is not installed' };
  }
  try {
    go(['build', '-trimpath', '-o', program, '.'], source, { GOFLAGS: '-mod=readonly' });
    return { program };
  } catch {
    return { missing: 'its modules cannot be built' };
  }
}

/** Starts it with the series that the exporter publishes for a workload. */
export async function startClientGolang(
  program: string,
  series: number,
): Promise<Listener & { stop(): Promise<void> }> {
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-'));
  try {
    const file = path.join(directory, 'families.jsonl');
    await pipeline(familyLines(series), createWriteStream(file));
    const child = spawn(program, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [port] = await Promise.race([once(createInterface(child.stdout), 'line'), ended(child)]);
    return { port: Number(port), pid: child.pid ?? 0, stop: () => endProgram(child) };
  } finally {
    rmSync(directory, { recursive: true });
  }

  async function ended(child: ReturnType<typeof spawn>): Promise<never> {
    await once(child, 'exit');
    throw new Error('the exporter on client_golang ended');
  }
}

async function* familyLines(series: number): AsyncGenerator<string> {
  for await (const { family, samples } of projectedFamilies(series)) {
    const { name, help } = family;
    const labels = ['org', ...family.labels];
    const written = [];
    for (const sample of samples) {
      const own: Readonly<Record<string, string>> = { org: 'acme', ...sample.labels };
      written.push({
        labels: Object.fromEntries(labels.map((label) => [label, own[label] ?? ''])),
        value: sample.value,
      });
    }
    yield `${JSON.stringify({ name, help, labels, samples: written })}\n`;
  }
}
