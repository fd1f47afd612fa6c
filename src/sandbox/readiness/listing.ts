import { type Day, firstDay } from '../calendar.ts';
import { hex, mix, unit } from '../random.ts';
import type { Row } from '../types.ts';
import { type Criterion, clientVersion, criteriaOf } from './criteria.ts';
import { describeApps, isNamed, type Repository, repoUrl } from './repositories.ts';
import { createEvaluationCalendar, type Evaluation, evaluationsBefore, evaluationsOn } from './schedule.ts';

interface ListingQuery {
  readonly repoId: string | undefined;
  /** The report after which to continue. */
  readonly after: Evaluation | undefined;
}

/**
 * Creates the listing of an organization's reports; the newest one before `dropBefore` (milliseconds) has a low score.
 */
export function createReadinessListing(
  orgSeed: number,
  repositories: readonly Repository[],
  dropBefore: number | undefined,
) {
  const calendar = createEvaluationCalendar(repositories);
  // The newest evaluation of a main branch that has earlier ones and does not lose criteria.
  const poor =
    dropBefore === undefined
      ? undefined
      : evaluationsBefore(calendar, dropBefore, firstDay).find(
          ({ aside, number, repository }) => !aside && number > 2 && repository.decay === undefined,
        );

  return {
    /** The report of a `startAfter`; undefined if there is none. */
    find: (id: string) => evaluationOf(id, orgSeed, repositories),
    /** Reports up to an instant, newest first, created one by one. */
    reports({ repoId, after }: ListingQuery, now: number, oldest: Day): IteratorObject<Row> {
      const named = new Set(repositories.filter((one) => repoId === undefined || isNamed(one, repoId)));
      // Everything newer than the cursor's day can be skipped.
      const from = after === undefined ? now : Math.min(now, after.createdAt);
      return evaluationsBefore(calendar, from, oldest)
        .filter((one) => named.has(one.repository) && (after === undefined || isLater(one, after)))
        .map((one) => readinessReport(orgSeed, one, poor !== undefined && isSame(one, poor)));
    },
  };
}

/** Whether an evaluation comes after the cursor in the order of the listing. */
function isLater(one: Evaluation, cursor: Evaluation): boolean {
  if (one.createdAt !== cursor.createdAt) return one.createdAt < cursor.createdAt;
  return one.repository.index > cursor.repository.index;
}

function isSame(one: Evaluation, other: Evaluation): boolean {
  return one.day === other.day && one.repository === other.repository && one.aside === other.aside;
}

const models = ['claude-opus-4-8', 'claude-sonnet-4-6', 'gpt-5.6-sol'];
const efforts = ['low', 'medium', 'high', 'off'];

/** A readiness report; in a poor one, far fewer criteria pass than the strength of the repository implies. */
function readinessReport(orgSeed: number, evaluation: Evaluation, poor: boolean): Row {
  const { repository, day, number, aside, createdAt } = evaluation;
  const release = Math.max(0, Math.floor((day - firstDay) / 14) - (repository.seed % 3));
  const drawn = mix(repository.seed ^ 0x4e7, number * 2 + Number(aside));
  return {
    reportId: reportId(orgSeed, evaluation),
    createdAt,
    repoUrl: repoUrl(repository, number),
    apps: describeApps(repository),
    report: Object.fromEntries(
      criteriaOf(release).map((criterion) => [criterion.id, evaluate(criterion, evaluation, poor)]),
    ),
    commitHash: commitHash(evaluation),
    // An evaluation of an archive has no branch.
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

/** Sometimes the same commit is evaluated twice. */
function commitHash({ repository, number, aside }: Evaluation): string {
  const again =
    repository.decay === undefined && number > 0 && mix(repository.seed, number ^ 0xc0) % 16 === 0;
  const commit = mix(repository.seed, (again ? number - 1 : number) * 2 + Number(aside));
  return [1, 2, 3, 4, 5].map((part) => hex(mix(commit, part))).join('');
}

function branchOf({ repository, number, aside }: Evaluation): string {
  return aside ? `feature/readiness-${number}` : repository.branch;
}

function evaluate(criterion: Criterion, evaluation: Evaluation, poor: boolean): Row {
  const { repository } = evaluation;
  const denominator = criterion.scope === 'application' ? repository.apps.length : 1;
  const lot = mix(repository.seed, criterion.seed);
  if (lot % 100 < 6)
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
  // The judge is a model: one verdict in two hundred differs between runs.
  const mistaken = unit(asked, number * 2 + Number(aside)) < 0.005;
  return asked / 4294967296 < strengthOn(repository, day, number) - lost !== mistaken;
}

/** Most repositories improve slowly; a decaying one loses a twelfth per report and is cleaned up with every fifth. */
function strengthOn(repository: Repository, day: number, number: number): number {
  if (repository.decay !== undefined) return repository.strength - 0.08 * ((number + repository.decay) % 5);
  return Math.min(0.96, repository.strength + (day - repository.started) * 0.0006);
}

/** The explanation of a verdict, which quotes from the repository. */
function rationale(
  criterion: Criterion,
  repository: Repository,
  ratio: number | undefined,
  lot: number,
): string {
  const topic = criterion.id.replaceAll('_', ' ');
  const app = repository.apps[lot % repository.apps.length] ?? '.';
  if (ratio === undefined) return `Skipped: ${topic} does not apply to ${repository.path}.`;
  const found = ratio === 1 ? 'A working setup' : ratio > 0 ? 'A setup of some applications' : 'No evidence';
  const owner = `owner-${(lot >>> 3) % 40}@${repository.path.split('/')[1] ?? 'org'}.example`;
  return `${found} for ${topic} in ${app}; CODEOWNERS names ${owner}.`;
}

/** The id of an evaluation's report: a UUID that identifies the evaluation. */
function reportId(orgSeed: number, { day, repository, aside }: Evaluation): string {
  const filler = hex(mix(orgSeed, mix(day, repository.index)));
  const group = `4${filler.slice(4, 7)}-8${filler.slice(1, 4)}`;
  const who = hex((repository.index ^ mix(orgSeed, day)) >>> 0);
  return `${hex((day ^ orgSeed) >>> 0)}-${filler.slice(0, 4)}-${group}-${who}${aside ? 'b' : 'a'}${filler.slice(5)}`;
}

/** The evaluation of a report id; undefined if there is none. */
function evaluationOf(
  id: string,
  orgSeed: number,
  repositories: readonly Repository[],
): Evaluation | undefined {
  const day = (Number.parseInt(id.slice(0, 8), 16) ^ orgSeed) >>> 0;
  const repository = repositories[(Number.parseInt(id.slice(24, 32), 16) ^ mix(orgSeed, day)) >>> 0];
  if (repository === undefined) return undefined;
  return evaluationsOn(repository, day).find((evaluation) => reportId(orgSeed, evaluation) === id);
}
