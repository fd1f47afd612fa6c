import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { KUBERNETES } from '../../scripts/cluster/kube-apiserver.ts';
import { waitFor } from '../support/wait-for.ts';
import { CHART, createChart, type KubernetesObject, parseObjects, shapes } from '../system/chart.ts';
import { createPrograms } from '../system/programs.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { prepareCluster, type Resources } from './resources.ts';

/** The chart before its last change of labels, values and objects; to be replaced by the previous one at each release. */
const BEFORE = join(import.meta.dirname, 'chart-before.tar.gz');
const NAMESPACE = 'monitoring';
const RESTRICTED = 'restricted';

describe(`the chart on Kubernetes ${KUBERNETES}`, () => {
  const programs = createPrograms();
  const chart = createChart(programs);
  let cluster: ControlPlane;
  let resources: Resources;

  beforeAll(async () => {
    cluster = await startControlPlane(programs);
    resources = await prepareCluster(programs, cluster, {
      [NAMESPACE]: {},
      agents: {},
      grafana: {},
      [RESTRICTED]: { 'pod-security.kubernetes.io/enforce': 'restricted' },
    });
  });

  async function tryHelm(...args: readonly string[]) {
    const environment = { KUBECONFIG: cluster.kubeconfig, HOME: programs.folder() };
    return programs.run('helm', [...args, '--namespace', NAMESPACE], { environment });
  }

  async function helm(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await tryHelm(...args);
    if (code !== 0) throw new Error(`helm ${args[0]}: ${stderr}`);
    return stdout;
  }

  async function contentOf(
    release: string,
    what: 'manifest' | 'hooks',
  ): Promise<readonly KubernetesObject[]> {
    return parseObjects(await helm('get', what, release));
  }

  /** The objects of a release in the cluster, by kind and name: identity and specification. */
  async function living(objects: readonly KubernetesObject[]): Promise<Readonly<Record<string, object>>> {
    const found: Record<string, object> = {};
    for (const object of objects) {
      const read = await resources.read(object);
      const { metadata, status: _, ...content } = read ?? { metadata: undefined, status: undefined };
      const { uid, labels, annotations } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
      found[`${object.kind}/${object.metadata.name}`] = { uid, labels, annotations, ...content };
    }
    return found;
  }

  /** The number of these objects in the cluster. */
  async function count(objects: readonly KubernetesObject[]): Promise<number> {
    const found = await Promise.all(objects.map((object) => resources.read(object)));
    return found.filter((object) => object !== undefined).length;
  }

  function valuesOf(shape: string, folder = CHART): readonly string[] {
    return ['--values', join(folder, 'ci', `${shape}-values.yaml`)];
  }

  /** Does what a node would do with the pod of `helm test`. */
  async function endPod({ metadata }: KubernetesObject, phase: 'Succeeded' | 'Failed'): Promise<void> {
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
    await waitFor(async () => expect((await cluster.request('GET', path)).status).toBe(200));
    const { status } = await cluster.request('PATCH', `${path}/status`, { status: { phase } });
    expect(status).toBe(200);
  }

  describe.each(shapes)('with the values of %s', (shape) => {
    const release = `now-${shape}`;

    test('renders objects that the server accepts, without unknown fields', async () => {
      const objects = await chart.objects({ shape, version: KUBERNETES });
      const refused: string[] = [];
      for (const object of objects) {
        const { status, body } = await resources.tryToCreate(object);
        if (status !== 201) refused.push(`${object.kind}/${object.metadata.name}: ${body.message}`);
      }
      expect(refused).toEqual([]);
      expect(objects.length).toBeGreaterThan(3);
    });

    test('is installed, upgraded, rolled back and removed', async () => {
      await helm('install', release, CHART, ...valuesOf(shape));
      const objects = await contentOf(release, 'manifest');
      const installed = await living(objects);
      expect(await count(objects)).toBe(objects.length);

      const changed = ['--set', 'podAnnotations.example\\.com/changed=yes', '--set', 'config.log.level=warn'];
      await helm('upgrade', release, CHART, ...valuesOf(shape), ...changed);
      expect(JSON.stringify(await living(objects))).toContain('"example.com/changed":"yes"');
      await helm('rollback', release, '1');
      expect(await living(objects)).toEqual(installed);

      const [hook] = await contentOf(release, 'hooks');
      if (hook === undefined) expect(shape).toBe('client-certificates');
      else {
        const passing = helm('test', release);
        await endPod(hook, 'Succeeded');
        expect(await passing).toMatch(/^Phase: +Succeeded$/m);
        const failing = tryHelm('test', release);
        await endPod(hook, 'Failed');
        expect((await failing).code).not.toBe(0);
      }
      await helm('uninstall', release);
      expect(await count(objects)).toBe(0);
    });
  });

  test('has pods that the strictest pod security standard admits', async () => {
    for (const shape of shapes) {
      // The additional containers do not set their privileges.
      if (shape === 'everything') continue;
      for (const object of await chart.objects({ shape, version: KUBERNETES })) {
        const pod = object.kind === 'Pod' ? object : podOf(object);
        if (pod === undefined) continue;
        const metadata = { ...pod.metadata, name: 'tried', namespace: RESTRICTED };
        const { status, body } = await resources.tryToCreate({ ...pod, metadata });
        expect([status, body.message], `${shape}: ${object.kind}`).toEqual([201, undefined]);
      }
    }
    const unrestricted = { name: 'x', image: 'x' };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', namespace: RESTRICTED } };
    expect((await resources.tryToCreate({ ...pod, spec: { containers: [unrestricted] } })).status).toBe(403);
  });

  describe('before its last change', () => {
    let folder = '';

    beforeAll(async () => {
      folder = programs.folder();
      const { code, stderr } = await programs.run('tar', [
        'xzf',
        BEFORE,
        '-C',
        folder,
        '--strip-components=1',
      ]);
      expect(code, stderr).toBe(0);
    });

    // It had no values for these.
    const shapesBefore = shapes.filter((shape) => shape !== 'database' && shape !== 'platforms');
    test.each(shapesBefore)('is upgraded with the values that it had, and rolled back: %s', async (shape) => {
      const release = `before-${shape}`;
      await helm('install', release, BEFORE, ...valuesOf(shape, folder));
      const before = await contentOf(release, 'manifest');
      const installed = await living(before);
      await helm('upgrade', release, CHART, '--reset-values', ...valuesOf(shape, folder));
      const after = await contentOf(release, 'manifest');
      expect(await count(after)).toBe(after.length);
      // Objects with state or an address are the same ones, updated in place.
      const upgraded = await living(after);
      for (const [name, object] of Object.entries(installed))
        if (/^(Deployment|StatefulSet|Service|PersistentVolumeClaim)\//.test(name))
          expect(upgraded[name], name).toMatchObject({ uid: (object as { uid: string }).uid });
      await helm('rollback', release, '1');
      // What the newer chart does not have, such as a dashboard, has been removed and comes back as another object.
      const kept = (objects: Readonly<Record<string, object>>) =>
        Object.entries(objects).map(([name, object]) =>
          name in upgraded ? [name, object] : [name, { ...object, uid: undefined }],
        );
      expect(kept(await living(before))).toEqual(kept(installed));
      await helm('uninstall', release);
    });
  });

  test('is not upgraded by a chart with another selector, and is rolled back from that', async () => {
    const wrong = join(programs.folder(), 'chart');
    await cp(CHART, wrong, { recursive: true });
    const file = join(wrong, 'templates/deployment.yaml');
    const text = await readFile(file, 'utf8');
    const edited = text.replace(/(\n +)matchLabels:/, '$1matchLabels:$1  another: selector');
    expect(edited).not.toBe(text);
    await writeFile(file, edited);
    const values = valuesOf('one-organization');
    await helm('install', 'wrong', CHART, ...values);
    const { code, stderr } = await tryHelm('upgrade', 'wrong', wrong, ...values);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/selector/)]);
    await helm('rollback', 'wrong', '1');
    expect(await helm('status', 'wrong')).toMatch(/^STATUS: deployed$/m);
  });
});

/** A pod as created by the controller of a workload. */
function podOf({ kind, spec }: KubernetesObject): KubernetesObject | undefined {
  if (kind !== 'Deployment' && kind !== 'StatefulSet') return undefined;
  const { template, volumeClaimTemplates = [] } = spec as Workload;
  const claims = volumeClaimTemplates.map(({ metadata: { name } }) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-0` },
  }));
  const { volumes = [], ...pod } = template.spec;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: template.metadata,
    spec: { ...pod, volumes: [...volumes, ...claims] },
  };
}

interface Workload {
  readonly template: {
    readonly metadata: KubernetesObject['metadata'];
    readonly spec: { readonly volumes?: readonly unknown[] };
  };
  readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
}
