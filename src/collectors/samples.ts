import type { Sample } from '../catalog/family.ts';
import type { Count } from './counts.ts';

type Part<Label extends string> = { readonly [Name in Label]: string };

/** The single sample of a family without labels; undefined if the figure is unknown. */
export function figure(value: number | undefined): readonly Sample<never>[] | undefined {
  return value === undefined ? undefined : [{ labels: {}, value }];
}

/** One sample per known value, labelled by its key; undefined if none is known. */
export function parts<const Label extends string>(
  label: Label,
  values: Readonly<Record<string, number | undefined>>,
): readonly Sample<Label>[] | undefined {
  const samples: Sample<Label>[] = [];
  for (const [part, value] of Object.entries(values)) {
    if (value !== undefined) samples.push({ labels: labelled(label, part), value });
  }
  return samples.length === 0 ? undefined : samples;
}

/** One sample per named count; undefined if the day's row lacks the breakdown. */
export function counts<const Label extends string>(
  label: Label,
  list: readonly Count[] | undefined,
): readonly Sample<Label>[] | undefined {
  return list?.map(({ name, count }) => ({ labels: labelled(label, name), value: count }));
}

function labelled<Label extends string>(label: Label, value: string): Part<Label> {
  return { [label]: value } as Part<Label>;
}
