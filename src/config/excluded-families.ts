import { ConfigError } from '../text/errors.ts';
import { nearest } from '../text/suggestion.ts';
import { wildcard } from '../text/wildcard.ts';
import type { CollectorChoice } from './option.ts';
import { quoted } from './parse.ts';

/**
 * The names of the metric families that match one of the patterns, in which `*` stands for any characters. Throws a
 * `ConfigError` for a pattern that matches none: it would be a typing error that publishes what should be left out.
 */
export function excludedFamilies(
  patterns: readonly string[],
  collectors: readonly CollectorChoice[],
): ReadonlySet<string> {
  const names = collectors.flatMap(({ families = [] }) => families.map(({ name }) => name));
  const excluded = new Set<string>();
  for (const pattern of patterns) {
    const matching = names.filter(wildcard(pattern));
    if (matching.length === 0 && names.length > 0) throw unknown(pattern, names);
    for (const name of matching) excluded.add(name);
  }
  return excluded;
}

function unknown(pattern: string, names: readonly string[]): ConfigError {
  const near = nearest(pattern.replaceAll('*', ''), names);
  return new ConfigError(
    `metrics.exclude: ${quoted(pattern)} matches no metric`,
    near === undefined
      ? 'docs/METRICS.md lists the metrics; those about the data and the exporter are always published'
      : `did you mean ${near}?`,
  );
}
