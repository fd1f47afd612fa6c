import { addDays, type Day, yesterdayOf } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import { activityCollector } from '../collectors/activity/collector.ts';
import { productivityCollector } from '../collectors/productivity/collector.ts';
import { readinessCollector } from '../collectors/readiness/collector.ts';
import { tokensCollector } from '../collectors/tokens/collector.ts';
import { tokensDataset } from '../collectors/tokens/dataset.ts';
import { toolsCollector } from '../collectors/tools/collector.ts';
import { usersCollector } from '../collectors/users/collector.ts';
import { reportOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import { openOutput, outputFile } from '../export/sink.ts';
import { ConfigError } from '../text/errors.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { withViews } from './past.ts';
import { reportHtml, reportMarkdown, reportSlack } from './report/render.ts';
import { lastPeriod, type Period, periodBefore, periodOf, type Report, reportOf } from './report/report.ts';

const FORMATS = { html: reportHtml, markdown: reportMarkdown, slack: reportSlack };

/**
 * Reports a week or a month; exit code 1 if it is not the last one that is over, if figures of its days are unknown, or if a
 * collector failed, and standard error says which.
 */
export async function run(context: CommandContext): Promise<number> {
  const { period: kind, day, org, format, output } = await loadValues(reportOptions, context);
  const today = createSystemClock().now();
  const newest = yesterdayOf(today);
  if (day !== undefined && day > newest) {
    throw new ConfigError(`--day: ${day} is not over yet; the newest complete day is ${newest}`);
  }
  const periodIn = ({ contract }: Pick<OrgSettings, 'contract'>, known?: Day) =>
    day === undefined
      ? lastPeriod(kind, today, contract?.periodStarts, known)
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
    // Two before it: the last days of the last period may not be known yet.
    fromOf: (settings: OrgSettings) => {
      const before = (period: Period) => periodBefore(period, settings.contract?.periodStarts);
      return (day === undefined ? before(before(periodIn(settings))) : before(periodIn(settings))).first;
    },
  };
  return withViews(context, wanted, async (orgs) => {
    const reports = orgs.map(({ settings, platform, viewAt }) => {
      const period = periodIn(settings, viewAt(today).newestDay(tokensDataset));
      const report = { ...reportOf(settings.name, period, newest, viewAt), platform: platform?.title };
      return { report, last: periodIn(settings) };
    });
    await using sink = await openOutput(file, context.stdout);
    await sink.write(FORMATS[format](reports.map(({ report }) => report)));
    await sink.finish();
    const gaps = reports.flatMap(({ report, last }) => gapOf(report, last) ?? []);
    for (const gap of gaps) context.stderr.write(`${gap}\n`);
    if (day === undefined) context.stderr.write(endsToday(kind, newest, orgs[0]?.settings.contract));
    return gaps.length === 0;
  });
}

/** A note for whoever is ahead of UTC: the period that is over there is not over yet. */
function endsToday(kind: Period['kind'], newest: Day, contract: OrgSettings['contract']): string {
  const { first, last } = periodOf(kind, addDays(newest, 1), contract?.periodStarts);
  return last === addDays(newest, 1) ? `the ${kind} of ${first} to ${last} ends at 00:00 UTC\n` : '';
}

/** What a report lacks, in words; undefined if it has all of the last period. */
function gapOf({ org, period, days, figures }: Report, last: Period): string | undefined {
  if (period.last < last.last) {
    return `${org}: the ${period.kind} of ${last.first} to ${last.last} is not reported: ${last.last} is not known yet`;
  }
  if (days.length === 0 || figures.length === 0)
    return `${org}: no day of the ${period.kind} is over and known`;
  const unknown = figures.filter((figure) => figure.unknown > 0).map(({ title }) => title);
  return unknown.length === 0
    ? undefined
    : `${org}: unknown on some days: ${[...new Set(unknown)].join(', ')}`;
}
