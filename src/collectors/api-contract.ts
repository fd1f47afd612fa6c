import * as z from 'zod';
import { type ApiContract, pathOf, spelling } from '../catalog/api-contract.ts';

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
  /** Paths of fields that describe more than their day. */
  readonly beyondDay?: readonly string[];
}

/** Creates the contract of a dataset from the schema that reads it. */
export function apiContractOf({ schema, values = {}, beyondDay = [], ...parts }: ApiContractParts) {
  const unread = new Set(parts.unread);
  return contractAt(schema, '');

  function contractAt(of: z.core.$ZodType, path: string): ApiContract {
    const known = values[path]?.map(spelling);
    return {
      path,
      isList: false,
      unread,
      known: known && new Set(known),
      isBeyondDay: beyondDay.includes(path),
      isReadable: (value) => z.safeParse(of, value).success,
      ...structureOf(of, path),
    };
  }

  /** Whatever is neither an object nor a list of objects is read as a whole. */
  function structureOf(
    of: z.core.$ZodType,
    path: string,
  ): Pick<ApiContract, 'isList' | 'members'> | undefined {
    const { def } = (of as z.core.$ZodTypes)._zod;
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
          ([name, member]) => [name, contractAt(member, pathOf(path, name))] as const,
        );
        return { isList: false, members: new Map(members) };
      }
      default:
        return undefined;
    }
  }
}
