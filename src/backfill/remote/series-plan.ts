import type { Family } from '../../catalog/family.ts';
import { labelValue } from '../../catalog/label.ts';
import { FIELD_1_MESSAGE, FIELD_2_MESSAGE, field } from './fields.ts';

/** A family's labels in the order that remote write requires, with the constant ones already encoded. */
export interface SeriesPlan {
  readonly labels: readonly string[];
  readonly sorted: readonly PlannedLabel[];
}

export type PlannedLabel =
  | { readonly fixed: Buffer }
  /** The name is encoded as a field of the label. */
  | { readonly label: string; readonly name: Buffer };

/** Plans the series of a family: its name, its labels and the `common` ones, sorted by name. */
export function planSeries(
  { name, labels }: Pick<Family, 'labels'> & { readonly name: string },
  common: Readonly<Record<string, string>>,
): SeriesPlan {
  const fixed = new Map([['__name__', name], ...Object.entries(common)]);
  const plan: PlannedLabel[] = [];
  for (const label of [...fixed.keys(), ...labels].sort(byBytes)) {
    const value = fixed.get(label);
    // An empty label is the same as no label.
    if (value === '') continue;
    const encodedName = field(FIELD_1_MESSAGE, Buffer.from(label));
    if (value === undefined) plan.push({ label, name: encodedName });
    else appendFixed(plan, encodedName, labelValue(value));
  }
  return { labels, sorted: plan };
}

/** Consecutive constant labels are copied at once. */
function appendFixed(plan: PlannedLabel[], name: Buffer, value: string): void {
  const encoded = field(FIELD_1_MESSAGE, Buffer.concat([name, field(FIELD_2_MESSAGE, Buffer.from(value))]));
  const last = plan.at(-1);
  if (last !== undefined && 'fixed' in last) {
    plan[plan.length - 1] = { fixed: Buffer.concat([last.fixed, encoded]) };
  } else plan.push({ fixed: encoded });
}

function byBytes(one: string, other: string): number {
  return one < other ? -1 : 1;
}
