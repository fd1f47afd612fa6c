import * as z from 'zod';
import { type ApiContract, type FieldsOfDay, type FieldWatch, MAX_NAMES } from '../catalog/api-contract.ts';
import { type Day, parseDay } from '../catalog/day.ts';
import { isObject } from './fields.ts';

/** Elements of an answer that are looked at from each end, and of a list in one of them: changes of the API concern all. */
const AT_EACH_END = 5;
const OF_A_LIST = 20;
/** A form is unreadable if no element had a readable one; one element alone may be odd. */
const MIN_SEEN = 2;
/** Other names may be data: identifiers, addresses, keys. */
const PLAIN_NAME = /^(?!.*\d{6})[A-Za-z_][A-Za-z0-9_-]{0,47}$/;
const NO_PLAIN_NAME = '(not a plain name)';

/** The known tiers of models, and modes of autonomy: the platform's own words of several years. */
export const TIERS = ['standard', 'thinking'];
export const MODES = [
  ...['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual'],
  ...['auto', 'off', 'low', 'medium', 'high'],
];

export interface ApiContractParts {
  /** The schema of an element. */
  readonly schema: z.ZodType;
  /** Where the elements are in an answer; by default the array `data`. */
  elementsOf?(body: unknown): readonly unknown[] | undefined;
  /** Paths that the API sends and that are not read, on purpose. */
  readonly unread?: readonly string[];
  /** The known values of a text, or member names of an object, by path. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** Fields that describe more than their day: they show no activity on it. */
  readonly beyondDay?: readonly string[];
}

/** What a schema reads of a value: members, elements, or the value as a whole. */
type Shape =
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, Shape> }
  | { readonly kind: 'list'; readonly element: Shape }
  | { readonly kind: 'value'; isReadable(value: unknown): boolean };

