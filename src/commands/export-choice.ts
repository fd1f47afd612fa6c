import { type Collector, withoutFamilies } from '../catalog/collector.ts';
import { type Day, type Instant, yesterdayOf } from '../catalog/day.ts';
import { creditPrice, dailyCost, dailyCostByModel, spendCollector } from '../collectors/spend/collector.ts';
import { dailyCredits, dailyCreditsByModel, tokensCollector } from '../collectors/tokens/collector.ts';
import { dailyCostByTeam, dailyCreditsByTeam, usersCollector } from '../collectors/users/collector.ts';
import type { exportOptions } from '../config/command-options.ts';
import type { Config } from '../config/config.ts';
import type { ValuesOf } from '../config/option.ts';
import type { ExportOutcome } from '../export/export.ts';
import { createFocusFormat } from '../export/focus.ts';
import type { ExportFormat } from '../export/format.ts';
import { createJsonlFormat, createTidyFormat } from '../export/tidy.ts';
import { createWideFormat } from '../export/wide.ts';
import { ConfigError } from '../runtime/errors.ts';
import { chooseCollectors, describeMissing, rangeUpTo } from './past.ts';

const FOCUS_COLLECTORS: readonly Collector[] = [tokensCollector, spendCollector];

/** The resolved options of the command. */
type ExportValues = ValuesOf<typeof exportOptions>;

/**
 * The format, the collectors that it needs, and what of them is written; throws a `ConfigError` if the configuration lacks something.
 */
export function formatOf(
  values: ExportValues,
  config: Config,
): {
  readonly format: ExportFormat;
  readonly collectors: readonly Collector[];
  readonly published: readonly Collector[];
} {
  const { format, layout, collector } = values;
  if (layout !== undefined && format !== 'csv' && !(layout === 'tidy' && format === 'jsonl')) {
    throw new ConfigError(`--layout=${layout} cannot be combined with --format=${format}`);
  }
  if (format !== 'focus') {
    if (values.by === 'team') {
      throw new ConfigError(
        `--by=team cannot be combined with --format=${format}`,
        'its rows are of days or months, those of teams among them; --format=focus has rows of teams alone',
      );
    }
    const { by } = values;
    const collectors = chooseCollectors(config, collector, 'exported');
    const hidden = values.criteria ? [] : criterionFamilies(collectors);
    const published = withoutFamilies(collectors, new Set([...config.metrics.excluded, ...hidden]));
    if (format === 'jsonl') return { format: createJsonlFormat(by), collectors, published };
    const families = published.flatMap((one) => one.families);
    const csv = layout === 'tidy' ? createTidyFormat(by) : createWideFormat(by, families);
    return { format: csv, collectors, published };
  }
  if (values.by === 'month') {
    throw new ConfigError('--by=month cannot be combined with --format=focus', 'its charges are of days');
  }
  if (collector.length > 0) {
    throw new ConfigError(
      '--collector cannot be combined with --format=focus',
      'the format contains credits and their cost, and nothing else',
    );
  }
  const unpriced = config.orgs.find(({ contract }) => (contract?.prices ?? []).length === 0);
  if (unpriced !== undefined) {
    throw new ConfigError(
      `--format=focus: no prices are set for the organization ${unpriced.name}`,
      'set orgs[].prices in the configuration file: without a price there is no cost',
    );
  }
  const totals = { cost: dailyCost.name, credits: dailyCredits.name, price: creditPrice.name };
  if (values.by === 'team') {
    if (config.collectors.get(usersCollector.name) !== true) {
      throw new ConfigError(
        '--by=team: the collector users is off',
        'set collectors.users.enabled: it sums the credits of teams',
      );
    }
    const ofTeams = { ...usersCollector, families: [dailyCreditsByTeam, dailyCostByTeam] };
    return {
      format: createFocusFormat('team', {
        ...totals,
        costOfParts: dailyCostByTeam.name,
        creditsOfParts: dailyCreditsByTeam.name,
      }),
      collectors: [...FOCUS_COLLECTORS, usersCollector],
      published: [...FOCUS_COLLECTORS, ofTeams],
    };
  }
  return {
    format: createFocusFormat('model', {
      ...totals,
      costOfParts: dailyCostByModel.name,
      creditsOfParts: dailyCreditsByModel.name,
    }),
    collectors: FOCUS_COLLECTORS,
    // A charge needs all of them, whether they are published or not.
    published: FOCUS_COLLECTORS,
  };
}

/** The names of the families that describe criteria. */
function criterionFamilies(collectors: readonly Collector[]): readonly string[] {
  const families = collectors.flatMap((collector) => collector.families);
  return families.flatMap(({ name, labels }) => (labels.includes('criterion') ? name : []));
}

/** The days to export, inclusive: by default everything that is over. */
export function rangeToExport(
  values: Pick<ExportValues, 'from' | 'to'>,
  config: Pick<Config, 'history'>,
  now: Instant,
): { from: Day; to: Day } {
  return rangeUpTo(yesterdayOf(now), values, config, 'is not over yet; the newest complete day is');
}

/** Summarizes an export in a few lines. */
export function describeExport(outcome: ExportOutcome, failed: readonly string[], range: string): string {
  const lines = [`${outcome.rows} rows of ${range}`, ...describeMissing(outcome, failed)];
  if (outcome.interrupted) lines.push('interrupted; the output is incomplete');
  return `${lines.join('\n')}\n`;
}
