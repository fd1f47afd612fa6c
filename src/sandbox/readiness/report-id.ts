import { mix } from '../random.ts';
import type { Repository } from './repositories.ts';
import { type Evaluation, evaluationsOn } from './schedule.ts';

/** The id of an evaluation's report, a UUID from which the evaluation can be found again. */
export function reportId(orgSeed: number, { day, repository, aside }: Evaluation): string {
  const filler = hex(mix(orgSeed, mix(day, repository.index)), 8);
  const group = `4${filler.slice(4, 7)}-8${filler.slice(1, 4)}`;
  const who = hex((repository.index ^ mix(orgSeed, day)) >>> 0, 8);
  return `${hex((day ^ orgSeed) >>> 0, 8)}-${filler.slice(0, 4)}-${group}-${who}${aside ? 'b' : 'a'}${filler.slice(5)}`;
}

/** The evaluation whose report has that id; undefined where there is none. */
export function evaluationOf(
  id: string,
  orgSeed: number,
  repositories: readonly Repository[],
): Evaluation | undefined {
  const day = (Number.parseInt(id.slice(0, 8), 16) ^ orgSeed) >>> 0;
  const repository = repositories[(Number.parseInt(id.slice(24, 32), 16) ^ mix(orgSeed, day)) >>> 0];
  if (repository === undefined) return undefined;
  return evaluationsOn(repository, day).find((evaluation) => reportId(orgSeed, evaluation) === id);
}

function hex(value: number, length: number): string {
  return value.toString(16).padStart(length, '0');
}
