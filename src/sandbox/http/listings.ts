import { wikiRuns } from '../readiness/wiki-runs.ts';
import { badRequest, type Call, type JsonPieces, type Refusal } from './call.ts';
import { reportList } from './envelope.ts';

/** Answers the readiness listing, newest first; without a limit it lists everything. */
export function answerReadiness({ org, query, now, oldest }: Call): JsonPieces | Refusal {
  const limit = query.get('limit');
  if (limit !== null && !/^0*[1-9]\d{0,8}$/.test(limit))
    return badRequest('limit must be a positive integer');
  const startAfter = query.get('startAfter') || undefined;
  const after = startAfter === undefined ? undefined : org.readiness.find(startAfter);
  if (startAfter !== undefined && after === undefined)
    return badRequest('startAfter is not the id of a report');
  const repoId = query.get('repoId') || undefined;
  const reports = org.readiness.reports({ repoId, after }, now, oldest);
  return reportList(limit === null ? reports : reports.take(Number(limit)));
}

/** Answers the wiki listing, which takes no parameters. */
export function answerWiki({ org, now, oldest }: Call): JsonPieces {
  return [JSON.stringify({ wikiRuns: wikiRuns(org.repositories, now, oldest) })];
}
