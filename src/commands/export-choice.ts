import { type Collector, withoutFamilies } from '../catalog/collector.ts';
import type { Family } from '../catalog/family.ts';
import { spendFamilies as spend, spendCollector } from '../collectors/spend/collector.ts';
import { tokenFamilies as tokens, tokensCollector } from '../collectors/tokens/collector.ts';
import { accountedFamilies, userFamilies as people, usersCollector } from '../collectors/users/collector.ts';
import type { exportOptions } from '../config/command-options.ts';
import type { Config } from '../config/config.ts';
import type { ValuesOf } from '../config/option.ts';
import { spellingOf } from '../export/csv.ts';
import { createFocusFormat } from '../export/focus.ts';
import { isExpectation } from '../export/month.ts';
import { createJsonlFormat, createTidyFormat } from '../export/tidy.ts';
import { createWideFormat } from '../export/wide.ts';
import { defaultPlatform } from '../platforms/index.ts';
import { ConfigError } from '../text/errors.ts';
import { chooseCollectors } from './past.ts';

const FOCUS_COLLECTORS: readonly Collector[] = [tokensCollector, spendCollector];

/** The resolved options of the command. */
type ExportValues = ValuesOf<typeof exportOptions>;

/**
 * The format, the collectors that it needs, and what of them is written; throws a `ConfigError` if the configuration lacks something.
 */
export function formatOf(values: ExportValues, config: Config) {
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
