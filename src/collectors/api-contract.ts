import * as z from 'zod';
import { type ApiContract, type FieldsOfDay, type FieldWatch, MAX_NAMES } from '../catalog/api-contract.ts';
import { type Day, parseDay } from '../catalog/day.ts';
import { isObject } from '../catalog/object.ts';

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
  'auto-high',
  'auto-medium',
  'auto-low',
  'spec',
  'manual',
  'auto',
  'off',
  'low',
  'medium',
  'high',
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

/** What a schema reads at a path: members, elements, or the value as a whole. An element has the path of its list. */
type Shape =
  | { readonly kind: 'object'; readonly path: string; readonly members: ReadonlyMap<string, Shape> }
  | { readonly kind: 'list'; readonly path: string; readonly element: Shape }
  | { readonly kind: 'value'; readonly path: string; isReadable(value: unknown): boolean };

/** Creates the contract of a dataset from the schema that reads it. */
export function apiContractOf(parts: ApiContractParts): ApiContract {
  const shape = shapeOf(parts.schema, '');
  const bits = new Map(pathsIn(shape).map((path, index) => [path, 1n << BigInt(index)]));
  const unread = new Set(parts.unread);
  const beyondDay = new Set(parts.beyondDay);
  const values = new Map(
    Object.entries(parts.values ?? {}).map(([path, known]) => [path, new Set(known.map(spelling))]),
  );
  return { watch };

  function pathsOf(mask: bigint): ReadonlySet<string> {
    return new Set([...bits].flatMap(([path, bit]) => ((mask & bit) === 0n ? [] : [path])));
  }

  function watch(): FieldWatch {
    const unknown = new Set<string>();
    const forms = new Map<string, { seen: number; isReadable: boolean }>();
    const days = new Map<Day, Seen>();

    function lookAt(elements: readonly unknown[]): void {
      for (const element of elements) {
        const day =
          isObject(element) && typeof element['date'] === 'string' ? parseDay(element['date']) : undefined;
        const seen = (day && days.get(day)) ?? { carried: 0n, lacking: 0n, isActive: false };
        if (day !== undefined) days.set(day, seen);
        const isActive = walk(shape, element, seen);
        seen.isActive ||= isActive;
      }
    }

    /** Returns whether a number above zero shows activity. */
    function walk(of: Shape, value: unknown, seen: Seen): boolean {
      if (of.kind === 'value') return read(of, value);
      if (of.kind === 'object') {
        if (of.path !== '') noteForm(of.path, isObject(value));
        return isObject(value) && walkMembers(of, value, seen);
      }
      noteForm(of.path, Array.isArray(value));
      const elements = Array.isArray(value) ? value.slice(0, OF_A_LIST) : [];
      return elements.map((element) => walk(of.element, element, seen)).includes(true);
    }

    function walkMembers(
      { path, members }: Extract<Shape, { kind: 'object' }>,
      value: Readonly<Record<string, unknown>>,
      seen: Seen,
    ): boolean {
      for (const name of Object.keys(value)) {
        if (unknown.size >= MAX_NAMES) break;
        if (!members.has(name) && !unread.has(pathOf(path, name))) unknown.add(pathOf(path, shown(name)));
      }
      let isActive = false;
      for (const [name, member] of members) {
        const found = value[name];
        const isThere = found !== undefined && found !== null;
        seen[isThere ? 'carried' : 'lacking'] |= bits.get(member.path) ?? 0n;
        if (isThere) isActive = walk(member, found, seen) || isActive;
      }
      return isActive;
    }

    function read(of: Extract<Shape, { kind: 'value' }>, value: unknown): boolean {
      const { path } = of;
      const known = values.get(path);
      // Once one is readable the form is.
      const isReadable =
        (known === undefined && forms.get(path)?.isReadable === true) || of.isReadable(value);
      noteForm(path, isReadable);
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
      const form = forms.get(path) ?? { seen: 0, isReadable: false };
      forms.set(path, form);
      form.seen += 1;
      form.isReadable ||= isReadable;
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
        const unreadable = [...forms].filter(([, { seen, isReadable }]) => seen >= MIN_SEEN && !isReadable);
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

/**
 * Fields that elements of a day had and had not, as bits: hundreds of runs wait at once, each with its days, and neither sets of
 * paths nor typed arrays are as small.
 */
interface Seen {
  carried: bigint;
  lacking: bigint;
  isActive: boolean;
}

/** The shape that a schema reads; whatever is neither an object nor a list of objects is read as a whole. */
function shapeOf(schema: z.core.$ZodType, path: string): Shape {
  const isReadable = (value: unknown) => z.safeParse(schema, value).success;
  return structureOf(schema, path) ?? { kind: 'value', path, isReadable };
}

function structureOf(schema: z.core.$ZodType, path: string): Shape | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'pipe':
      return structureOf(def.in, path) ?? structureOf(def.out, path);
    case 'optional':
    case 'nullable':
      return structureOf(def.innerType, path);
    case 'array': {
      const element = structureOf(def.element, path);
      return element && { kind: 'list', path, element };
    }
    case 'object': {
      const members = Object.entries(def.shape).map(([name, member]): [string, Shape] => [
        name,
        shapeOf(member, pathOf(path, name)),
      ]);
      return { kind: 'object', path, members: new Map(members) };
    }
    default:
      return undefined;
  }
}

/** The paths of the members of a shape, and of theirs. */
function pathsIn(shape: Shape): readonly string[] {
  if (shape.kind === 'list') return pathsIn(shape.element);
  if (shape.kind === 'value') return [];
  return [...shape.members.values()].flatMap((member) => [member.path, ...pathsIn(member)]);
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
