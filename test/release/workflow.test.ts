import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly env?: Readonly<Record<string, string>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string | readonly string[];
  readonly uses?: string;
  readonly steps?: readonly Step[];
}

const workflow = parse(
  readFileSync(new URL('../../.github/workflows/release.yml', import.meta.url), 'utf8'),
) as {
  readonly permissions: Readonly<Record<string, string>>;
  readonly defaults?: { readonly run: { readonly shell: string } };
  readonly jobs: Readonly<Record<string, Job>>;
};
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
    expect(commandsOf(publish)).not.toMatch(/\bnpm (?:ci|i|install|run|exec|pack)\b|\bnpx\b/);
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
