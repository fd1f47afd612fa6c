import { wikiBody, wikiRuns } from '../readiness/wiki-runs.ts';
import { wikiShape } from '../readiness/wiki-shapes.ts';
import type { Call, JsonPieces } from './call.ts';
import { prepared } from './pieces.ts';

/** Answers the wiki listing (section 4.1), which takes no parameters. */
export function answerWiki({ tenant, faults, now, oldest }: Call): JsonPieces {
  const shape = wikiShape(faults.strikes('wiki-shape')?.detail);
  const runs = prepared(wikiRuns(tenant.org, now, oldest, shape), faults);
  return [JSON.stringify(wikiBody(runs, shape))];
}
