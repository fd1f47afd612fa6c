import { type Day, dayMs, firstDay } from '../calendar.ts';
import { createRecent } from '../lru-cache.ts';
import { mix } from '../random.ts';
import type { Repository } from './repositories.ts';

/** An evaluation of a repository at an instant. */
export interface Evaluation {
  readonly repository: Repository;
  readonly day: Day;
  /** Number of the evaluation on the repository's main branch, from 0. */
  readonly number: number;
  /** Whether it is of a side branch, which is evaluated together with the main branch under the same number. */
  readonly aside: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** All evaluations of a day, newest first. */
type EvaluationCalendar = (day: Day) => readonly Evaluation[];

/** Creates the calendar of an organization; days are computed on first use. */
export function createEvaluationCalendar(repositories: readonly Repository[]): EvaluationCalendar {
  const days = createRecent<readonly Evaluation[]>(1000);
  const newestFirst = (one: Evaluation, other: Evaluation) =>
    other.createdAt - one.createdAt || one.repository.index - other.repository.index;
  return (day) =>
    days.get(String(day), () =>
      repositories.flatMap((repository) => evaluationsOn(repository, day)).sort(newestFirst),
    );
}

/** A repository's evaluations on one day, newest first: none, one, or an additional side branch. */
export function evaluationsOn(repository: Repository, day: Day): Evaluation[] {
  const since = day - repository.started;
  if (since < 0) return [];
  const number = Math.floor(since / repository.cadence);
  const wobble = mix(repository.seed, number) % 3;
  if (since % repository.cadence !== wobble) return [];
  const moment = mix(repository.seed ^ 0x71e, number) % (dayMs - 3_600_000);
  const main = { repository, day, number, aside: false, createdAt: day * dayMs + moment };
  const branches = repository.index % 3 === 0 && number % 3 === 2;
  return branches ? [{ ...main, aside: true, createdAt: main.createdAt + 1_234_567 }, main] : [main];
}

/** The evaluations from an instant back to the first day to show, newest first. */
export function* evaluationsBefore(
  calendar: EvaluationCalendar,
  instant: number,
  oldest: Day,
): Generator<Evaluation> {
  for (let day = Math.floor(instant / dayMs); day >= Math.max(oldest, firstDay); day -= 1) {
    yield* calendar(day).filter(({ createdAt }) => createdAt <= instant);
  }
}
