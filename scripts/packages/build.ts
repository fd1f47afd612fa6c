// Builds the Debian and RPM packages from the single executable: `npm run packages -- [--binary=FILE] [--output=FOLDER]`.
// Requires nfpm.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { project } from '../project/project.ts';
import { packagedUnit } from './unit.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const described = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
};
const { values } = parseArgs({
  options: {
    binary: { type: 'string', default: join(root, 'build/agent-platform-exporter') },
    output: { type: 'string', default: join(root, 'build/packages') },
    version: { type: 'string', default: described.version },
  },
});
const output = resolve(values.output);
mkdirSync(output, { recursive: true });
const unit = join(output, 'agent-platform-exporter.service');
writeFileSync(
  unit,
  packagedUnit(readFileSync(join(root, 'packaging/agent-platform-exporter.service'), 'utf8')),
);

const filled: Readonly<Record<string, string>> = {
  ARCH: process.arch === 'x64' ? 'amd64' : process.arch,
  VERSION: values.version,
  MAINTAINER: `${project.author} <${project.contact}>`,
  VENDOR: project.author,
  HOMEPAGE: project.repository,
  BINARY: resolve(values.binary),
  UNIT: unit,
};
const template = readFileSync(join(root, 'packaging/linux/nfpm.yaml'), 'utf8');
const config = join(output, 'nfpm.yaml');
writeFileSync(
  config,
  template.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => filled[name] ?? whole),
);
for (const packager of ['deb', 'rpm']) {
  execFileSync('nfpm', ['package', '--config', config, '--packager', packager, '--target', `${output}/`], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
// A forge renames a file with the ~ of a release candidate, and the checksums would name another one.
for (const name of readdirSync(output).filter((name) => name.includes('~')))
  renameSync(join(output, name), join(output, name.replace('~', '-')));
