import { openInMemory } from '../app/store.ts';
import { addDays, yesterdayOf } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import { estimateOptions } from '../config/command-options.ts';
import { loadConfig, loadValues } from '../config/load.ts';
import { createSystemClock } from '../runtime/clock.ts';
import type { CommandContext } from './command.ts';
import { createDisplay } from './display.ts';
import { estimateOrg } from './estimate-org.ts';
import { createPeopleByIdentity } from './estimate-people.ts';
import { renderEstimates } from './estimate-table.ts';
import { fetchAll } from './past.ts';

/** The number of days for which a label value that is no longer reported is remembered. */
const REMEMBERED_DAYS = 28;

/** Polls once, stores nothing, and prints the number of series of each collector; exit code 1 if a collector failed. */
export async function run(context: CommandContext): Promise<number> {
  const { version, stdout, stderr } = context;
  const { json } = await loadValues(estimateOptions, context);
  const config = await loadConfig({ ...context, collectors: allCollectors });
  const clock = createSystemClock();
  const yesterday = yesterdayOf(clock.now());
  const { log, fetching } = createDisplay(stderr, config, clock);
  const history = openInMemory({ collectors: allCollectors, clock, log });
  const people = createPeopleByIdentity(config.people.current());
  const orgs = config.orgs.map(
    ({ name, contract, daysOff }): OrgSettings => ({ name, readiness: config.readiness, contract, daysOff }),
  );
  const start = addDays(yesterday, -REMEMBERED_DAYS);
  const historyStart = start > config.history.start ? start : config.history.start;
  try {
    const failed = await fetchAll({
      config: { ...config, history: { ...config.history, start: historyStart } },
      orgs,
      // The day before yesterday will do if yesterday is not available yet.
      from: addDays(yesterday, -1),
      collectors: allCollectors.map(people.watched),
      ...{ history, version, clock, log, signal: context.stopSignal(), progress: fetching },
    });
    const estimates = [];
    for (const settings of orgs) {
      const known = await history.read(settings.name);
      estimates.push(
        await estimateOrg({ config, settings, history: known, people, failed, historyStart, clock }),
      );
    }
    stdout.write(
      json ? `${JSON.stringify({ organizations: estimates }, null, 2)}\n` : renderEstimates(estimates),
    );
    if (failed.length > 0) stderr.write(`failed: ${failed.join(', ')}\n`);
    return failed.length > 0 ? 1 : 0;
  } finally {
    await log.close();
  }
}
