import { type Described, daily, type Expression, named, promql } from './expression.ts';
import { palette } from './palette.ts';
import { days, type Query } from './query.ts';

/** Maximum number of series that are shown separately. */
const SHOWN = 5;
const REST = 'the rest';

interface Parts<Label extends string> {
  readonly family: Described<Label>;
  /** The label whose values are shown separately; values are summed over the others. */
  readonly label: NoInfer<Label>;
  readonly only?: Partial<Readonly<Record<NoInfer<Label>, string>>>;
  /** The name of an empty value. */
  readonly unnamed?: string;
}

/**
 * The days of the series that are largest over the range, and the sum of the others. They are chosen once for the range:
 * chosen for each day, a series would appear on some of its days only. For the choice, a value at noon represents each
 * day, which costs one sample a day; live days are published by then, and backfill stamps its days with that time.
 */
export function largestAndRest<const Label extends string>(parts: Parts<Label>): readonly Query[] {
  const { family, label, only = {}, unnamed } = parts;
  const each = daily(family, { by: [label], orgs: 'summed', only });
  const top = promql`on (${word(label)}) topk(${word(String(SHOWN))}, sum by (${word(label)}) (${atNoons(family, only)}))`;
  const largest = promql`(${each} and ${top})`;
  return [
    days(unnamed === undefined ? largest : named(largest, label, unnamed), `{{${label}}}`, {
      palette: 'series',
    }),
    days(promql`sum(${each} unless ${top})`, REST, { colour: palette.quiet }),
  ];
}

/** The sum of the values at the noons of a range, by organization and label. */
function atNoons<Label extends string>(
  { name, labels }: Described<Label>,
  only: Partial<Readonly<Record<Label, string>>>,
): Expression {
  const own = Object.entries<string | undefined>(only).map(
    ([key, value = '']) => `${key}=~${JSON.stringify(value)}`,
  );
  const selector = `${name}{${[...own, 'job=~"$job"', 'org=~"$org"'].join(',')}}`;
  const merged = `max by (${['org', ...labels].join(',')}) (${selector} offset -12h)`;
  return { text: `sum_over_time((${merged})[$__range:1d] @ end())`, about: [] };
}

function word(text: string): Expression {
  return { text, about: [] };
}
