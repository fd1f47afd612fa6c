import { median, ratiosOf } from './statistics.ts';
import { renderTable, shown, shownSpread } from './table.ts';

/** The bound of a figure, in its unit. */
export interface Bound {
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** Takes the value of one figure in one run. */
export type RecordFigure = (what: string, unit: string, value: number, bound?: Bound) => void;

export type Side = 'measured' | 'other';

interface Figure {
  readonly name: string;
  readonly what: string;
  readonly unit: string;
  readonly bound: Bound;
  readonly runs: { readonly [side in Side]: number[] };
}

/** The figures of all cases, in the order in which they were first recorded. */
export interface Figures {
  recorderFor(name: string, side: Side): RecordFigure;
  /** A Markdown table of the medians; `other` is the name of the other checkout, if there is one. */
  render(measured: string, other: string | undefined): string;
}

export function createFigures(): Figures {
  const figures = new Map<string, Figure>();
  return {
    recorderFor: (name, side) => (what, unit, value, bound) => {
      const key = `${name} ${what}`;
      const figure = figures.get(key) ?? {
        name,
        what,
        unit,
        bound: bound ?? {},
        runs: { measured: [], other: [] },
      };
      figures.set(key, figure);
      figure.runs[side].push(value);
    },
    render(measured, other) {
      const heads = ['case', 'figure', '', measured, ...(other === undefined ? [] : [other, 'ratio'])];
      const rows = [...figures.values()].map((figure) => {
        const { name, what, unit, bound, runs } = figure;
        const compared = other === undefined ? [] : [shownMedian(runs.other), ratioOf(figure)];
        const found = shownMedian(runs.measured);
        return [
          name,
          what,
          unit,
          found,
          ...compared,
          shownBound(bound),
          verdict(median(runs.measured), bound),
        ];
      });
      return renderTable([...heads, 'bound', 'held'], rows);
    },
  };
}

/** This checkout against the other, run by run: both runs of a pair saw the same machine. */
function ratioOf({ runs: { measured, other } }: Figure): string {
  return measured.length === other.length && other.every((value) => value > 0)
    ? `${shownSpread(ratiosOf(measured, other))} ×`
    : '';
}

function shownMedian(values: readonly number[]): string {
  return values.length === 0 ? '' : shown(median(values));
}

function shownBound({ atMost, atLeast }: Bound): string {
  if (atMost !== undefined) return `≤ ${atMost}`;
  return atLeast === undefined ? '' : `≥ ${atLeast}`;
}

function verdict(value: number, { atMost = Infinity, atLeast = -Infinity }: Bound): string {
  if (atMost === Infinity && atLeast === -Infinity) return '';
  return value <= atMost && value >= atLeast ? 'yes' : '**no**';
}