/** Creates the contract of a dataset from the schema that reads it. */
export function apiContractOf(parts: ApiContractParts): ApiContract {
  const shape = shapeOf(parts.schema);
  const unread = new Set(parts.unread);
  const beyondDay = new Set(parts.beyondDay);
  const values = new Map(
    Object.entries(parts.values ?? {}).map(([path, known]) => [path, new Set(known.map(spelling))]),
  );
  return { watch };

  function watch(): FieldWatch {
    const unknown = new Set<string>();
    const forms = new Map<string, { seen: number; readable: number }>();
    // Hundreds of runs wait at once, each with its days: a bit for a path, and not a set of paths for a day.
    const bits = new Map<string, bigint>();
    const days = new Map<Day, Seen>();

    function bitOf(path: string): bigint {
      const bit = bits.get(path) ?? 1n << BigInt(bits.size);
      bits.set(path, bit);
      return bit;
    }

    function pathsOf(mask: bigint): ReadonlySet<string> {
      return new Set([...bits].filter(([, bit]) => (mask & bit) !== 0n).map(([path]) => path));
    }

    function lookAt(elements: readonly unknown[]): void {
      for (const element of elements) {
        const day =
          isObject(element) && typeof element['date'] === 'string' ? parseDay(element['date']) : undefined;
        const seen = (day && days.get(day)) ?? { carried: 0n, lacking: 0n, isActive: false };
        if (day !== undefined) days.set(day, seen);
        const isActive = walk(shape, element, '', seen);
        seen.isActive ||= isActive;
      }
    }

    /** Returns whether a number above zero shows activity. */
    function walk(of: Shape, value: unknown, path: string, seen: Seen): boolean {
      if (of.kind === 'value') return read(of, value, path);
      const isReadable = of.kind === 'list' ? Array.isArray(value) : isObject(value);
      if (path !== '') noteForm(path, isReadable);
      if (of.kind === 'object') return isObject(value) && walkMembers(of.members, value, path, seen);
      const elements = Array.isArray(value) ? value.slice(0, OF_A_LIST) : [];
      return elements.map((element) => walk(of.element, element, path, seen)).includes(true);
    }

    function walkMembers(
      members: ReadonlyMap<string, Shape>,
      value: Readonly<Record<string, unknown>>,
      path: string,
      seen: Seen,
    ): boolean {
      for (const name of Object.keys(value)) {
        if (unknown.size >= MAX_NAMES) break;
        if (!members.has(name) && !unread.has(pathOf(path, name))) unknown.add(pathOf(path, shown(name)));
      }
      let isActive = false;
      for (const [name, member] of members) {
        const [at, found] = [pathOf(path, name), value[name]];
        const isThere = found !== undefined && found !== null;
        seen[isThere ? 'carried' : 'lacking'] |= bitOf(at);
        if (isThere) isActive = walk(member, found, at, seen) || isActive;
      }
      return isActive;
    }

    function read(of: Extract<Shape, { kind: 'value' }>, value: unknown, path: string): boolean {
      const isReadable = of.isReadable(value);
      noteForm(path, isReadable);
      const known = values.get(path);
      const found = isObject(value) ? Object.keys(value) : [value];
      if (
        isReadable &&
        known !== undefined &&
        found.some((one) => typeof one === 'string' && !known.has(spelling(one)))
      )
        unknown.add(`${path} (new value)`);
      const numbers = isObject(value) ? Object.values(value) : [value];
      return !beyondDay.has(path) && numbers.some((one) => typeof one !== 'object' && Number(one) > 0);
    }

    function noteForm(path: string, isReadable: boolean): void {
      const form = forms.get(path) ?? { seen: 0, readable: 0 };
      forms.set(path, form);
      form.seen += 1;
      if (isReadable) form.readable += 1;
    }

    return {
      lookInto(body) {
        const elements =
          parts.elementsOf === undefined ? isObject(body) && body['data'] : parts.elementsOf(body);
        if (!Array.isArray(elements)) return;
        const middle = Math.max(AT_EACH_END, elements.length - AT_EACH_END);
        lookAt([...elements.slice(0, AT_EACH_END), ...elements.slice(middle)]);
      },
      lookAt,
      unknown() {
        const unreadable = [...forms].filter(([, { seen, readable }]) => seen >= MIN_SEEN && readable === 0);
        return [...new Set([...unknown, ...unreadable.map(([path]) => path)])].sort();
      },
      days: () =>
        new Map(
          [...days].map(([day, { carried, lacking, isActive }]): [Day, FieldsOfDay] => [
            day,
            { carried: pathsOf(carried), lacking: pathsOf(isActive ? lacking & ~carried : 0n) },
          ]),
        ),
    };
  }
}

/** Fields that elements of a day had and had not, as bits. */
interface Seen {
  carried: bigint;
  lacking: bigint;
  isActive: boolean;
}

/** The shape that a schema reads; whatever is neither an object nor a list of objects is read as a whole. */
function shapeOf(schema: z.core.$ZodType): Shape {
  return structureOf(schema) ?? { kind: 'value', isReadable: (value) => z.safeParse(schema, value).success };
}

function structureOf(schema: z.core.$ZodType): Shape | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'pipe':
      return structureOf(def.in) ?? structureOf(def.out);
    case 'optional':
    case 'nullable':
      return structureOf(def.innerType);
    case 'array': {
      const element = structureOf(def.element);
      return element && { kind: 'list', element };
    }
    case 'object':
      return {
        kind: 'object',
        members: new Map(Object.entries(def.shape).map(([name, member]) => [name, shapeOf(member)])),
      };
    default:
      return undefined;
  }
}

/** Upper and lower case, hyphens and underscores are used alike. */
function spelling(value: string): string {
  return value.toLowerCase().replaceAll('_', '-');
}

function pathOf(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/** A name that may be data is not repeated. */
function shown(name: string): string {
  return PLAIN_NAME.test(name) ? name : NO_PLAIN_NAME;
}
