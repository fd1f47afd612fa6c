import type { DocumentCollector } from '../../catalog/collector.ts';
import { currentFamily, type Sample, UNKNOWN } from '../../catalog/family.ts';
import type { View } from '../../catalog/view.ts';
import { type Count, merged, summedCounts } from '../counts.ts';
import { counts, figure } from '../samples.ts';
import { type WikiRun, wikiDataset } from './dataset.ts';

/** The families about wiki runs. */
export const wikiFamilies = {
  wikiRuns: currentFamily({
    name: 'agent_platform_wiki_runs',
    help: 'Wiki runs listed by the platform, which may list only the newest of each repository.',
    unit: 'runs',
    source: 'wiki: id',
    aggregation: 'additive',
    // An empty listing cannot be distinguished from one that could not be read.
    samplesOf: (view) => (isWhole(view) ? figure(runsAt(view).length || undefined) : undefined),
  }),

  wikiRunsByStatus: currentFamily({
    name: 'agent_platform_wiki_runs_by_status',
    help: 'Wiki runs listed by the platform, by status. Runs without a status are not counted; absent if that of a run is unusable.',
    labels: ['status'],
    unit: 'runs',
    source: 'wiki: status',
    aggregation: 'additive',
    samplesOf: (view) => (isWhole(view) ? counts('status', statusesOf(runsAt(view))) : undefined),
  }),

  wikiLastRunTimestampSeconds: currentFamily({
    name: 'agent_platform_wiki_last_run_timestamp_seconds',
    help: 'Creation time of the newest wiki run of the repository, in Unix seconds.',
    labels: ['repo'],
    unit: 'seconds',
    source: 'wiki: at',
    aggregation: 'timestamp',
    samplesOf: (view) => perRepo(view, ({ at }) => (at === undefined ? undefined : at / 1000)),
  }),

  wikiPages: currentFamily({
    name: 'agent_platform_wiki_pages',
    help: 'Pages of the newest wiki run of the repository.',
    labels: ['repo'],
    unit: 'pages',
    source: 'wiki: pages',
    aggregation: 'additive',
    samplesOf: (view) => perRepo(view, ({ pages }) => pages),
  }),
};

/** The latest wiki runs of the organization's repositories. */
export const wikiCollector: DocumentCollector<WikiRun> = {
  name: 'wiki',
  description: 'Wiki runs of the repositories.',
  schedule: 'wiki',
  enabledByDefault: true,
  dataset: wikiDataset,
  // The listing may contain only the newest run of each repository.
  past: 'unknown',
  families: Object.values(wikiFamilies),
  // Loaded on first use, so that validation code does not delay the first scrape.
};

/** The runs that existed at the instant of the view; runs without a time always existed. */
function runsAt(view: View): readonly WikiRun[] {
  return view
    .documents(wikiDataset)
    .filter(({ at = 0, partial }) => partial === undefined && at <= view.asOf);
}

/** Whether no run of the last listing is missing: an earlier listing must supply as many runs as were unusable. */
function isWhole(view: View): boolean {
  const runs = view.documents(wikiDataset);
  const partial = runs.find((run) => run.partial !== undefined)?.partial;
  return partial === undefined || runs.length - 1 === partial.usable + partial.unusable;
}

function statusesOf(runs: readonly WikiRun[]): readonly Count[] | undefined {
  // An unusable status could be any of them.
  if (runs.some(({ status }) => status === null)) return undefined;
  const statuses = runs.flatMap(({ status }) => (status ? [{ name: status, count: 1 }] : []));
  return statuses.length === 0 ? undefined : summedCounts(statuses);
}

function* perRepo(
  view: View,
  figureOf: (run: WikiRun) => number | null | undefined,
): Generator<Sample<'repo'>> {
  const located = runsAt(view).filter(({ repo }) => repo !== undefined);
  for (const run of merged(located, ({ repo = '' }) => repo, newer)) {
    const value = figureOf(run);
    if (run.repo !== undefined && value !== undefined)
      yield { labels: { repo: run.repo }, value: value ?? UNKNOWN };
  }
}

function newer(one: WikiRun, other: WikiRun): WikiRun {
  const lead = (one.at ?? 0) - (other.at ?? 0) || (one.id < other.id ? -1 : 1);
  return lead > 0 ? one : other;
}
