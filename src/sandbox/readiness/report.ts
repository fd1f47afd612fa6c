import { firstDay } from '../calendar.ts';
import { mix, unit } from '../random.ts';
import type { Row } from '../types.ts';
import { type Criterion, clientVersion, criteriaOf } from './criteria.ts';
import { rationale } from './rationale.ts';
import { reportId } from './report-id.ts';
import { describeApps, type Repository, repoUrl } from './repositories.ts';
import type { Evaluation } from './schedule.ts';

const models = ['claude-opus-4-8', 'claude-sonnet-4-6', 'gpt-5.6-sol'];
const efforts = ['low', 'medium', 'high', 'off'];

export interface ReportTraits {
  /** Half of the criteria have no numerator. */
  readonly manySkipped: boolean;
  /** Far fewer criteria are met than the repository would deserve. */
  readonly poor: boolean;
}

/** A readiness report, section 2.8. */
export function readinessReport(
  orgSeed: number,
  evaluation: Evaluation,
  { manySkipped, poor }: ReportTraits,
): Row {
  const { repository, day, number, aside, createdAt } = evaluation;
  const release = Math.max(0, Math.floor((day - firstDay) / 14) - (repository.seed % 3));
  const drawn = mix(repository.seed ^ 0x4e7, number * 2 + Number(aside));
  return {
    reportId: reportId(orgSeed, evaluation),
    createdAt,
    repoUrl: repoUrl(repository, number),
    apps: describeApps(repository),
    report: Object.fromEntries(
      criteriaOf(release).map((criterion) => [
        criterion.id,
        evaluate(criterion, evaluation, { manySkipped, poor }),
      ]),
    ),
    commitHash: commitHash(evaluation),
    // Who runs the evaluation from an archive has no branch.
    ...(repository.index % 13 === 12 && number % 4 === 3 ? {} : { branch: branchOf(evaluation) }),
    hasLocalChanges: drawn % 8 === 0,
    ...(release < 2 ? {} : { hasNonRemoteCommits: drawn % 11 === 0 }),
    ...(drawn % 17 === 0
      ? {}
      : {
          modelUsed: {
            id: models[drawn % models.length],
            reasoningEffort: efforts[(drawn >>> 4) % efforts.length],
          },
        }),
    droidVersion: clientVersion(release),
  };
}

/** Now and then the same commit is evaluated twice. */
function commitHash({ repository, number, aside }: Evaluation): string {
  const again =
    repository.decay === undefined && number > 0 && mix(repository.seed, number ^ 0xc0) % 16 === 0;
  const commit = mix(repository.seed, (again ? number - 1 : number) * 2 + Number(aside));
  return [1, 2, 3, 4, 5].map((part) => mix(commit, part).toString(16).padStart(8, '0')).join('');
}

function branchOf({ repository, number, aside }: Evaluation): string {
  return aside ? `feature/readiness-${number}` : repository.branch;
}

function evaluate(criterion: Criterion, evaluation: Evaluation, { manySkipped, poor }: ReportTraits): Row {
  const { repository } = evaluation;
  const denominator = criterion.scope === 'application' ? repository.apps.length : 1;
  const lot = mix(repository.seed, criterion.seed);
  const skipped = lot % 100 < 6 || (manySkipped && lot % 2 === 0);
  if (skipped)
    return { numerator: null, denominator, rationale: rationale(criterion, repository, undefined, lot) };
  let numerator = 0;
  for (let app = 0; app < denominator; app += 1)
    numerator += Number(passes(lot, app, evaluation, poor ? 0.3 : 0));
  return {
    numerator,
    denominator,
    rationale: rationale(criterion, repository, numerator / denominator, lot),
  };
}

function passes(
  lot: number,
  app: number,
  { repository, day, number, aside }: Evaluation,
  lost: number,
): boolean {
  const asked = mix(lot, app);
  // The judge is a model: a verdict in two hundred differs from run to run.
  const mistaken = unit(asked, number * 2 + Number(aside)) < 0.005;
  return asked / 4294967296 < strengthOn(repository, day, number) - lost !== mistaken;
}

/** Most repositories get slowly better; a decaying one loses a twelfth per report and is cleaned up every fifth. */
function strengthOn(repository: Repository, day: number, number: number): number {
  if (repository.decay !== undefined) return repository.strength - 0.08 * ((number + repository.decay) % 5);
  return Math.min(0.96, repository.strength + (day - repository.started) * 0.0006);
}
