import { newestStampedDay } from '../backfill/sample-times.ts';
import { type Collector, isDayCollector } from '../catalog/collector.ts';
import type { DayDataset } from '../catalog/dataset.ts';
import type { Day, Instant } from '../catalog/day.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import { quoted } from '../config/parse.ts';
import { ConfigError } from '../runtime/errors.ts';
import { suggestion } from '../runtime/suggestion.ts';
import type { BackfillValues } from './backfill-target.ts';
import type { CommandContext } from './command.ts';

// The choices of the commands that write past days: organizations, collectors, days.

/** The configuration of the chosen organizations, and the total number of organizations. */
export interface ChosenOrgs {
  readonly config: Config;
  readonly configured: number;
}

/**
 * Loads the configuration and keeps the named organizations, or all if none is named. A name that the configuration
 * does not contain is given to the organization of flags and environment, as with `serve --org`.
 */
export async function loadForOrgs(context: CommandContext, names: readonly string[]): Promise<ChosenOrgs> {
  const config = await loadConfig({
    ...context,
    flags: withOrg(context, undefined),
    collectors: allCollectors,
  });
  const unknown = names.filter((name) => !config.orgs.some((org) => org.name === name));
  const [first] = unknown;
  if (first === undefined) return keepOrgs(config, names);
  const renamed = await loadConfig({ ...context, flags: withOrg(context, first), collectors: allCollectors });
  return keepOrgs(renamed, names);
}

function withOrg(context: CommandContext, name: string | undefined): CommandContext['flags'] {
  const flags = new Map(context.flags);
  flags.delete('org');
  if (name !== undefined) flags.set('org', { texts: [name], origin: '--org' });
  return flags;
}

function keepOrgs(config: Config, names: readonly string[]): ChosenOrgs {
  const configured = config.orgs.length;
  if (names.length === 0) return { config, configured };
  const known = config.orgs.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new ConfigError(
      `--org: unknown organization ${unknown}`,
      suggestion(unknown, known) ?? `configured organizations: ${known.join(', ')}`,
    );
  }
  return { config: { ...config, orgs: config.orgs.filter(({ name }) => names.includes(name)) }, configured };
}

/** The collectors to backfill: the named ones, or by default the enabled ones whose past can be reconstructed. */
export function chooseCollectors(
  config: Config,
  names: readonly string[],
  verb = 'backfilled',
): readonly Collector[] {
  if (names.length === 0) {
    return allCollectors.filter(
      (collector) => config.collectors.get(collector.name) === true && canReconstructPast(collector),
    );
  }
  for (const name of names) {
    const collector = allCollectors.find((candidate) => candidate.name === name);
    const known = allCollectors.filter(canReconstructPast).map((candidate) => candidate.name);
    if (collector === undefined) {
      throw new ConfigError(
        `--collector: unknown collector ${quoted(name)}`,
        suggestion(name, known) ?? `the collectors are ${known.join(', ')}`,
      );
    }
    if (!canReconstructPast(collector)) {
      throw new ConfigError(
        `--collector: ${name} cannot be ${verb}`,
        'the platform lists its present state only',
      );
    }
  }
  return allCollectors.filter(({ name }) => names.includes(name));
}

/** The label names of the collectors' metrics and of the metrics about the data. */
export function labelNames(collectors: readonly Collector[]): ReadonlySet<string> {
  const own = collectors.flatMap(({ families }) => families.flatMap(({ labels }) => labels));
  return new Set(['org', 'org_id', 'dataset', ...own]);
}

/** The days to backfill, inclusive; days that the live series covers are excluded. */
export function rangeOf(values: BackfillValues, config: Config, now: Instant): { from: Day; to: Day } {
  const newest = newestStampedDay(values.step, now);
  return rangeUpTo(
    newest,
    values,
    config,
    'is still covered by the live series; the newest day to backfill is',
  );
}

/**
 * The chosen days up to the newest possible one, inclusive: by default all since the start of history. `tooNew` is what to
 * say of a first day after the newest one. Throws a `ConfigError` if no day is left.
 */
export function rangeUpTo(
  newest: Day,
  values: { readonly from: Day | undefined; readonly to: Day | undefined },
  config: Pick<Config, 'history'>,
  tooNew: string,
): { from: Day; to: Day } {
  const { start } = config.history;
  const from = values.from ?? start;
  const to = values.to === undefined || values.to > newest ? newest : values.to;
  if (from < start) {
    throw new ConfigError(
      `--from: ${from} is before ${start}, the first day that is fetched`,
      'start with that day, or change --history.start',
    );
  }
  if (to < from) {
    throw new ConfigError(
      values.to !== undefined && values.to < from
        ? `--to: ${values.to} is before the first day, ${from}`
        : `--from: ${from} ${tooNew} ${newest}`,
    );
  }
  return { from, to };
}

/** The datasets whose newest days show how far the platform has reported. */
export function datasetsOf(config: Config, chosen: readonly Collector[]): readonly DayDataset<unknown>[] {
  const seen = allCollectors.filter(
    (collector) => config.collectors.get(collector.name) === true || chosen.includes(collector),
  );
  return seen.filter(isDayCollector).map(({ dataset }) => dataset);
}

function canReconstructPast(collector: Collector): boolean {
  return !('past' in collector) || collector.past !== 'unknown';
}
