import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
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
    // The bill of materials describes the Node.js of the job that writes it.
    const set = workflows.flatMap((file) => textOf(file).match(/node-version: .*/g) ?? []);
    const own = `node-version: ${devDependencies['node']}`;
    expect(new Set(set)).toEqual(new Set([own, `node-version: $\{{ matrix.node }}`]));
    const [, oldest] = /node: \[([\d.]+), [\d.]+\]/.exec(textOf('.github/workflows/ci.yml')) ?? [];
    expect(oldest).toBe(devDependencies['node']);
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
    readonly ignorePresets: readonly string[];
    readonly packageRules: readonly {
      readonly groupName?: string;
      readonly matchPackageNames?: readonly string[];
    }[];
    readonly customManagers: readonly {
      readonly managerFilePatterns: readonly string[];
      readonly matchStrings: readonly string[];
      readonly depNameTemplate?: string;
    }[];
  };

  test('pins digests of images and Actions', () => {
    expect(config.extends).toContain('config:best-practices');
  });

  test('ignores no folder: that of the tests pins tools too', () => {
    expect(config.ignorePresets).toContain(':ignoreModulesAndTests');
  });

  test('moves every Node.js but the newest together, by the names that its managers give them', () => {
    const [rule] = config.packageRules.filter(({ groupName }) => groupName === 'Node.js');
    // The second one is `node-version` of a workflow.
    const names = ['node', 'actions/node-versions', 'docker.io/library/node', '@types/node'];
    expect(rule?.matchPackageNames).toEqual(names);
  });

  test('sees every pinned tool, with its version', () => {
    /** A module of Go with its version, one in a module file that a script writes, or versions in a constant or a matrix. */
    const pins =
      /\b[\w-]+(?:\.[\w-]+)+\/[\w./-]+@v?\d[\w.]*|require %s v[\d.]+|const \w+ = '\d+(?:\.\d+)+'|\w+ersions = \['\d.*\]|node: \[[\d.]+/g;
    const files = globSync('{.ci,.github,scripts,test,bench}/**/*', { cwd: ROOT, withFileTypes: true })
      .filter(
        (entry) =>
          entry.isFile() && !/node_modules|\.(?:gz|png|wav|json)$/.test(entry.parentPath + entry.name),
      )
      .map((entry) => relative(fileURLToPath(ROOT), join(entry.parentPath, entry.name)));
    const seen: string[] = [];
    const unseen: string[] = [];
    for (const file of files) {
      const managers = config.customManagers.filter(({ managerFilePatterns }) =>
        managerFilePatterns.some((pattern) => new RegExp(pattern.slice(1, -1)).test(file)),
      );
      const found = managers.flatMap(({ matchStrings, depNameTemplate }) =>
        matchStrings.flatMap((pattern) =>
          [...textOf(file).matchAll(new RegExp(pattern, 'g'))].map(
            ({ groups = {} }) => `${groups['depName'] ?? depNameTemplate} ${groups['currentValue']}`,
          ),
        ),
      );
      seen.push(...found);
      for (const [pin] of textOf(file).matchAll(pins))
        if (!found.some((known) => pin.includes(known.split(' ')[1] ?? ' '))) unseen.push(`${file}: ${pin}`);
    }
    expect(unseen).toEqual([]);
    for (const name of [
      'helm.sh/helm/v3',
      'github.com/VictoriaMetrics/VictoriaMetrics',
      'k8s.io/kubernetes',
      'date-holidays',
      'node',
      'nodejs/node',
    ])
      expect(seen).toContainEqual(expect.stringMatching(`^${name} v?\\d`));
    expect(seen.filter((name) => name.includes('nfpm'))).toHaveLength(2);
  });
});
