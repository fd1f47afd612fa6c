import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
}

interface Job {
  readonly strategy?: { readonly matrix: { readonly include: readonly Readonly<Record<string, string>>[] } };
  readonly env?: Readonly<Record<string, string>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string | readonly string[];
  readonly uses?: string;
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly concurrency?: unknown;
  readonly defaults?: { readonly run: { readonly shell: string } };
  readonly jobs: Readonly<Record<string, Job>>;
}

function textOf(name: string): string {
  return readFileSync(new URL(`../../.github/workflows/${name}`, import.meta.url), 'utf8');
}

const workflow = parse(textOf('release.yml')) as Workflow;
const jobs = Object.entries(workflow.jobs);

function commandsOf({ steps = [] }: Job): string {
  return steps.map(({ run = '' }) => run).join('\n');
}

describe('the release', () => {
  test('gives rights to sign and publish to one job only', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    expect(jobs.filter(([, { permissions }]) => permissions !== undefined).map(([name]) => name)).toEqual([
      'publish',
    ]);
  });

  test('installs no package and builds nothing where it has these rights, and checks what it receives', () => {
    const publish = workflow.jobs['publish'] ?? {};
    expect(commandsOf(publish)).not.toMatch(/\bnpm (?:ci|i|install|run|exec|pack)\b|\bnpx\b|\bnode\b/);
    expect(commandsOf(publish)).not.toMatch(/\b(?:build|buildx|bake|make|package)\b/);
    // An action can build and install as well as a command can.
    expect(publish.steps?.flatMap(({ uses }) => uses?.replace(/@.*/, '') ?? [])).toEqual([
      'actions/checkout',
      'actions/setup-node',
      'actions/download-artifact',
      'actions/download-artifact',
      'sigstore/cosign-installer',
      'actions/attest-build-provenance',
      'docker/login-action',
    ]);
    expect(commandsOf(publish)).toContain('npm publish --ignore-scripts ');
    const steps = publish.steps ?? [];
    const checked = steps.findIndex(({ run }) => run === 'sha256sum --check --strict SHA256SUMS');
    const signed = steps.findIndex(({ run }) => run?.includes('cosign sign'));
    expect(checked).toBeGreaterThan(steps.findIndex(({ uses }) => uses?.includes('download-artifact')));
    expect(signed).toBeGreaterThan(checked);
  });

  test('ends where the first command of a pipe fails', () => {
    // A shell that is not named runs without pipefail: a refused tag would have been decided for.
    expect(workflow.defaults?.run.shell).toBe('bash');
  });

  test('gives the token of the forge to the steps alone that use it', () => {
    const holders = jobs.flatMap(([, { env = {}, steps = [] }]) => [
      ...Object.keys(env).filter((name) => name.endsWith('TOKEN')),
      ...steps
        .filter(({ env: own = {} }) => 'GH_TOKEN' in own)
        .map(({ run = '' }) => /^gh \w+/m.exec(run)?.[0]),
    ]);
    expect(holders).toEqual(['gh release', 'gh release']);
  });

  test('runs no install script of a package anywhere', () => {
    const installing = jobs.flatMap(([, job]) => commandsOf(job).match(/npm (?:ci|i|install)\b.*/g) ?? []);
    expect(installing).toEqual(['npm ci --ignore-scripts', 'npm ci --ignore-scripts']);
  });

  test('builds an image once for each architecture, on a machine of it, and starts and scans what it hands on', () => {
    const builds = (job: Job) =>
      (job.steps ?? []).filter(({ uses }) => uses?.startsWith('docker/build-push-action@'));
    expect(jobs.filter(([, job]) => builds(job).length > 0).map(([name]) => name)).toEqual(['image']);
    const image = workflow.jobs['image'] ?? {};
    expect(builds(image)).toMatchObject([{ with: { outputs: 'type=oci,tar=false,dest=image' } }]);
    expect(image.strategy?.matrix.include.map(({ runner, arch }) => [runner, arch])).toEqual([
      ['ubuntu-24.04', 'amd64'],
      ['ubuntu-24.04-arm', 'arm64'],
    ]);
    const order = [
      /build-push-action/,
      /skopeo copy oci:image /,
      /smoke\.ts/,
      /scan-action/,
      /upload-artifact/,
    ];
    const found = order.map((pattern) =>
      (image.steps ?? []).findIndex(({ uses = '', run = '' }) => pattern.test(uses + run)),
    );
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(found).not.toContain(-1);
    expect(image.steps?.at(-1)).toMatchObject({ with: { path: 'image' } });
  });

  test('is the only one at a time, because names are decided from what exists', () => {
    expect(workflow.concurrency).toEqual({ group: 'release' });
  });

  test('publishes only what every other job has built and tested', () => {
    const before = new Set<string>();
    function follow(name: string): void {
      if (before.has(name)) return;
      before.add(name);
      for (const other of [workflow.jobs[name]?.needs ?? []].flat()) follow(other);
    }
    follow('publish');
    expect([...before].toSorted()).toEqual(jobs.map(([name]) => name).toSorted());
  });
});

test('a pull request of a fork has neither secrets nor rights, and none of its checks needs one', () => {
  const ci = parse(textOf('ci.yml')) as Workflow;
  expect(Object.keys(ci.on)).toEqual(['push', 'pull_request', 'workflow_call']);
  expect(ci.permissions).toEqual({ contents: 'read' });
  expect(Object.values(ci.jobs).filter(({ permissions }) => permissions !== undefined)).toEqual([]);
  expect(textOf('ci.yml')).not.toMatch(/secrets\.|github\.token/);
});

test('a check of one commit of main is not ended by the next commit', () => {
  const { concurrency } = parse(textOf('ci.yml')) as Workflow;
  expect(concurrency).toMatchObject({
    group: expect.stringMatching(/'pull_request' && github\.ref \|\| github\.sha }}$/),
  });
});

test.each(['ci.yml', 'nightly.yml', 'release.yml'])('%s runs scripts that exist', (name) => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly scripts: object;
  };
  const commands = Object.values((parse(textOf(name)) as Workflow).jobs).map(commandsOf);
  const named = commands.flatMap((text) =>
    [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script),
  );
  expect(named.filter((script) => script === undefined || !(script in scripts))).toEqual([]);
});
