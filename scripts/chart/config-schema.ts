import { fileSchema } from '../../src/config/file-schema.ts';
import type { OptionTable } from '../../src/config/option.ts';
import { type JsonSchema, jsonSchemaOf } from '../schema/json-schema.ts';
import { number, type Schema } from './schema-parts.ts';

/** Options that the chart sets through its own values. */
const DECIDED = [
  'org',
  'api.base-url',
  'api.app-url',
  'shard',
  'total-shards',
  'storage.path',
  'storage.url',
  'web.listen-address',
  'web.telemetry-path',
  'web.enable-lifecycle',
  'web.config.file',
  'web.open-health',
];

/** The schema of `config`: the keys of the exporter's configuration file, without those that the chart sets. */
export function configSchema(options: OptionTable): Schema {
  const others = Object.fromEntries(Object.entries(options).filter(([flag]) => !DECIDED.includes(flag)));
  // The exporter validates label names itself, with a better message.
  const { properties = {}, additionalProperties } = jsonSchemaOf(fileSchema(others, []));
  const { orgs: _, ...keys } = properties;
  return forHelm({ type: 'object', properties: keys, additionalProperties });
}

/** Without descriptions and defaults, which the values file has; a fraction may be a text. */
function forHelm(schema: JsonSchema): Schema {
  const { description: _, default: __, standard: ___, ...rest } = schema;
  if (rest['type'] === 'number') return number;
  const { properties } = rest;
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, below]) => [
          key,
          key === 'values_per_label' ? {} : forHelm(below),
        ]),
      ),
    }),
  };
}
