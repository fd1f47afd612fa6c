import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
}

/**
 * The license texts of everything in the single executable: this project's, Node.js', and those of the packages
 * installed with it. Throws if a package has neither a text nor one of the common short licenses.
 */
export function licenseTexts(root: string, nodeLicense: string): string {
  const own = ['LICENSE', 'NOTICE'].map((file) => readFileSync(join(root, file), 'utf8').trim()).join('\n\n');
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const sections = installed.map(([path, locked]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return `${heading(`${name} ${locked.version}`)}\n${textOf(join(root, path), locked)}`;
  });
  return [own, `${heading(`Node.js ${process.versions.node}`)}\n${nodeLicense.trim()}`, ...sections, ''].join(
    '\n\n',
  );
}

function heading(text: string): string {
  return `${'='.repeat(100)}\n${text}\n${'='.repeat(100)}\n`;
}

function textOf(folder: string, { license }: Locked): string {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const texts = files
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length > 0) return texts.join('\n\n');
  if (license === undefined) throw new Error(`${folder}: no license`);
  return `${license} (the package contains no license text)`;
}
