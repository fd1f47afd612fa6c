import type { Day } from '../../catalog/day.ts';
import type { View } from '../../catalog/view.ts';
import { type Cause, decompose, type Effect, roundTo } from './decompose.ts';
import { amountsIn, HUNDREDTHS, type Side, type Sides, sidesOf } from './usage.ts';

/** Part of a change. */
export interface Part<Name extends string = string> {
  readonly name: Name;
  /** Whole credits; where the platform counts none, the cost to the hundredth of its currency. */
  readonly credits: number;
}

/** Why credits, or the cost, of a day changed between two groups of days. */
export interface Explanation extends Sides {
  /** Credits or cost a day, rounded. */
  readonly from: number;
  readonly to: number;
  /** What changed, the largest first; the parts add up to the change. */
  readonly what: readonly Part<Cause>[];
  /** The models behind `models_used` and `price_of_tokens`, the largest first. */
  readonly models: ReadonlyMap<Cause, readonly Part[]>;
  /** Where: by model and by published team, the largest first; undefined where a side has no such breakdown. */
  readonly byModel: readonly Part[] | undefined;
  readonly byTeam: readonly Part[] | undefined;
  /** The first of `what`, if it stands out. */
  readonly cause: Part<Cause> | undefined;
}

/** A cause stands out with this share of all that moved, up and down: with a half, a fifth of diffuse changes would have one. */
const STANDS_OUT = 0.55;

/** Explains a change; undefined if those of one of the sides are unknown on every day, or a part is beyond floating-point numbers. */
export function explain(view: View, before: readonly Day[], after: readonly Day[]): Explanation | undefined {
  const sides = sidesOf(view, before, after);
  const explained = sides && explainSides(sides);
  return explained?.what.every(({ credits }) => Number.isFinite(credits)) ? explained : undefined;
}

/** Explains the change between two sides. */
export function explainSides(sides: Sides): Explanation {
  const unit = sides.currency === undefined ? 1 : HUNDREDTHS;
  const [one, other] = [sides.before, sides.after];
  const [from, to] = [Math.round(one.usage.credits), Math.round(other.usage.credits)];
  const effects = decompose(one.usage, other.usage);
  const what = largestFirst(
    namedParts(
      effects.map(({ cause, credits }) => [cause, credits] as const),
      to - from,
    ),
  );
  const [first] = what;
  const moved = what.reduce((sum, { credits }) => sum + Math.abs(credits), 0);
  const standsOut =
    first !== undefined &&
    Math.sign(first.credits) === Math.sign(to - from) &&
    Math.abs(first.credits) >= STANDS_OUT * moved;
  const whole = <Name extends string>(parts: readonly Part<Name>[]) =>
    parts.map(({ name, credits }) => ({ name, credits: credits / unit }));
  const models = effects.flatMap((effect) => modelsOf(effect, what));
  const amountsOf = ({ usage, amounts }: Side) => (usage.models ? amountsIn(usage.models) : amounts);
  const byModel = changesOf(amountsOf(one), amountsOf(other));
  const byTeam = changesOf(one.teams, other.teams, true);
  return {
    ...sides,
    from: from / unit,
    to: to / unit,
    what: whole(what),
    models: new Map(models.map(([cause, parts]) => [cause, whole(parts)])),
    byModel: byModel && whole(byModel),
    byTeam: byTeam && whole(byTeam),
    cause: standsOut && to !== from ? whole([first])[0] : undefined,
  };
}

/** The models of an effect, which add up to its rounded cause. */
function modelsOf(
  { cause, models }: Effect,
  what: readonly Part<Cause>[],
): readonly [Cause, readonly Part[]][] {
  if (models === undefined) return [];
  const total = what.find(({ name }) => name === cause)?.credits ?? 0;
  return [[cause, largestFirst(namedParts([...models], total)).filter(({ credits }) => credits !== 0)]];
}

/** The change of each value. Teams come and go with the number of their people, so that only those of both sides have one. */
function changesOf(
  before: ReadonlyMap<string, number> | undefined,
  after: ReadonlyMap<string, number> | undefined,
  onlyShared = false,
): readonly Part[] | undefined {
  if (before === undefined || after === undefined) return undefined;
  const names = [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => !onlyShared || (before.has(name) && after.has(name)),
  );
  const change = (name: string) => Math.round((after.get(name) ?? 0) - (before.get(name) ?? 0));
  return largestFirst(names.map((name) => ({ name, credits: change(name) })));
}

function namedParts<Name extends string>(
  amounts: readonly (readonly [Name, number])[],
  total: number,
): readonly Part<Name>[] {
  const rounded = roundTo(
    total,
    amounts.map(([, credits]) => credits),
  );
  return amounts.map(([name], index) => ({ name, credits: rounded[index] ?? 0 }));
}

function largestFirst<Name extends string>(parts: readonly Part<Name>[]): readonly Part<Name>[] {
  return parts.toSorted((one, other) => Math.abs(other.credits) - Math.abs(one.credits));
}
