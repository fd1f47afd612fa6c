import path from 'node:path';
import { missingOf } from '../backfill/missing.ts';
import { type Collector, withoutFamilies } from '../catalog/collector.ts';
import type { Family } from '../catalog/family.ts';
import { preciseSum } from '../collectors/counts.ts';
import { spendFamilies as spend, spendCollector } from '../collectors/spend/collector.ts';
import { tokenFamilies as tokens, tokensCollector } from '../collectors/tokens/collector.ts';
import { accountedFamilies, userFamilies as people, usersCollector } from '../collectors/users/collector.ts';
import { exportOptions } from '../config/command-options.ts';
import type { Config } from '../config/config.ts';
import { readNamed } from '../config/followed.ts';
import { loadValues } from '../config/load.ts';
import type { ValuesOf } from '../config/option.ts';
import { createCorrections } from '../export/corrections.ts';
import { spellingOf } from '../export/csv.ts';
import { describeExport, exportDays } from '../export/export.ts';
import { createFocusFormat } from '../export/focus.ts';
import type { ExportFormat } from '../export/format.ts';
import { isExpectation } from '../export/month.ts';
import { rangeToExport } from '../export/range.ts';
import { openOutput, outputFile } from '../export/sink.ts';
import { createJsonlFormat, createTidyFormat, createWideFormat } from '../export/tables.ts';
import type { Files } from '../files/reader.ts';
import { defaultPlatform } from '../platforms/index.ts';
import { MEMORY } from '../store/sqlite.ts';
import { ConfigError, messageOf } from '../text/errors.ts';
import { createSystemClock } from '../work/clock.ts';
import type { CommandContext } from './command.ts';
import { chooseCollectors, loadForOrgs, openPast, pagesOf } from './past.ts';

/** The resolved options of the command. */
type Values = ValuesOf<typeof exportOptions>;
type Chosen = Awaited<ReturnType<typeof loadForOrgs>>;

/** Lets spreadsheets read a file as UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Writes stored days to a file, to a file for each organization, or to standard output; exit code 1 if days are missing or it was
 * interrupted.
 */
export async function run(context: CommandContext): Promise<number> {
  const values = await loadValues(exportOptions, context);
  const chosen = await loadForOrgs(context, values.org);
  if (!values.split) return exportOrgs(context, values, chosen);
  const { output, corrections } = values;
  if (output === undefined) throw new ConfigError('--split needs --output, whose name each file begins with');
  let code = 0;
  for (const org of chosen.config.orgs) {
    const own = { ...chosen, config: { ...chosen.config, orgs: [org] } };
    const files = {
      output: ofOrg(output, org.name),
      corrections: corrections === undefined ? undefined : ofOrg(corrections, org.name),
    };
    code = Math.max(code, await exportOrgs(context, { ...values, ...files }, own));
  }
  return code;
}

