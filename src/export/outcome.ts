import { spanOf } from '../backfill/missing.ts';
import type { ExportOutcome } from './export.ts';

/**
 * Summarizes an export in a few lines; `missing` are those about what is missing, and `corrections` is the number of figures that
 * differ, if they were compared.
 */
export function describeExport(
  outcome: ExportOutcome,
  missing: readonly string[],
  range: string,
  corrections?: number,
): string {
  const count = corrections === undefined ? `${outcome.rows} rows` : `${corrections} corrections`;
  const lines = [`${count} of ${range}`, ...missing];
  for (const [org, { rows, until }] of outcome.provisional) {
    lines.push(`provisional: ${rows} rows of ${org}, which its platform may revise until ${until}`);
  }
  if (outcome.open !== undefined) {
    lines[0] = `nothing is written of ${range}: not all of its days are stored and final`;
    for (const [who, days] of outcome.open) lines.push(`may still change: ${who} on ${spanOf(days)}`);
    lines.push('serve stores and revises days; --storage.path=:memory: takes them from the platform instead');
  }
  if (outcome.interrupted) lines.push('interrupted; the output is incomplete');
  return `${lines.join('\n')}\n`;
}
