import * as z from 'zod';
import { type Day, type Instant, parseDay } from '../catalog/day.ts';
import { labelValue } from '../catalog/label.ts';
import { repositoryOf } from './repository.ts';

const ISO_TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;
const LAST_INSTANT = 8.64e15;
const NUMERAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** More people than an organization has, and more names than anything in a row has: what a row may cost is bounded. */
const MAX_ELEMENTS = 250_000;
const MAX_MEMBERS = 5_000;

/** The largest number up to which every whole one has a value of its own. */
export const MAX_AMOUNT = 2 ** 53;

/** A number from 0 to 2^53, also as numeric text; null counts as missing. */
export const amount = z.preprocess(numberOf, z.number().nonnegative().max(MAX_AMOUNT).optional());

/** A number from 0 to 2^53 that must be there, also as numeric text. */
export const requiredAmount = z.preprocess(numberOf, z.number().nonnegative().max(MAX_AMOUNT));

/** Text that is not empty, as a label value, as all text here; null and the empty text count as missing. */
export const text = z.preprocess(
  (value) => (value === null || value === '' ? undefined : value),
  z.string().transform(labelValue).optional(),
);

/** Text that must be there. */
export const requiredText = z.string().min(1).transform(labelValue);

/** Text that may be empty and must be there; null counts as empty. */
export const anyText = z.preprocess((value) => value ?? '', z.string().transform(labelValue));

/** True or false, also as text; null counts as missing. */
export const flag = z.preprocess((value) => {
  if (value === 'true') return true;
  if (value === 'false') return false;
  return value ?? undefined;
}, z.boolean().optional());

/** An instant after 1970 as a number of milliseconds, numeric text or ISO text, which is UTC unless it says otherwise. */
export const requiredInstant = z.preprocess(instantOf, z.number().positive().max(LAST_INSTANT));

/** As `requiredInstant`, where it may be missing or null. */
export const instant = z.preprocess(instantOf, z.number().positive().max(LAST_INSTANT).optional());

/** A repository's address, reduced to host and path; refused where it cannot be reduced safely. */
export const requiredRepository = z.string().transform((value, context): string => {
  const repository = repositoryOf(value);
  if (repository !== undefined) return repository;
  context.issues.push({ code: 'custom', message: 'not a repository address', input: value });
  return z.NEVER;
});

/** As `requiredRepository`, where it may be missing or null. */
export const repository = z.preprocess((value) => value ?? undefined, requiredRepository.optional());

/** An existing calendar day as `YYYY-MM-DD`; a time beside it might be of another time zone, and so of another day. */
export const day = z.string().transform((value, context): Day => {
  const parsed = parseDay(value);
  if (parsed !== undefined) return parsed;
  context.issues.push({ code: 'custom', message: 'not a calendar day', input: value });
  return z.NEVER;
});

/** An array of which null counts as missing; one with more elements than anything has is refused unread. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.preprocess(
    (value) =>
      Array.isArray(value) && value.length > MAX_ELEMENTS ? 'too many elements' : (value ?? undefined),
    z.array(item).optional(),
  );
}

/**
 * An object's members as pairs, in their order, named by label values; null counts as missing. A zod record is no match for it: the
 * member names are foreign, and a record loses one that is called `__proto__`.
 */
export function members<Member>(member: z.ZodType<Member>) {
  return z
    .unknown()
    .transform((object, context): (readonly [string, Member])[] | undefined => {
      if (object === undefined || object === null) return undefined;
      if (typeof object !== 'object' || Array.isArray(object)) {
        context.issues.push({ code: 'custom', message: 'not an object', input: object });
        return z.NEVER;
      }
      if (Object.keys(object).length > MAX_MEMBERS) {
        context.issues.push({ code: 'custom', message: 'too many members', input: object });
        return z.NEVER;
      }
      const pairs: (readonly [string, Member])[] = [];
      for (const [name, value] of Object.entries(object)) {
        const parsed = member.safeParse(value);
        if (parsed.success) pairs.push([labelValue(name), parsed.data]);
        for (const { message, path } of parsed.error?.issues ?? []) {
          context.issues.push({ code: 'custom', message, input: value, path: [name, ...path] });
        }
      }
      return pairs;
    })
    .optional();
}

function instantOf(value: unknown): unknown {
  const iso = typeof value === 'string' ? ISO_TIME.exec(value.trim()) : null;
  if (iso === null) return numberOf(value);
  const [, date, time = '00:00', zone = 'Z'] = iso;
  const at: Instant = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  return Number.isNaN(at) ? value : at;
}

function numberOf(value: unknown): unknown {
  if (value === null) return undefined;
  if (typeof value === 'string' && NUMERAL.test(value.trim())) return Number(value);
  return value;
}
