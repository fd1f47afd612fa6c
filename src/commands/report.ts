import { yesterdayOf } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import { activityCollector } from '../collectors/activity/collector.ts';
import { productivityCollector } from '../collectors/productivity/collector.ts';
import { readinessCollector } from '../collectors/readiness/collector.ts';
import { tokensCollector } from '../collectors/tokens/collector.ts';
import { toolsCollector } from '../collectors/tools/collector.ts';
import { usersCollector } from '../collectors/users/collector.ts';
import { reportOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import { openOutput, outputFile } from '../export/output-file.ts';
import { reportHtml, reportMarkdown } from '../report/render.ts';
import { lastPeriod, periodBefore, periodOf, reportOf } from '../report/report.ts';
import { createSystemClock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import type { CommandContext } from './command.ts';
import { withViews } from './past.ts';

const FORMATS = { html: reportHtml, markdown: reportMarkdown };

/** Reports a week or a month; exit code 1 if figures of its days are unknown, or if a collector failed. */
export async function run(context: CommandContext): Promise<number> {
  const { period: kind, day, org, format, output } = await loadValues(reportOptions, context);
  const today = createSystemClock().now();
  const newest = yesterdayOf(today);
  if (day !== undefined && day > newest) {
    throw new ConfigError(`--day: ${day} is not over yet; the newest complete day is ${newest}`);
  }
  const periodIn = ({ contract }: Pick<OrgSettings, 'contract'>) =>
    day === undefined
      ? lastPeriod(kind, today, contract?.periodStarts)
      : periodOf(kind, day, contract?.periodStarts);
  const file = output === undefined ? undefined : await outputFile(output);
  const wanted = {
    orgs: org,
    collectors: [
      tokensCollector,
      activityCollector,
      productivityCollector,
      toolsCollector,
      usersCollector,
      readinessCollector,
    ],
    fromOf: (settings: OrgSettings) =>
      periodBefore(periodIn(settings), settings.contract?.periodStarts).first,
  };
  return withViews(context, wanted, async (orgs) => {
    const reports = orgs.map(({ settings, viewAt }) =>
      reportOf(settings.name, periodIn(settings), newest, viewAt),
    );
    await using sink = await openOutput(file, context.stdout);
    await sink.write(FORMATS[format](reports));
    await sink.finish();
    return reports.every(
      ({ days, figures }) =>
        days.length > 0 && figures.length > 0 && figures.every(({ unknown }) => unknown === 0),
    );
  });
}
