import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { REPOSITORY } from './image.ts';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

const programs = createPrograms();

test.runIf(requireTool('helm'))(
  'replicas with a database are a Deployment without a volume for the history',
  async () => {
    const args = ['template', 'x', `${REPOSITORY}/helm`, '--kube-version', '1.32.0'];
    const { code, stdout } = await programs.run('helm', [
      ...args,
      ...['--values', `${REPOSITORY}/helm/ci/database-values.yaml`],
    ]);
    expect(code).toBe(0);
    const objects = parseAllDocuments(stdout).map((document) => document.toJSON());
    const kinds = objects.map((object) => object?.kind);
    expect(kinds).not.toContain('StatefulSet');
    expect(kinds).not.toContain('PersistentVolumeClaim');
    expect(kinds).toContain('PodDisruptionBudget');
    const { spec } = objects.find((object) => object?.kind === 'Deployment');
    expect([spec.replicas, spec.strategy.type]).toEqual([3, 'RollingUpdate']);
    const [container] = spec.template.spec.containers;
    expect(container.args.join(' ')).not.toMatch(/--storage\.path|--shard/);
    expect(container.env).toContainEqual({ name: 'AGENT_PLATFORM_STORAGE_PATH', value: '' });
    expect(container.env).toContainEqual({
      name: 'AGENT_PLATFORM_STORAGE_URL_FILE',
      value: '/run/secrets/agent-platform-exporter/storage-url',
    });
    const refused = await programs.run('helm', [
      ...args,
      ...['--set', 'storage.url.secretName=db', '--set', 'persistence.enabled=true'],
      ...['--set', 'organizations[0].name=a', '--set', 'organizations[0].baseUrl=https://x'],
      ...['--set', 'organizations[0].apiKey.value=k'],
    ]);
    expect(refused.stderr).toContain('storage.url.secretName: takes no volume');
  },
);
