import type { QueryVariableBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { readinessRatio } from '../../../src/collectors/readiness/collector.ts';
import { links } from '../links.ts';
import { drillTo } from '../panels/drill.ts';
import { labelVariable } from '../variables.ts';

/** The selected repositories. */
export const REPO = { repo: '$repo' } as const;

/** Selects a repository, which then shows its criteria and what changed. */
export const repoLink = drillTo(links.readiness, 'repo');

/** The variable that selects them. */
export function repoVariable(): QueryVariableBuilder {
  const metric = `${readinessRatio.name}{job=~"$job",org=~"$org"}`;
  return labelVariable('repo', 'Repository', { metric }).description(
    'Repositories; select one to see its criteria',
  );
}
