import type { Day } from './day.ts';
import type { PlatformMoney } from './money.ts';
import type { View } from './view.ts';

/**
 * The value of a sample that is listed but unknown, since it or a part of it was unusable. It is not published, its sum
 * with any other value is as unknown, and it is not 0 either.
 */
export const UNKNOWN = Number.NaN;

/** One series' labels, `org` apart, and its value, which can be `UNKNOWN` before it is published. */
export interface Sample<Label extends string = string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

/**
 * How values aggregate: `additive` values may be summed over their labels; `distinct` values count people or things
 * that may occur under several label values; a `ratio` is an average, a quantile or a share; a `timestamp` is in Unix
 * seconds; an `info` is always 1 and carries its data in the labels.
 */
export type Aggregation = 'additive' | 'distinct' | 'ratio' | 'timestamp' | 'info';

/** Order in which families are dropped at an organization's series limit: `detail`, then `breakdown`, then `main`. */
export type DropPriority = 'detail' | 'breakdown' | 'main';

export interface FamilyDeclaration<Label extends string> {
  /** Full metric name. */
  readonly name: `agent_platform_${string}`;
  /** Short sentences without double quotes; says so where values must not be summed over a label. */
  readonly help: string;
  /** Label names beside `org`, in the order in which they are written. */
  readonly labels: readonly Label[];
  /** The labels whose values are a closed set, such as the kinds of tokens: they are never folded. */
  readonly fixedLabels?: readonly NoInfer<Label>[];
  /** The labels whose values differ in kind or overlap in this family, so that they are never summed. */
  readonly apart?: readonly NoInfer<Label>[];
  /** Unit in plain words: `credits`, `people`, `ratio`, `seconds`. */
  readonly unit: string;
  /**
   * What the value is read from: members of stored rows by dataset, as `tokens: credits, byModel.credits`, and settings, with
   * semicolons between them. A platform says which of its fields each member is.
   */
  readonly source: string;
  readonly aggregation: Aggregation;
  readonly dropPriority?: DropPriority;
  readonly stability?: 'stable' | 'experimental';
  /** Whether an organization whose money means this can have it at all; every one by default. */
  isFor?(money: PlatformMoney): boolean;
}

type Declared<Label extends string> = FamilyDeclaration<Label> &
  Required<Pick<FamilyDeclaration<Label>, 'dropPriority' | 'stability'>>;

/** A family that describes one day of a dataset. */
export interface DayFamily<Label extends string = string> extends Declared<Label> {
  readonly scope: 'day';
  /**
   * Whether the label values are open-ended (models, tools) rather than a fixed set. Additive families then have a 0
   * for values seen in the preceding 28 days and missing from a day's row.
   */
  readonly breakdown: boolean;
  /** The part of the row that this breaks down; any part if absent. */
  readonly part?: string | undefined;
  /** The samples of a day; undefined if the day's row lacks this figure. */
  samplesOf(view: View, day: Day): Iterable<Sample<Label>> | undefined;
}

/** A family that describes the state at the instant of the view. */
export interface CurrentFamily<Label extends string = string> extends Declared<Label> {
  readonly scope: 'current';
  samplesOf(view: View): Iterable<Sample<Label>> | undefined;
}

export type Family = DayFamily | CurrentFamily;

/** Labels whose values no family adds up: amounts of different money, parts that overlap, days that count in each. */
const APART: ReadonlySet<string> = new Set(['breakdown', 'criterion', 'currency', 'dataset', 'kind']);

/** Whether values of a label are never summed, whatever is measured. */
export function staysApart(label: string): boolean {
  return APART.has(label);
}

/** Whether the values of a family may be summed over a label, `org` among them. */
export function addsUpOver(
  {
    aggregation,
    unit,
    breakdown = false,
    apart = [],
  }: Pick<Family, 'aggregation' | 'unit' | 'apart'> & { breakdown?: boolean },
  label: string,
): boolean {
  if (staysApart(label) || apart.includes(label)) return false;
  if (aggregation === 'additive') return true;
  // Organizations are taken to have different people, and a mean number of people adds up like a number of people.
  if (label === 'org') return unit === 'people';
  // The shares of one whole.
  return aggregation === 'ratio' && unit === 'ratio' && breakdown;
}

/** What counts the same on every platform. People use several, and credits, tokens and suggestions are each platform's own. */
const OVER_PLATFORMS: ReadonlySet<string> = new Set([
  'currency',
  'sessions',
  'commits',
  'pull requests',
  'lines',
  'days',
]);

/** Whether the values of a family may be summed over organizations of different platforms. */
export function addsUpOverPlatforms({ aggregation, unit }: Pick<Family, 'aggregation' | 'unit'>): boolean {
  return aggregation === 'additive' && OVER_PLATFORMS.has(unit);
}

/** Whether label values missing from a day's row are 0 rather than unknown. */
export function fillsZeros({ breakdown, aggregation }: DayFamily): boolean {
  return breakdown && aggregation === 'additive';
}

/** A declaration; without labels, it need not say so. */
type Declaration<Label extends string> = Omit<FamilyDeclaration<Label>, 'labels'> &
  Partial<Pick<FamilyDeclaration<Label>, 'labels'>>;

/** Declares a family of daily figures; a sample that lacks a label does not compile. */
export function dayFamily<const Label extends string = never>(
  declaration: Declaration<Label> & {
    readonly breakdown?: boolean;
    readonly part?: string | undefined;
    samplesOf(view: View, day: Day): Iterable<Sample<NoInfer<Label>>> | undefined;
  },
): DayFamily<Label> {
  return { breakdown: false, ...withDefaults(declaration), scope: 'day' };
}

/** Declares a family of the current state; a sample that lacks a label does not compile. */
export function currentFamily<const Label extends string = never>(
  declaration: Declaration<Label> & {
    samplesOf(view: View): Iterable<Sample<NoInfer<Label>>> | undefined;
  },
): CurrentFamily<Label> {
  return { ...withDefaults(declaration), scope: 'current' };
}

function withDefaults<Label extends string, Given extends Declaration<Label>>(declaration: Given) {
  const { labels = [] } = declaration;
  const dropPriority: DropPriority = labels.length > 0 ? 'breakdown' : 'main';
  return { stability: 'stable' as const, dropPriority, ...declaration, labels };
}
