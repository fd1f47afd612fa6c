import type { ReadinessSettings } from '../catalog/settings.ts';
import { defaultSeries, defaultValuesPerLabel } from './file-keys.ts';

/** Limits of published label values and series. */
export interface Limits {
  /** Maximum number of values of a label. */
  valuesPerLabel(label: string): number;
  readonly series: number;
}

/** Limits by label, where `default` is for labels that are not listed. */
export function limitsOf(valuesPerLabel: ReadonlyMap<string, number | undefined>, series: number): Limits {
  return {
    valuesPerLabel: (label) =>
      valuesPerLabel.get(label) ?? valuesPerLabel.get('default') ?? Number.POSITIVE_INFINITY,
    series,
  };
}

/** The limits without a configuration file. */
export const defaultLimits = limitsOf(defaultValuesPerLabel, defaultSeries);

/** How readiness reports are read without a configuration file. */
export const defaultReadiness: ReadinessSettings = {
  branches: [],
  cleanOnly: false,
  levelRule: 'none',
  criterionCounts: false,
};
