import type { Day } from '../catalog/day.ts';
import { activityCollector } from '../collectors/activity/collector.ts';
import { tokensCollector } from '../collectors/tokens/collector.ts';
import { tokensDataset } from '../collectors/tokens/dataset.ts';
import { usersCollector } from '../collectors/users/collector.ts';
import { explainOptions } from '../config/command-options.ts';
import type { Config } from '../config/config.ts';
import { loadValues } from '../config/load.ts';
import { explain } from '../explain/explain.ts';
import { type ExplainedOrg, explanationJson, explanationMarkdown, explanationText } from '../explain/text.ts';
import { fourWeeksBefore } from '../explain/usage.ts';
import { firstDayOf } from '../pipeline/days-to-fetch.ts';
import { createView } from '../pipeline/view.ts';
import { createSystemClock } from '../runtime/clock.ts';
import type { CommandContext } from './command.ts';
import { createDisplay } from './display.ts';
import { loadForOrgs } from './past-choice.ts';
import { openPast, readOrgs, settingsOf } from './past-days.ts';
import { fetchAll } from './past-fetch.ts';

const FORMATS = { text: explanationText, json: explanationJson, markdown: explanationMarkdown };

/** Explains why credits changed between days; exit code 1 if those of a side are unknown, or if a collector failed. */
export async function run(context: CommandContext): Promise<number> {
  const { version, stdout, stderr } = context;
  const values = await loadValues(explainOptions, context);
  const { config } = await loadForOrgs(context, values.org);
  const clock = createSystemClock();
  const { log, fetching } = createDisplay(stderr, config, clock);
  const history = await openPast(config, clock, log);
  const now = clock.now();
  const orgs = settingsOf(config);
  const collectors = [tokensCollector, activityCollector, usersCollector].filter(
    (collector) => collector === tokensCollector || config.collectors.get(collector.name) === true,
  );
  try {
    const from = [...(values.from ?? []), ...(values.to ?? [])][0] ?? config.history.start;
    const failed = await fetchAll({
      ...{ config, orgs, from, collectors, history, version, progress: fetching, clock, log },
      signal: context.stopSignal(),
    });
    const explained: ExplainedOrg[] = [];
    for (const known of await readOrgs(history, orgs)) {
      const view = createView(
        { ...known, ...boundsOf(config, now), datasets: collectors.map(({ dataset }) => dataset) },
        now,
      );
      const newest = view.newestDay(tokensDataset);
      const to = values.to ?? (newest === undefined ? [] : [newest]);
      const explanation = explain(view, values.from ?? weeksBefore(to), to);
      explained.push({ org: known.settings.name, explanation });
    }
    stdout.write(FORMATS[values.format](explained));
    if (failed.length > 0) stderr.write(`failed to fetch: ${failed.join(', ')}\n`);
    return failed.length > 0 || explained.some(({ explanation }) => explanation === undefined) ? 1 : 0;
  } finally {
    await history.close();
    await log.close();
  }
}

function boundsOf({ history }: Config, now: number) {
  const { start: historyStart, retentionDays } = history;
  return { historyStart, firstDay: firstDayOf({ historyStart, retentionDays }, now) };
}

/** The same weekdays of the four weeks before, without the days themselves. */
function weeksBefore(days: readonly Day[]): readonly Day[] {
  const before = new Set(days.flatMap(fourWeeksBefore));
  return [...before].filter((day) => !days.includes(day)).sort();
}