/** The path of an organization's own file. */
function ofOrg(file: string, org: string): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}-${org}${ext}`);
}

async function exportOrgs(context: CommandContext, values: Values, chosen: Chosen): Promise<number> {
  const { stdout, stderr } = context;
  const { config } = chosen;
  const { format, collectors, published } = formatOf(values, config);
  const range = rangeToExport(values, config, createSystemClock().now());
  const closed = await closedFile(values.corrections, format, context.files);
  // What is not stored may be another tomorrow.
  const isStored =
    values.month !== undefined && (config.storage.url !== undefined || config.storage.path !== MEMORY);
  const output = values.output === undefined ? undefined : await outputFile(values.output);

  await using past = await openPast(context, config);
  const progress = past.progressOf({ verb: 'Exporting', unit: 'days' });
  try {
    await using sink = await openOutput(output, stdout);
    const names = config.orgs.map(({ name }) => name);
    const corrections = closed && createCorrections(closed.text, closed.compared, names, sink);
    // Programs read the other layout.
    if (output !== undefined && values.format === 'csv' && values.layout !== 'tidy') {
      await sink.write(BYTE_ORDER_MARK);
    }
    const { orgs, failed } = isStored
      ? { orgs: await past.stored(), failed: [] }
      : await past.fetch(collectors, range.from);
    const outcome = await exportDays({
      // The families about the data describe the exporter's knowledge at one moment, not a day.
      pages: pagesOf(chosen, collectors, [], past),
      orgs,
      // Rows and a bar on the same terminal would overwrite each other.
      progress: values.output === undefined && stdout.isTTY === true ? SILENT : progress,
      collectors: published,
      sumOfMonth: values.by === 'month' ? preciseSum : undefined,
      ...range,
      format,
      sink: corrections ?? sink,
      signal: past.signal,
    });
    const { lines, code } = missingOf(outcome, failed);
    stderr.write(describeExport(outcome, lines, `${range.from} to ${range.to}`, corrections?.count()));
    return outcome.open !== undefined ? 1 : code;
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    stderr.write(`agent-platform-exporter: cannot write the export: ${messageOf(error)}\n`);
    return 1;
  }
}

/** The text of the file that a closed month was written to, and how the format is compared with it. */
async function closedFile(path: string | undefined, { compared }: ExportFormat, files: Files) {
  if (path === undefined) return undefined;
  if (compared === undefined) throw new ConfigError('--corrections compares CSV, not --format=jsonl');
  return { compared, text: await readNamed(files, path, `--corrections: ${path}`) };
}

const SILENT = { show: () => undefined, clear: () => undefined };

const FOCUS_COLLECTORS: readonly Collector[] = [tokensCollector, spendCollector];

/**
 * The format, the collectors that it needs, and what of them is written; throws a `ConfigError` if the configuration lacks something.
 */
export function formatOf(values: Values, config: Config) {
  const { format, layout, by, collector, delimiter } = values;
  const isFocus = format === 'focus';
  const conflicts = {
    '--layout': layout !== undefined && (isFocus || (format === 'jsonl' && layout === 'wide')),
    '--collector': isFocus && collector.length > 0,
    '--delimiter': format !== 'csv' && delimiter !== undefined,
    [`--by=${by}`]: by === (isFocus ? 'month' : 'team'),
  };
  const [conflict] = Object.entries(conflicts).find(([, isOne]) => isOne) ?? [];
  if (conflict !== undefined) {
    throw new ConfigError(
      `${conflict} cannot be combined with --format=${format}`,
      'focus has the cost of each day, by model or team; the other formats have all figures by day or month',
    );
  }
  if (isFocus) return focusOf(by === 'team', config);
  const period = by === 'month' ? 'month' : 'day';
  const collectors = chooseCollectors(config, collector, 'exported');
  const all = collectors.flatMap(({ families }) => families);
  // Single people are stored for a few weeks only, so that a closed month with them would not stay as it is.
  const leftOut = [
    ...(values.criteria ? [] : ['criterion']),
    ...(values.month === undefined ? [] : ['user']),
  ];
  // A closed month has nothing ahead.
  const detailed = all.filter(
    (family) =>
      family.labels.some((label) => leftOut.includes(label)) ||
      (period === 'month' && values.month !== undefined && isExpectation(family.name)),
  );
  // A column of what no platform of these organizations reports would always be empty.
  const foreign = all.filter(
    ({ isFor }) => isFor && !config.orgs.some(({ platform }) => isFor(platform.money)),
  );
  const hidden = [...config.metrics.excluded, ...[...detailed, ...foreign].map(({ name }) => name)];
  const visible = withoutFamilies(collectors, new Set(hidden));
  const published = period === 'month' ? visible.map(withAccounted) : visible;
  if (format === 'jsonl') return { format: createJsonlFormat(period), collectors, published };
  const families = published.flatMap((one) => one.families);
  const spelling = delimiter && spellingOf(delimiter);
  const csv =
    layout === 'tidy' ? createTidyFormat(period, spelling) : createWideFormat(period, families, spelling);
  return { format: csv, collectors, published };
}

/** A collector whose teams add up over days: one cost of a team and month in every file. */
function withAccounted(collector: Collector): Collector {
  const accounted = new Map<string, Family>(accountedFamilies.map((family) => [family.name, family]));
  const families = collector.families.map((family) => accounted.get(family.name) ?? family);
  return { ...collector, families };
}

function focusOf(isByTeam: boolean, config: Config) {
  const unpriced = config.orgs.find(
    ({ contract, platform }) =>
      platform.money.currency === undefined && (contract?.prices ?? []).length === 0,
  );
  if (unpriced !== undefined) {
    throw new ConfigError(
      `--format=focus: no prices are set for the organization ${unpriced.name}`,
      'set orgs[].prices in the configuration file: without a price there is no cost',
    );
  }
  if (isByTeam && config.collectors.get(usersCollector.name) !== true) {
    throw new ConfigError(
      '--by=team: the collector users is off',
      'set collectors.users.enabled: it sums the credits of teams',
    );
  }
  const ofTeams = { ...usersCollector, families: accountedFamilies };
  const families = {
    cost: spend.dailyCost,
    credits: tokens.dailyCredits,
    price: spend.creditPrice,
    listCost: spend.dailyListCost,
    billedCost: spend.dailyBilledCost,
    listCostOfParts: isByTeam ? undefined : spend.dailyListCostByModel,
    billedCostOfParts: isByTeam ? undefined : spend.dailyBilledCostByModel,
    costOfParts: isByTeam ? people.dailyCostByTeam : spend.dailyCostByModel,
    creditsOfParts: isByTeam ? people.dailyCreditsByTeam : tokens.dailyCreditsByModel,
  };
  const platforms = new Map(config.orgs.map(({ name, platform }) => [name, platform]));
  const namesOf = (org: string) => (platforms.get(org) ?? defaultPlatform).focus;
  const isRevised = config.orgs.some(({ platform }) => platform.days.tokens?.revisedFor !== undefined);
  return {
    format: createFocusFormat(isByTeam ? 'team' : 'model', families, namesOf, isRevised),
    collectors: isByTeam ? [...FOCUS_COLLECTORS, usersCollector] : FOCUS_COLLECTORS,
    // A charge needs all of them, whether they are published or not.
    published: isByTeam ? [...FOCUS_COLLECTORS, ofTeams] : FOCUS_COLLECTORS,
  };
}
