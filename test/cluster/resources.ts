import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { waitFor } from '../support/wait-for.ts';
import type { KubernetesObject } from '../system/chart.ts';
import { grafanaDashboard, resourceDefinitionFiles } from '../system/kubernetes-schemas.ts';
import type { Programs } from '../system/programs.ts';
import type { Answer, ControlPlane } from './control-plane.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** The resources that the chart creates. */
const USED = /(servicemonitors|podmonitors|probes|prometheusrules|scrapeconfigs|httproutes)\.yaml$/;

/** Objects of any kind, according to the API server's own list of resources. */
export interface Resources {
  /** The server's response to the creation of an object, which it validates completely and does not store. */
  tryToCreate(object: KubernetesObject): Promise<Answer>;
  /** The current object; undefined if there is none, or if it is being deleted. */
  read(object: KubernetesObject): Promise<KubernetesObject | undefined>;
}

/** Creates the namespaces, and the kinds that the chart uses in addition to Kubernetes' own. */
export async function prepareCluster(
  programs: Programs,
  { request }: ControlPlane,
  namespaces: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<Resources> {
  for (const [name, labels] of Object.entries(namespaces)) {
    const { status } = await request('POST', '/api/v1/namespaces', { metadata: { name, labels } });
    expect([201, 409]).toContain(status);
  }
  const files = (await resourceDefinitionFiles(programs)).filter((file) => USED.test(file));
  const definitions = [...files.map((file) => parse(readFileSync(file, 'utf8'))), grafanaDefinition];
  expect(definitions).toHaveLength(7);
  for (const definition of definitions) {
    const { status, body } = await request('POST', DEFINITIONS, definition);
    expect(status, JSON.stringify(body)).toBe(201);
  }
  for (const { metadata } of definitions) {
    const path = `${DEFINITIONS}/${metadata.name}`;
    await waitFor(async () =>
      expect((await request('GET', path)).body.status.conditions).toContainEqual(
        expect.objectContaining({ type: 'Established', status: 'True' }),
      ),
    );
  }

  const plurals = new Map<string, string>();
  async function pathOf({ apiVersion, kind, metadata }: KubernetesObject): Promise<string> {
    const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    if (!plurals.has(`${group} ${kind}`)) {
      const { body } = await request('GET', group);
      for (const { kind: listed, name } of body.resources as { kind: string; name: string }[])
        if (!name.includes('/')) plurals.set(`${group} ${listed}`, name);
    }
    const plural = plurals.get(`${group} ${kind}`);
    if (plural === undefined) throw new Error(`the cluster does not know ${apiVersion} ${kind}`);
    return `${group}/namespaces/${metadata.namespace ?? 'monitoring'}/${plural}`;
  }

  return {
    async tryToCreate(object) {
      return request('POST', `${await pathOf(object)}?dryRun=All&fieldValidation=Strict`, object);
    },
    async read(object) {
      const { status, body } = await request('GET', `${await pathOf(object)}/${object.metadata.name}`);
      if (status === 404) return undefined;
      expect(status).toBe(200);
      // No controller here removes the finalizer of a volume claim.
      return body.metadata.deletionTimestamp === undefined ? body : undefined;
    },
  };
}

/** With the fields that the chart may use; no Go module has all of them. */
const grafanaDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'grafanadashboards.grafana.integreatly.org' },
  spec: {
    group: 'grafana.integreatly.org',
    names: { kind: 'GrafanaDashboard', plural: 'grafanadashboards', singular: 'grafanadashboard' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: preserving(grafanaDashboard) },
      },
    ],
  },
};

/** A list of objects without a schema must declare that it accepts any. */
function preserving(schema: typeof grafanaDashboard): unknown {
  return JSON.parse(JSON.stringify(schema), (_, value) =>
    value?.type === 'array' && value.items?.type === 'object' && value.items.properties === undefined
      ? { ...value, items: { ...value.items, 'x-kubernetes-preserve-unknown-fields': true } }
      : value,
  );
}
