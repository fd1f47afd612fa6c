import { type Sample, UNKNOWN } from '../catalog/family.ts';
import type { Cost } from '../catalog/settings.ts';
import type { Count } from './counts.ts';

/** The single sample of a family of money; undefined if the cost is unknown. */
export function inItsCurrency(cost: Cost | undefined): readonly Sample<'currency'>[] | undefined {
  return cost && [{ labels: { currency: cost.currency }, value: cost.amount }];
}

/** Samples with their currency as the last label; undefined without one. */
export function withCurrency<Label extends string>(
  samples: Iterable<Sample<Label>> | undefined,
  currency: string | undefined,
): readonly Sample<Label | 'currency'>[] | undefined {
  if (samples === undefined || currency === undefined) return undefined;
  return Array.from(samples, ({ labels, value }) => ({ labels: { ...labels, currency }, value }));
}

type Part<Label extends string> = { readonly [Name in Label]: string };

/** The single sample of a family without labels; undefined if the figure was not sent. An unusable one is null. */
export function figure(value: number | null | undefined): readonly Sample<never>[] | undefined {
  return value === undefined ? undefined : [{ labels: {}, value: value ?? UNKNOWN }];
}

/** One sample per value that was sent, labelled by its key; undefined if none was. An unusable one is null. */
export function parts<const Label extends string>(
  label: Label,
  values: Readonly<Record<string, number | null | undefined>>,
): readonly Sample<Label>[] | undefined {
  const samples: Sample<Label>[] = [];
  for (const [part, value] of Object.entries(values)) {
    if (value !== undefined) samples.push({ labels: labelled(label, part), value: value ?? UNKNOWN });
  }
  return samples.length === 0 ? undefined : samples;
}

/** One sample per named count; undefined if the day's row lacks the breakdown. */
export function counts<const Label extends string>(
  label: Label,
  list: readonly Count[] | undefined,
): readonly Sample<Label>[] | undefined {
  return list?.map(({ name, count }) => ({ labels: labelled(label, name), value: count ?? UNKNOWN }));
}

function labelled<Label extends string>(label: Label, value: string): Part<Label> {
  return { [label]: value } as Part<Label>;
}
