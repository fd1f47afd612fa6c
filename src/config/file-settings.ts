import type { ReadinessSettings } from '../catalog/settings.ts';
import { defaultSeries, defaultValuesPerLabel, limitKeys, readinessKeys } from './file-keys.ts';
import { suggestion } from './nearest.ts';
import { quoted } from './parsed.ts';
import { booleanOf, entriesOf, itemsOf, mistake, type Place, textOf, wholeNumberOf } from './tree.ts';

/** How many label values and series are published. */
export interface Limits {
  /** The most values of a label, by its name. */
  valuesPerLabel(label: string): number;
  readonly series: number;
}

/** Reads `limits`; `labels` are the label names that exist. */
export function readLimits(place: Place | undefined, labels: ReadonlySet<string>): Limits {
  const entries = place === undefined ? undefined : entriesOf(place, limitKeys);
  const series = entries?.get('series');
  const values = readValuesPerLabel(entries?.get('values_per_label'), labels);
  return {
    valuesPerLabel: (label) => values.get(label) ?? values.get('default') ?? Number.POSITIVE_INFINITY,
    series: series === undefined ? defaultSeries : wholeNumberOf(series, 1, 100_000_000),
  };
}

function readValuesPerLabel(
  place: Place | undefined,
  labels: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  if (place === undefined) return defaultValuesPerLabel;
  if (place.tree.kind === 'number') return new Map([['default', wholeNumberOf(place, 1, 10_000_000)]]);
  const values = new Map(defaultValuesPerLabel);
  const known = [...new Set([...defaultValuesPerLabel.keys(), ...labels])];
  for (const [label, entry] of entriesOf(place, known)) {
    values.set(label, wholeNumberOf(entry, 1, 10_000_000));
  }
  return values;
}

/** Reads `readiness`. */
export function readReadiness(place: Place | undefined): ReadinessSettings {
  const entries = place === undefined ? undefined : entriesOf(place, readinessKeys);
  const [branches, cleanOnly] = [entries?.get('branches'), entries?.get('clean_only')];
  const [levelRule, counts] = [entries?.get('level_rule'), entries?.get('criterion_counts')];
  return {
    branches: branches === undefined ? [] : itemsOf(branches).map(textOf),
    cleanOnly: cleanOnly === undefined ? false : booleanOf(cleanOnly),
    levelRule: levelRule === undefined ? 'none' : levelRuleOf(levelRule),
    criterionCounts: counts === undefined ? true : booleanOf(counts),
  };
}

function levelRuleOf(place: Place): 'none' | 'bands' {
  const text = textOf(place);
  if (text === 'none' || text === 'bands') return text;
  throw mistake(place, `${quoted(text)} is not one of none, bands`, suggestion(text, ['none', 'bands']));
}
