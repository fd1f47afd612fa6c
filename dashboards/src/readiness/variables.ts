import type { QueryVariableBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { readinessRatio } from '../../../src/collectors/readiness/collector.ts';
import { labelVariable } from '../variables.ts';

/** The repositories that the viewer chooses. */
export const REPO = { repo: '$repo' } as const;

/** The variable behind it. */
export function repoVariable(): QueryVariableBuilder {
  const metric = `${readinessRatio.name}{job=~"$job",org=~"$org"}`;
  return labelVariable('repo', 'Repository', { metric }).description(
    'Repositories; select one to see its criteria',
  );
}
