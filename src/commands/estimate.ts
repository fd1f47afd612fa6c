import { addDays, later, yesterdayOf } from '../catalog/day.ts';
import { ANONYMOUS } from '../catalog/settings.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import { estimateOptions } from '../config/command-options.ts';
import { loadConfig, loadValues } from '../config/load.ts';
import { REMEMBERED_DAYS } from '../pipeline/zeros.ts';
import { MEMORY } from '../store/sqlite.ts';
import { columns } from '../text/columns.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { estimateOrg, type OrgEstimate } from './estimate/org.ts';
import { createPeopleByIdentity } from './estimate/people.ts';
import { openPast } from './past.ts';

/** Polls once, stores nothing, and prints the number of series of each collector; exit code 1 if a collector failed. */
export async function run(context: CommandContext): Promise<number> {
  const { stdout, stderr } = context;
  const { json } = await loadValues(estimateOptions, context);
  const loaded = await loadConfig({ ...context, collectors: allCollectors });
  const yesterday = yesterdayOf(createSystemClock().now());
  const historyStart = later(addDays(yesterday, -REMEMBERED_DAYS), loaded.history.start);
  const people = createPeopleByIdentity(loaded.people.current());
  const config = {
    ...loaded,
    storage: { ...loaded.storage, path: MEMORY, url: undefined },
    history: { ...loaded.history, start: historyStart },
    // The real settings are in `people` below; here, teams would ask for the days of a whole month.
    people: { ...loaded.people, current: () => ANONYMOUS },
    orgs: loaded.orgs.map((org) => ({ ...org, platform: people.watched(org.platform) })),
  };
  await using past = await openPast(context, config);
  // The day before yesterday will do if yesterday is not available yet.
  const { orgs, failed } = await past.fetch(allCollectors, addDays(yesterday, -1));
  const estimates = [];
  for (const known of orgs) {
    estimates.push(await estimateOrg({ ...known, config, people, failed, clock: past.clock }));
  }
  stdout.write(
    json ? `${JSON.stringify({ organizations: estimates }, null, 2)}\n` : renderEstimates(estimates),
  );
  if (failed.length > 0) stderr.write(`failed: ${failed.join(', ')}\n`);
  return failed.length > 0 ? 1 : 0;
}

const heads = ['collector, label', 'values', 'after limits', 'series', 'after limits'] as const;

/** Renders estimates as tables. */
function renderEstimates(estimates: readonly OrgEstimate[]): string {
  return `${estimates.map(renderOrg).join('\n')}\n${notes.join('\n')}\n`;
}

function renderOrg(org: OrgEstimate): string {
  const total = ['as configured', '', '', String(org.series), String(org.seriesAfterLimits)];
  const table = columns([heads, ...org.collectors.flatMap(rowsOf), total]);
  return [`Organization ${org.organization}, at most ${org.seriesLimit} series`, '', ...table, ''].join('\n');
}

function rowsOf(estimate: OrgEstimate['collectors'][number]): readonly (readonly string[])[] {
  const { collector, identity, configured, failed, series, seriesAfterLimits, labels, leftOut } = estimate;
  const way = identity === undefined ? '' : `, identity ${identity}`;
  const state = failed ? ' (failed)' : configured ? '' : ' (off)';
  return [
    [`${collector}${way}${state}`, '', '', String(series), String(seriesAfterLimits)],
    ...labels.map((one) => [
      `  ${one.label}`,
      String(one.values),
      String(one.valuesAfterLimits),
      String(one.series),
      String(one.seriesAfterLimits),
    ]),
    ...leftOut.map((one) => [`  without ${one.family} (${one.setting})`, '', '', '', `-${one.series}`]),
  ];
}

const notes = [
  'After limits: with limits.values_per_label and, for collectors, limits.series, which all enabled collectors share.',
  'Without: series that the setting leaves out; they are not part of the numbers above.',
  'Each disabled collector is counted as if it alone were enabled in addition. Per-user series are those of the newest',
  'days; people who were seen in the 28 days before and are missing add zeros later.',
];
