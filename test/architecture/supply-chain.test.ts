import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

interface Locked {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface Description {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

const lock = JSON.parse(read('package-lock.json')) as {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, Locked>>;
};
const description = JSON.parse(read('package.json')) as Description;
const { '': own, ...locked } = lock.packages;
const packages = Object.entries(locked);

/** Packages that run a program at installation, and why they may. */
const INSTALL_SCRIPTS: Readonly<Record<string, string>> = {
  'node_modules/node': 'puts the binary of Node.js into place that came as a package; for development only',
};

describe('the lock file', () => {
  test('has the hash of every package', () => {
    expect(lock.lockfileVersion).toBe(3);
    expect(packages.length).toBeGreaterThan(100);
    const unknown = packages.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
    expect(unknown.map(([name]) => name)).toEqual([]);
  });

  test('takes packages from a registry only: no address, no folder, no repository', () => {
    const elsewhere = packages.filter(
      ([, { resolved = 'https://registry.npmjs.org/', link }]) =>
        link === true || !resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(elsewhere.map(([name]) => name)).toEqual([]);
    expect(read('.npmrc')).toContain('omit-lockfile-registry-resolved=true');
  });

  test('belongs to package.json', () => {
    expect(own?.dependencies).toEqual(description.dependencies);
    expect(own?.devDependencies).toEqual(description.devDependencies);
  });

  test('lets only documented packages run a program at installation', () => {
    const running = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    expect(running.map(([name]) => name)).toEqual(Object.keys(INSTALL_SCRIPTS));
    expect(description.allowScripts).toEqual({ node: true });
  });
});

describe('direct dependencies', () => {
  const names = Object.keys(description.dependencies);

  test('have a reason in CONTRIBUTING.md, one row each, without obsolete rows', () => {
    const section = read('CONTRIBUTING.md').split('\n## Dependencies\n')[1]?.split('\n## ')[0] ?? '';
    const rows = [...section.matchAll(/^\| `([^`]+)` \| \S.*\|$/gm)].map((match) => match[1]);
    expect(rows.toSorted()).toEqual(names.toSorted());
  });

  test('are used by the program', () => {
    const sources = globSync('{src,bin}/**/*.{ts,js}', { cwd: root }).map(read).join('\n');
    const unused = names.filter((name) => !new RegExp(`(?:from |import\\()'${name}['/]`).test(sources));
    expect(unused, 'remove it from package.json').toEqual([]);
  });

  test('of development have one too', () => {
    const section = read('CONTRIBUTING.md').split('\n## Dependencies\n')[1]?.split('\n## ')[0] ?? '';
    const missing = Object.keys(description.devDependencies)
      .filter((name) => !name.startsWith('@types/'))
      .filter((name) => !section.includes(`\`${name}\``));
    expect(missing).toEqual([]);
  });

  test('are versions, not URLs; those of development are exact', () => {
    for (const version of Object.values(description.dependencies))
      expect(version).toMatch(/^\^\d+\.\d+\.\d+$/);
    for (const version of Object.values(description.devDependencies))
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/);
  });
});
