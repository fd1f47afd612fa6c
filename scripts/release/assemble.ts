// Completes the artefacts of a release in a directory: the npm package, the chart, the bill of materials and, last, the
// checksums of all files: `node scripts/release/assemble.ts --output=FOLDER`. Requires npm and Helm; publishes nothing.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checksumLines } from './plan.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({ options: { output: { type: 'string', default: join(root, 'release') } } });
const output = resolve(values.output);
mkdirSync(output, { recursive: true });
const run = (command: string, args: readonly string[]) =>
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });

run('npm', ['pack', '--pack-destination', output]);
run('helm', ['package', 'helm', '--destination', output]);
run(process.execPath, ['scripts/sbom.ts', join(output, 'sbom.cdx.json')]);

rmSync(join(output, 'SHA256SUMS'), { force: true });
const files = readdirSync(output).filter((file) => file !== 'notes.md');
const sums = files.map((file) => [file, sha256(join(output, file))] as const);
writeFileSync(join(output, 'SHA256SUMS'), checksumLines(new Map(sums)));
console.log(files.toSorted().join('\n'));

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
