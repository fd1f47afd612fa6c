import { globSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Programs } from './programs.ts';
import { networkEnvironment } from './tools.ts';

/** The oldest version that the chart supports and that the module proxy has, one in between, and the newest. */
export const kubernetesVersions = ['1.29.15', '1.32.13', '1.36.3'] as const;
const MONITORING = 'github.com/prometheus-operator/prometheus-operator@v0.85.0';
const GATEWAY = 'sigs.k8s.io/gateway-api@v1.4.1';
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const KINDS =
  /^(ConfigMap|Secret|Service|ServiceAccount|Pod|PersistentVolumeClaim|Deployment|StatefulSet|NetworkPolicy|Ingress|PodDisruptionBudget)$/;

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [key: string]: Json;
}

const swagger = z.object({ definitions: z.record(z.string(), z.custom<JsonObject>(isObject)) });
const kindOf = z.object({
  'x-kubernetes-group-version-kind': z.array(
    z.object({ group: z.string(), version: z.string(), kind: z.string() }),
  ),
});
const resourceDefinition = z.object({
  spec: z.object({
    group: z.string(),
    names: z.object({ kind: z.string() }),
    versions: z.array(
      z.object({ name: z.string(), schema: z.object({ openAPIV3Schema: z.custom<JsonObject>(isObject) }) }),
    ),
  }),
});

/**
 * Writes JSON schemas that reject unknown fields, laid out for kubeconform, for one version of Kubernetes and for the
 * resources of the Prometheus operator, the Gateway API and the Grafana operator. Resolves with `--schema-location`.
 */
export async function writeSchemas(programs: Programs, version: string): Promise<string> {
  const folder = programs.folder();
  const kubernetes = await module(programs, `k8s.io/kubernetes@v${version}`);
  const { definitions } = swagger.parse(readJson(join(kubernetes, 'api/openapi-spec/swagger.json')));
  const strictly = Object.fromEntries(
    Object.entries(definitions).map(([name, schema]) => [name, strict(schema)]),
  );

  async function write(group: string, apiVersion: string, kind: string, schema: JsonObject): Promise<void> {
    const suffix = [group.split('.')[0], apiVersion].filter((part) => part !== '').join('-');
    const file = join(folder, `${kind.toLowerCase()}-${suffix}.json`);
    await writeFile(file, JSON.stringify({ ...schema, definitions: closure(strictly, schema) }));
  }

  for (const [name, schema] of Object.entries(definitions)) {
    const { success, data } = kindOf.safeParse(schema);
    const [resource] = success ? data['x-kubernetes-group-version-kind'] : [];
    if (resource === undefined || !KINDS.test(resource.kind)) continue;
    await write(resource.group, resource.version, resource.kind, strictly[name] ?? {});
  }
  for (const file of await resourceDefinitionFiles(programs)) {
    const { spec } = resourceDefinition.parse(parse(readFileSync(file, 'utf8')));
    for (const { name, schema } of spec.versions) {
      await write(spec.group, name, spec.names.kind, withMetadata(strict(schema.openAPIV3Schema)));
    }
  }
  await write(
    'grafana.integreatly.org',
    'v1beta1',
    'GrafanaDashboard',
    withMetadata(strict(grafanaDashboard)),
  );
  return join(folder, '{{.ResourceKind}}{{.KindSuffix}}.json');
}

/** The definitions of the Prometheus operator's resources and of the Gateway API's route, as YAML files. */
export async function resourceDefinitionFiles(programs: Programs): Promise<readonly string[]> {
  return [
    ...globSync(join(await module(programs, MONITORING), 'example/prometheus-operator-crd/*s.yaml')),
    ...globSync(join(await module(programs, GATEWAY), 'config/crd/standard/*_httproutes.yaml')),
  ];
}

/** The directory of a Go module, downloaded if necessary. */
async function module(programs: Programs, name: string): Promise<string> {
  const { code, stdout, stderr } = await programs.run('go', ['mod', 'download', '-json', name], {
    environment: networkEnvironment(),
  });
  if (code !== 0) throw new Error(`go mod download ${name}: ${stdout}${stderr}`);
  return z.object({ Dir: z.string() }).parse(JSON.parse(stdout)).Dir;
}

/** The same schema without any other properties than the named ones, at every depth. */
function strict(schema: JsonObject): JsonObject {
  const result: Record<string, Json> = { ...schema };
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties' && isObject(value)) {
      result[key] = Object.fromEntries(
        Object.entries(value).map(([name, below]) => [name, isObject(below) ? strict(below) : below]),
      );
    } else if ((key === 'items' || key === 'additionalProperties') && isObject(value))
      result[key] = strict(value);
  }
  const isOpen =
    schema['additionalProperties'] !== undefined || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema['properties'] !== undefined && !isOpen) result['additionalProperties'] = false;
  if (schema['format'] === 'int-or-string' || schema['x-kubernetes-int-or-string'] === true) {
    result['type'] = ['string', 'integer'];
  }
  // Kubernetes has formats that JSON schemas lack; none of them affects fields.
  delete result['format'];
  return result;
}

function withMetadata(schema: JsonObject): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  return { ...schema, properties: { ...properties, metadata: { $ref: `#/definitions/${META}` } } };
}

/** The definitions that a schema uses. */
function closure(definitions: Readonly<Record<string, JsonObject>>, schema: JsonObject): JsonObject {
  const needed: Record<string, JsonObject> = {};
  const open: JsonObject[] = [schema];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [, name = ''] of JSON.stringify(next).matchAll(/"#\/definitions\/([^"]+)"/g)) {
      const definition = definitions[name];
      if (definition === undefined || name in needed) continue;
      needed[name] = definition;
      open.push(definition);
    }
  }
  return needed;
}

function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** No package registry has this definition; these are its fields that a chart may use. */
export const grafanaDashboard: JsonObject = {
  type: 'object',
  required: ['spec'],
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    spec: {
      type: 'object',
      required: ['instanceSelector'],
      properties: {
        allowCrossNamespaceImport: { type: 'boolean' },
        configMapRef: {
          type: 'object',
          required: ['key'],
          properties: { name: { type: 'string' }, key: { type: 'string' }, optional: { type: 'boolean' } },
        },
        folder: { type: 'string' },
        instanceSelector: {
          type: 'object',
          properties: {
            matchLabels: { type: 'object', additionalProperties: { type: 'string' } },
            matchExpressions: { type: 'array', items: { type: 'object' } },
          },
        },
        resyncPeriod: { type: 'string', pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$' },
      },
    },
  },
};
