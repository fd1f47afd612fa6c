import { addDays, later, yesterdayOf } from '../catalog/day.ts';
import { ANONYMOUS } from '../catalog/settings.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import { estimateOptions } from '../config/command-options.ts';
import { loadConfig, loadValues } from '../config/load.ts';
import { REMEMBERED_DAYS } from '../pipeline/zeros.ts';
import { MEMORY } from '../store/sqlite.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { estimateOrg } from './estimate/org.ts';
import { createPeopleByIdentity } from './estimate/people.ts';
import { renderEstimates } from './estimate/table.ts';
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
