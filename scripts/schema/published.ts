import { settingsSchema } from '../../src/agent/settings/settings.ts';
import { fileSchema } from '../../src/config/file-schema.ts';
import type { CollectorChoice } from '../../src/config/option.ts';
import { createOptions } from '../../src/config/options.ts';
import { teamsSchema } from '../../src/config/people/teams-file.ts';
import { webConfigSchema } from '../../src/web-config/schema.ts';
import { schemaFile } from './json-schema.ts';

/** The published JSON Schemas, by the name of their file in `docs/schema`. */
export function publishedSchemas(
  collectors: readonly CollectorChoice[],
): Readonly<Record<'exporter' | 'hooks' | 'teams' | 'web-config', string>> {
  const labels = collectors.flatMap(({ families = [] }) => families.flatMap((family) => family.labels));
  return {
    exporter: schemaFile('Configuration of the exporter', fileSchema(createOptions(collectors), labels)),
    hooks: schemaFile('Settings of the hook command', settingsSchema('/', '/')),
    teams: schemaFile('Teams', teamsSchema),
    'web-config': schemaFile('Web configuration', webConfigSchema),
  };
}
