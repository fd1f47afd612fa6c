import { readFile, writeFile } from 'node:fs/promises';
import { collectors } from '../src/collectors/index.ts';
import { renderConfigurationDocs } from '../src/config/docs.ts';

/** A file of the repository that is made from the code. */
interface GeneratedFile {
  /** Relative to the repository. */
  readonly path: string;
  content(): string;
}

const generated: readonly GeneratedFile[] = [
  { path: 'docs/CONFIGURATION.md', content: () => renderConfigurationDocs(collectors) },
];

if (process.argv.includes('--check')) {
  const stale: string[] = [];
  for (const file of generated) {
    if ((await currentText(file)) !== file.content()) stale.push(file.path);
  }
  if (stale.length > 0) {
    console.error(`not as the code has it: ${stale.join(', ')}\n  run: node scripts/generate.ts`);
    process.exitCode = 1;
  }
} else {
  for (const file of generated) await writeFile(locationOf(file), file.content());
}

function locationOf(file: GeneratedFile): URL {
  return new URL(`../${file.path}`, import.meta.url);
}

async function currentText(file: GeneratedFile): Promise<string | undefined> {
  try {
    return await readFile(locationOf(file), 'utf8');
  } catch {
    return undefined;
  }
}
