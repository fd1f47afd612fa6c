import { badRequest, type Call, type JsonPieces, type Refusal } from './call.ts';
import { reportList } from './pieces.ts';

/** Answers the readiness listing (section 4.3), newest first; without a limit it lists everything. */
export function answerReadiness({ tenant, query, faults, now, oldest }: Call): JsonPieces | Refusal {
  const limitText = query.get('limit');
  if (limitText !== null && !/^0*[1-9]\d{0,8}$/.test(limitText))
    return badRequest('limit must be a positive integer');
  const asked = limitText === null ? Number.POSITIVE_INFINITY : Number(limitText);
  const startAfter = query.get('startAfter') || undefined;
  const after = startAfter === undefined ? undefined : tenant.readiness.find(startAfter);
  if (startAfter !== undefined && after === undefined)
    return badRequest('startAfter is not the id of a report');
  const listing = {
    repoId: query.get('repoId') || undefined,
    limit:
      faults.strikes('ignore-limit') === undefined
        ? Math.min(asked, Number(faults.strikes('limit-cap')?.detail ?? asked))
        : Number.POSITIVE_INFINITY,
    after: faults.strikes('ignore-start-after') === undefined ? after : undefined,
    oldestFirst: faults.strikes('oldest-first') !== undefined,
    manySkipped: faults.strikes('null-numerators') !== undefined,
  };
  return reportList(tenant.readiness.reports(listing, now, oldest), faults);
}
