import type { Day } from '../catalog/day.ts';
import { activityCollector } from '../collectors/activity/collector.ts';
import { explain } from '../collectors/explain/explain.ts';
import { fourWeeksBefore } from '../collectors/explain/usage.ts';
import { productivityCollector } from '../collectors/productivity/collector.ts';
import { measureOf } from '../collectors/spend/measure.ts';
import { tokensCollector } from '../collectors/tokens/collector.ts';
import { tokensDataset } from '../collectors/tokens/dataset.ts';
import { toolsCollector } from '../collectors/tools/collector.ts';
import { usersCollector } from '../collectors/users/collector.ts';
import { explainOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import { explanationJson, explanationMarkdown, explanationText } from '../page/explanation.ts';
import type { CommandContext } from './command.ts';
import { withViews } from './past.ts';

const FORMATS = { text: explanationText, json: explanationJson, markdown: explanationMarkdown };

/** Explains why credits changed between days; exit code 1 if those of a side are unknown, or if a collector failed. */
export async function run(context: CommandContext): Promise<number> {
  const { from, to, org, format } = await loadValues(explainOptions, context);
  const wanted = {
    orgs: org,
    // The output and the tools tell whether a day without a row was idle.
    collectors: [tokensCollector, activityCollector, usersCollector, productivityCollector, toolsCollector],
    fromOf: () => [...(from ?? []), ...(to ?? [])][0],
  };
  return withViews(context, wanted, async (orgs, now) => {
    const explained = orgs.map(({ settings: { name }, platform, viewAt }) => {
      const view = viewAt(now);
      const newest = view.newestDay(tokensDataset);
      const after = to ?? (newest === undefined ? [] : [newest]);
      return {
        org: name,
        platform,
        measure: measureOf(view),
        explanation: explain(view, from ?? weeksBefore(after), after),
      };
    });
    context.stdout.write(FORMATS[format](explained));
    return explained.every(({ explanation }) => explanation !== undefined);
  });
}

/** The same weekdays of the four weeks before, without the days themselves. */
function weeksBefore(days: readonly Day[]): readonly Day[] {
  const before = new Set(days.flatMap(fourWeeksBefore));
  return [...before].filter((day) => !days.includes(day)).sort();
}
