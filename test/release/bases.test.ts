import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

function textOf(file: string): string {
  return readFileSync(new URL(file, ROOT), 'utf8');
}

const workflows = globSync('.github/workflows/*.yml', { cwd: ROOT });

describe('the bases of the image', () => {
  const bases = [...textOf('Dockerfile').matchAll(/^ARG (\w+_IMAGE)=(.*)$/gm)].map(
    ([, , image = '']) => image,
  );

  test('are pinned by digest and of Debian 13', () => {
    expect(bases).toHaveLength(2);
    for (const image of bases) expect(image).toMatch(/(?:trixie|debian13)\S*@sha256:[0-9a-f]{64}$/);
  });

  test('have the Node.js that development uses', () => {
    const { devDependencies } = JSON.parse(textOf('package.json')) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    expect(bases[0]).toContain(`/node:${devDependencies['node']}-`);
  });
});

describe('the workflows', () => {
  test('take every action by its commit, of a stated version', () => {
    const uses = workflows.flatMap((file) => textOf(file).match(/uses: .*/g) ?? []);
    expect(uses.length).toBeGreaterThan(5);
    expect(uses.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$|uses: \.\//.test(line))).toEqual([]);
  });

  test('run in containers that are pinned by digest', () => {
    const images = workflows.flatMap((file) => textOf(file).match(/container:\n +image: .*/g) ?? []);
    expect(images.length).toBeGreaterThan(0);
    expect(images.filter((line) => !/@sha256:[0-9a-f]{64}$/.test(line))).toEqual([]);
  });
});

describe('Renovate', () => {
  const config = JSON.parse(textOf('renovate.json')) as {
    readonly extends: readonly string[];
    readonly customManagers: readonly {
      readonly managerFilePatterns: readonly string[];
      readonly matchStrings: readonly string[];
    }[];
  };

  test('pins digests of images and Actions', () => {
    expect(config.extends).toContain('config:best-practices');
  });

  test('sees every tool that CI takes from the module proxy, with its version', () => {
    const [manager] = config.customManagers;
    const found = (file: string) =>
      (manager?.matchStrings ?? []).flatMap((pattern) =>
        [...textOf(file).matchAll(new RegExp(pattern, 'g'))].map(({ groups }) => groups?.['depName']),
      );
    const files = globSync('.ci/*', { cwd: ROOT });
    const installed = files.flatMap((file) => textOf(file).match(/go install \S+@\S+/g) ?? []);
    expect(installed.length).toBeGreaterThan(2);
    const seen = files.flatMap(found);
    for (const line of installed) {
      const [, module = line] = /go install (\S+?)\/cmd\//.exec(line) ?? [];
      expect(seen).toContain(module);
    }
    expect(found('test/system/kubernetes-schemas.ts')).toContain('sigs.k8s.io/gateway-api');
  });
});
