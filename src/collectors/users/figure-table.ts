import { plusKnown } from '../counts.ts';
import { FIGURES, type FigureName } from './columns.ts';

type Figures = Readonly<Record<FigureName, number | undefined>>;

const BYTES = Float64Array.BYTES_PER_ELEMENT;
const FIRST_PEOPLE = 256;

/** The figures of many people, each figure by itself; NaN is what is not known. */
export interface FigureTable {
  put(place: number, figures: Figures): void;
  /** Adds to who is there; what can't be summed goes. */
  addTo(place: number, figures: Figures): void;
  at(place: number, name: FigureName): number | undefined;
  /** A figure of those at these places, in their order, as bytes in base64. */
  column(name: FigureName, order: readonly number[]): string;
}

/** Creates an empty table; places are counted from 0 without gaps. */
export function createFigureTable(): FigureTable {
  // A figure of twenty thousand people stays in a processor's cache; a table of a row for each would not.
  const columns = FIGURES.map((name) => ({ name, values: new Float64Array(FIRST_PEOPLE) }));
  let room = FIRST_PEOPLE;
  // One for all columns.
  let bytes = Buffer.alloc(0);

  function grow(): void {
    room *= 2;
    for (const column of columns) {
      const larger = new Float64Array(room);
      larger.set(column.values);
      column.values = larger;
    }
  }

  function valuesOf(wanted: FigureName): Float64Array | undefined {
    return columns.find(({ name }) => name === wanted)?.values;
  }

  function at(place: number, name: FigureName): number | undefined {
    const value = valuesOf(name)?.[place];
    return value === undefined || Number.isNaN(value) ? undefined : value;
  }

  return {
    at,
    put(place, figures) {
      if (place >= room) grow();
      for (const { name, values } of columns) values[place] = figures[name] ?? Number.NaN;
    },
    addTo(place, figures) {
      for (const { name, values } of columns) {
        const sum = name === 'autonomy' ? undefined : plusKnown(at(place, name), figures[name]);
        values[place] = sum ?? Number.NaN;
      }
    },
    column(name, order) {
      const values = valuesOf(name);
      if (bytes.length < order.length * BYTES) bytes = Buffer.alloc(order.length * BYTES);
      const view = new DataView(bytes.buffer, bytes.byteOffset);
      let to = 0;
      for (const place of order) {
        view.setFloat64(to, values?.[place] ?? Number.NaN, true);
        to += BYTES;
      }
      return bytes.toString('base64', 0, to);
    },
  };
}
