import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe.runIf(requireTool('npm'))('the supply chain', () => {
  const programs = createPrograms();

  /** Runs a script of package.json, with npm's caches and settings elsewhere. */
  function script(name: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const prefix = ['--prefix', ROOT, '--silent', 'run', name, '--'];
    return programs.run('npm', [...prefix, ...args], {
      environment: { HOME: programs.folder(), npm_config_update_notifier: 'false', ...environment },
    });
  }

  /** A registry whose audit service gives this answer. */
  async function startRegistry(status: number, body: unknown): Promise<string> {
    const server = createServer((request, response) => {
      request.resume();
      // For a vulnerable package, npm also requests the list of versions.
      const answer = request.method === 'POST' ? body : { name: 'express', versions: {}, 'dist-tags': {} };
      const code = request.method === 'POST' ? status : 200;
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    return `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}/`;
  }

  function audit(registry: string) {
    return script('audit', [], { npm_config_registry: registry, npm_config_fetch_retries: '0' });
  }

  test('has a bill of materials with every installed package and its hash, and Node.js with what is inside', async () => {
    const file = join(programs.folder(), 'sbom.json');
    const { code, stdout, stderr } = await script('sbom', [file]);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('components');
    const bill = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly bomFormat: string;
      readonly metadata: { readonly component: { readonly name: string; readonly version: string } };
      readonly components: readonly {
        readonly name: string;
        readonly version: string;
        readonly purl: string;
        readonly cpe?: string;
        readonly hashes?: readonly { alg: string }[];
      }[];
      readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
    };
    expect(bill.bomFormat).toBe('CycloneDX');
    expect(bill.metadata.component).toMatchObject({
      name: '@agent-platform-exporter/agent-platform-exporter',
      type: 'application',
    });
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version: string; dev?: boolean }>;
    };
    const installed = Object.entries(packages)
      .filter(([path, { dev }]) => path !== '' && dev !== true)
      .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`);
    const isPackage = ({ purl }: { readonly purl: string }) => purl.startsWith('pkg:npm/');
    const packaged = bill.components.filter(isPackage);
    expect(packaged.map(({ name, version }) => `${name}@${version}`).toSorted()).toEqual(
      [...new Set(installed)].toSorted(),
    );
    for (const { hashes } of packaged) expect(hashes).toMatchObject([{ alg: 'SHA-512' }]);

    const inside = bill.components.filter((component) => !isPackage(component));
    const { modules: _, napi: __, ...versions } = process.versions;
    const named = Object.entries(versions).filter(([, version]) => version !== '');
    expect(inside.map(({ name, version }) => [name, version])).toEqual(named);
    const scanned = inside.flatMap(({ cpe = '' }) => /^cpe:2\.3:a:(.*?)(?::\*){7}$/.exec(cpe)?.[1] ?? []);
    expect(scanned).toEqual(
      expect.arrayContaining([
        `nodejs:node.js:${process.versions.node}`,
        `openssl:openssl:${process.versions.openssl.replace(/[-+].*/, '')}`,
        `sqlite:sqlite:${process.versions['sqlite']}`,
        expect.stringMatching(/^google:v8:[\d.]+$/),
      ]),
    );
    const needs = new Map(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    const node = `pkg:generic/node@${process.versions.node}`;
    expect(needs.get(`${bill.metadata.component.name}@${bill.metadata.component.version}`)).toContain(node);
    expect(needs.get(node)).toHaveLength(named.length - 1);
  });

  test('is audited if the registry supports it', async () => {
    const clean = await audit(await startRegistry(200, {}));
    expect(clean).toMatchObject({ code: 0, stdout: 'no known vulnerabilities\n' });
    const advisory = {
      id: 1,
      url: 'https://advisories.example/1',
      title: 'a flaw',
      severity: 'high',
      vulnerable_versions: '*',
    };
    const flawed = await audit(await startRegistry(200, { express: [advisory] }));
    expect(flawed.code).toBe(1);
    expect(flawed.stdout).toMatch(/^express: high$/m);
  });

  test('is reported as not audited if the registry has no such service', async () => {
    const { code, stdout } = await audit(await startRegistry(405, {}));
    expect(code).toBe(0);
    expect(stdout).toBe('not checked: this registry has no audit service (it answered 405)\n');
  });

  test('fails if the registry’s service is broken', async () => {
    const { code, stderr } = await audit(await startRegistry(500, {}));
    expect(code).toBe(1);
    expect(stderr).toMatch(/not checked: 500/);
  });
});
