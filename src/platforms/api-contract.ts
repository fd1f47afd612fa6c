import * as z from 'zod';
import { type ApiContract, pathOf, spelling } from '../catalog/api-contract.ts';
import type { Instant } from '../catalog/day.ts';
import { isObject } from '../catalog/object.ts';
import { day, instant } from './fields.ts';

export interface ApiContractParts {
  /** The schema of an element. */
  readonly schema: z.ZodType;
  /** Paths that the API sends and that are not read, on purpose. */
  readonly unread?: readonly string[];
  /** The known values of a text, or member names of an object, by path. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** What is in objects with any names, of which the schema does not say it, by path. */
  readonly records?: Readonly<Record<string, z.ZodRecord>>;
  /** What an element says of when it is from: a day, which is read as its first instant, or an instant; null or undefined without. */
  readonly whenOf: (element: Readonly<Record<string, unknown>>) => unknown;
  /** Paths of fields that describe more than their day. */
  readonly beyondDay?: readonly string[];
  /** Paths of fields that are left out where there is nothing to count. */
  readonly optional?: readonly string[];
  /** What an element says of the day that it is about; its `date` by default. */
  readonly dayOf?: (element: Readonly<Record<string, unknown>>) => unknown;
}

/** The paths in a text with spaces between them, with alternatives in braces, as in `user.{id,type}`. */
export function pathsIn(text: string): readonly string[] {
  return (text.match(/\S+/g) ?? []).flatMap((path) => {
    const [, before, choices, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(path) ?? [];
    if (choices === undefined) return path;
    return choices.split(',').flatMap((choice) => pathsIn(`${before}${choice}${after}`));
  });
}

/** Creates the contract of a dataset from the schema that reads it. */
export function apiContractOf({
  schema,
  values = {},
  records = {},
  beyondDay = [],
  optional = [],
  whenOf,
  dayOf = ({ date }) => date,
  ...parts
}: ApiContractParts): ApiContract {
  const unread = new Set(parts.unread);
  return contractAt(schema, '');

  function contractAt(of: z.core.$ZodType, path: string): ApiContract {
    const structure = structureOf(records[path] ?? of);
    const members = Object.entries(structure?.shape ?? {}).map(
      ([name, member]) => [name, contractAt(member, pathOf(path, name))] as const,
    );
    const known = values[path]?.map(spelling);
    return {
      path,
      unread,
      members: structure && new Map(members),
      known: known && new Set(known),
      isBeyondDay: beyondDay.includes(path),
      isReadable: (value) => z.safeParse(of, value).success,
      partsOf: (value) => structure?.partsOf(value) ?? [],
      isOptional: optional.includes(path),
      whenOf: (element) => instantOf(whenOf(element)),
      dayOf: (element) => day.safeParse(dayOf(element)).data,
    };
  }
}

/** The members of an object, or of each object of a list or record. */
interface Structure {
  readonly shape: Readonly<Record<string, z.core.$ZodType>>;
  partsOf(value: unknown): readonly unknown[];
}

function instantOf(stated: unknown): Instant {
  if (stated === undefined || stated === null) return 0;
  return instant.safeParse(stated).data ?? Number.POSITIVE_INFINITY;
}

/** Whatever is neither an object nor a list or record of them is read as a whole. */
function structureOf(of: z.core.$ZodType): Structure | undefined {
  const { def } = (of as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'pipe':
      return structureOf(def.in) ?? structureOf(def.out);
    case 'optional':
    case 'nullable':
      return structureOf(def.innerType);
    case 'array': {
      const element = structureOf(def.element);
      return element && { ...element, partsOf: (value) => (Array.isArray(value) ? value : []) };
    }
    case 'record': {
      const entry = structureOf(def.valueType);
      return entry && { ...entry, partsOf: (value) => (isObject(value) ? Object.values(value) : []) };
    }
    case 'object':
      return { shape: def.shape, partsOf: (value) => [value] };
    default:
      return undefined;
  }
}
