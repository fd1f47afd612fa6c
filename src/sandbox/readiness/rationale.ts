import type { Criterion } from './criteria.ts';
import type { Repository } from './repositories.ts';

/** The explanation of a verdict in the words of a reviewer who quotes from the repository. */
export function rationale(
  criterion: Criterion,
  repository: Repository,
  ratio: number | undefined,
  lot: number,
): string {
  const topic = criterion.id.replaceAll('_', ' ');
  const app = repository.apps[lot % repository.apps.length] ?? '.';
  const owner = `owner-${(lot >>> 3) % 40}@${repository.path.split('/')[1] ?? 'org'}.example`;
  if (ratio === undefined) return `Skipped: ${topic} does not apply to ${repository.path}.`;
  if (ratio === 1) {
    return lot % 9 === 0
      ? `CODEOWNERS names ${owner}, who keeps ${topic} in order; the configuration is in ${app}.`
      : `Found a working setup for ${topic} in ${app}, and CI runs it on every push.`;
  }
  if (ratio > 0) return `${app} meets ${topic}, but not every application of the repository does.`;
  return lot % 9 === 0
    ? `Nothing for ${topic} in ${app}; ask ${owner}, who removed it.`
    : `No evidence of ${topic}: neither a configuration file in ${app} nor a step in CI.`;
}
