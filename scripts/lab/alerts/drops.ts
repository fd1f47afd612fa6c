import { startOf } from '../../../src/catalog/day.ts';
import type { ReadinessReport } from '../../../src/collectors/readiness/dataset.ts';
import { lowerBound, scoreOf } from '../../../src/collectors/readiness/score.ts';
import { type Selected, selectReports } from '../../../src/collectors/readiness/selection.ts';
import { dayAt, HOUR, WARM_UP } from '../../../test/collectors/spend/backtest/world.ts';
import { createPlantedYear, type PlantedReport } from './planted.ts';

const LISTED = 84 * 24 * HOUR;
const BEGIN = startOf(dayAt(WARM_UP));
/** Repositories have the same reports in organizations of any size. */
const PEOPLE = 5;

/** How the reports of some years were evaluated with a threshold in percentage points. */
export interface PooledDrops {
  readonly points: number;
  readonly planted: number;
  readonly found: number;
  readonly falsely: number;
}

/** Evaluates every report of the years of some seeds as the alert on drops does. */
export function pooledDrops(seeds: readonly number[], points: number): PooledDrops {
  const sum = { points, planted: 0, found: 0, falsely: 0 };
  for (const seed of seeds) {
    const { reports, events } = createPlantedYear(seed, PEOPLE);
    const drops = events.filter(({ alert }) => alert === 'ReadinessDropped');
    sum.planted += drops.length;
    const instants = new Set(reports.map(({ at }) => at).filter((at) => at >= BEGIN));
    for (const at of instants) {
      const listed = reports.filter((report) => report.at <= at && report.at > at - LISTED).map(stored);
      const told = selectReports(listed, { branches: [], cleanOnly: false }, at)
        .filter(({ current }) => current.createdAt === at)
        .filter((selected) => isTold(selected, points));
      for (const { current } of told) {
        const isDrop = drops.some(({ from, labels }) => from === at && labels?.['repo'] === current.repo);
        sum[isDrop ? 'found' : 'falsely'] += 1;
      }
    }
  }
  return sum;
}

function isTold({ current, previous, earlier }: Selected, points: number): boolean {
  const [score, before, lower] = [scoreOf(current), scoreOf(previous), lowerBound(previous, earlier)];
  if (score === undefined || before === undefined || lower === undefined) return false;
  // Rounded as the rule does.
  return Math.round(1e4 * (before - score)) / 100 >= points && score < lower;
}

/** What the exporter stores of a report. */
function stored({ body }: PlantedReport): ReadinessReport {
  const { reportId, createdAt, repoUrl, branch, commitHash, report } = body;
  return {
    ...{ id: reportId, createdAt, repo: repoUrl.replace('https://', ''), branch, commit: commitHash },
    criteria: Object.entries(report).map(([id, { numerator, denominator }]) => ({
      ...{ id, skipped: false as const, passed: numerator, evaluated: denominator },
    })),
  };
}
