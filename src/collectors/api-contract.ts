import * as z from 'zod';
import { type ApiContract, type FieldWatch, MAX_NAMES, type SeenField } from '../catalog/api-contract.ts';
import { later, parseDay } from '../catalog/day.ts';
import { isObject } from '../catalog/object.ts';

/** Elements of a run that are looked at, and of a list in one of them: changes of the API concern all. */
const OF_A_RUN = 100;
const OF_A_LIST = 20;
/** A form is unreadable if no element had a readable one; one element alone may be odd. */
const MIN_ODD = 2;
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
  /** Paths that the API sends and that are not read, on purpose. */
  readonly unread?: readonly string[];
  /** The known values of a text, or member names of an object, by path. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** Fields that describe more than their day: they show no activity on it. */
  readonly beyondDay?: readonly string[];
}

/** What a schema reads at a path. An element has the path of its list. */
interface Shape {
  readonly path: string;
  readonly schema: z.core.$ZodType;
  readonly isList: boolean;
  /** Those of the object, or of each element of the list; undefined for a value that is read as a whole. */
  readonly members: ReadonlyMap<string, Shape> | undefined;
}

/** What one element of an answer has. */
interface Sight {
  readonly carried: Set<string>;
  /** Fields that it lacks, or that an element of a list in it lacks. */
  readonly lacking: Set<string>;
  /** Whether a number above zero shows activity. */
  isActive: boolean;
}

/** Creates the contract of a dataset from the schema that reads it. */
export function apiContractOf(parts: ApiContractParts): ApiContract {
  const root = shapeOf(parts.schema, '');
  const unread = new Set(parts.unread);
  const beyondDay = new Set(parts.beyondDay);
  const values = new Map(
    Object.entries(parts.values ?? {}).map(([path, known]) => [path, new Set(known.map(spelling))]),
  );
  return { watch };

  function watch(): FieldWatch {
    const unknown = new Set<string>();
    const readable = new Set<string>();
    const odd = new Map<string, number>();
    // No more than this is kept of days: hundreds of runs wait at once.
    const fields = new Map<string, SeenField>();
    let left = OF_A_RUN;

    function lookAt(elements: readonly unknown[]): void {
      const half = Math.ceil(left / 2);
      if (half <= 0) return;
      const looked = [...elements.slice(0, half), ...elements.slice(half).slice(-half)].filter(isObject);
      left -= looked.length;
      for (const element of looked) {
        const sight: Sight = { carried: new Set(), lacking: new Set(), isActive: false };
        walkMembers(root, element, sight);
        const day = typeof element['date'] === 'string' ? parseDay(element['date']) : undefined;
        if (day === undefined) continue;
        for (const path of sight.carried) {
          const field = fieldOf(path);
          field.last = later(day, field.last ?? day);
        }
        if (sight.isActive) for (const path of sight.lacking) fieldOf(path).lacking.add(day);
      }
    }

    function fieldOf(path: string): SeenField {
      const field = fields.get(path) ?? { lacking: new Set() };
      fields.set(path, field);
      return field;
    }

    function walk(shape: Shape, value: unknown, sight: Sight): void {
      if (shape.members === undefined) {
        read(shape, value, sight);
        return;
      }
      const isFit = shape.isList ? Array.isArray(value) : isObject(value);
      noteForm(shape.path, isFit);
      const found = Array.isArray(value) ? value.slice(0, OF_A_LIST) : [value];
      if (isFit) for (const one of found.filter(isObject)) walkMembers(shape, one, sight);
    }

    function walkMembers(
      { path, members = new Map() }: Shape,
      value: Readonly<Record<string, unknown>>,
      sight: Sight,
    ): void {
      for (const name of Object.keys(value)) {
        if (unknown.size >= MAX_NAMES) break;
        if (!members.has(name) && !unread.has(pathOf(path, name))) unknown.add(pathOf(path, shown(name)));
      }
      for (const [name, member] of members) {
        const found = value[name] ?? undefined;
        (found === undefined ? sight.lacking : sight.carried).add(member.path);
        if (found !== undefined) walk(member, found, sight);
      }
    }

    function read({ path, schema }: Shape, value: unknown, sight: Sight): void {
      const known = values.get(path);
      // Once one is readable the form is.
      const isReadable = (known === undefined && readable.has(path)) || z.safeParse(schema, value).success;
      noteForm(path, isReadable);
      const words = isObject(value) ? Object.keys(value) : [value];
      const isNew = (word: unknown) => typeof word === 'string' && known?.has(spelling(word)) === false;
      if (isReadable && words.some(isNew)) unknown.add(`${path} (new value)`);
      const numbers = isObject(value) ? Object.values(value) : [value];
      sight.isActive ||=
        !beyondDay.has(path) && numbers.some((one) => typeof one !== 'object' && Number(one) > 0);
    }

    function noteForm(path: string, isReadable: boolean): void {
      if (isReadable) readable.add(path);
      else odd.set(path, (odd.get(path) ?? 0) + 1);
    }

    return {
      lookAt,
      unknown() {
        const unreadable = [...odd].filter(([path, count]) => count >= MIN_ODD && !readable.has(path));
        return [...new Set([...unknown, ...unreadable.map(([path]) => path)])].sort();
      },
      seen: () => fields,
    };
  }
}

/** The shape that a schema reads; whatever is neither an object nor a list of objects is read as a whole. */
function shapeOf(schema: z.core.$ZodType, path: string): Shape {
  return { path, schema, isList: false, members: undefined, ...structureOf(schema, path) };
}

function structureOf(schema: z.core.$ZodType, path: string): Pick<Shape, 'isList' | 'members'> | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'pipe':
      return structureOf(def.in, path) ?? structureOf(def.out, path);
    case 'optional':
    case 'nullable':
      return structureOf(def.innerType, path);
    case 'array': {
      const element = structureOf(def.element, path);
      return element && { ...element, isList: true };
    }
    case 'object': {
      const members = Object.entries(def.shape).map(
        ([name, member]) => [name, shapeOf(member, pathOf(path, name))] as const,
      );
      return { isList: false, members: new Map(members) };
    }
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
