import { readDefinitions } from '../../scripts/docs/definitions.ts';

/** The definition of a metric in `docs/METRICS.md`, with or without the prefix of its name, and without line breaks within a paragraph; empty if it has none. */
export function definitionOf(name: string): string {
  const definition = readDefinitions().get(`agent_platform_${name.replace('agent_platform_', '')}`) ?? '';
  return definition.replaceAll(/(?<!\n)\n(?!\n)/g, ' ');
}
