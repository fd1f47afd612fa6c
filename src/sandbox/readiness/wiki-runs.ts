import { type Day, dayMs, firstDay } from '../calendar.ts';
import { hex, mix } from '../random.ts';
import type { Row } from '../types.ts';
import { clientVersion } from './criteria.ts';
import { type Repository, repoUrl } from './repositories.ts';

/** The newest wiki run of every repository with a wiki. */
export function wikiRuns(repositories: readonly Repository[], now: number, oldest: Day): Row[] {
  return repositories
    .map((repository) => newestRun(repository, now, oldest))
    .filter((run) => run !== undefined);
}

/** Wikis are generated every five to nine days, for three repositories in four. */
function newestRun(repository: Repository, now: number, oldest: Day): Row | undefined {
  if (repository.index % 4 === 3) return undefined;
  const seed = repository.seed ^ 0x3141;
  const every = (5 + (mix(seed, 0) % 5)) * dayMs;
  const first = repository.started * dayMs + (mix(seed, 1) % every);
  if (now < first) return undefined;
  const number = Math.floor((now - first) / every);
  const createdAt = first + number * every;
  if (createdAt < oldest * dayMs) return undefined;
  const drawn = mix(seed, number + 2);
  return {
    wikiRunId: `wiki_${hex(drawn)}`,
    repoUrl: repoUrl(repository, number),
    createdAt,
    commitHash: hex(drawn).repeat(5),
    branch: repository.branch,
    pageCount: 12 + (repository.seed % 40) + Math.floor(number / 3),
    ...(drawn % 5 === 0 ? {} : { privacyLevel: drawn % 2 === 0 ? 'organization' : 'private' }),
    modelUsed: drawn % 3 === 0 ? 'claude-opus-4-8' : { id: 'claude-sonnet-4-6' },
    droidVersion: clientVersion(Math.max(0, Math.floor((createdAt / dayMs - firstDay) / 14))),
  };
}
