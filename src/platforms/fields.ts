import * as z from 'zod';
import { type Instant, parseDay } from '../catalog/day.ts';
import { labelValue } from '../catalog/label.ts';
import { isObject } from '../catalog/object.ts';
import { repositoryOf } from '../collectors/repository.ts';

const ISO_TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;
const LAST_INSTANT = 8.64e15;
const NUMERAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Bounds on the size of a row: more people than an organization has, and more names than any breakdown has. */
export const MAX_ELEMENTS = 250_000;
const MAX_MEMBERS = 5_000;

/** Up to here, every whole number has an exact representation. */
const MAX_AMOUNT = 2 ** 53;

/** Stands within a member for what was rejected there, so that the rest of it stays usable. */
export const UNUSABLE = Symbol('unusable');

/** A number from 0 to 2^53, also as numeric text; null counts as missing. */
export const amount = z.preprocess(numberOf, z.number().nonnegative().max(MAX_AMOUNT).optional());

/** A required number from 0 to 2^53, also as numeric text. */
export const requiredAmount = z.preprocess(numberOf, z.number().nonnegative().max(MAX_AMOUNT));

/** Non-empty text as a label value; null and empty text count as missing. */
export const text = z.preprocess(
  (value) => (value === null || value === '' ? undefined : value),
  z.string().transform(labelValue).optional(),
);

/** Accepts what was rejected within a member, as null: a sum must not take it for nothing. */
export const rejected = z.custom((value) => value === UNUSABLE).transform(() => null);

/** As `amount`, within an element of a breakdown. */
export const elementAmount = z.union([amount, rejected]);

/** As `requiredAmount`, within an element of a breakdown. */
export const requiredElementAmount = z.union([requiredAmount, rejected]);

/** The name of an element of a breakdown, which is not empty. */
export const elementName = z.union([z.string().min(1), rejected]);

/** The name of an element of a breakdown; missing and null count as empty. */
export const anyElementName = z.preprocess((value) => value ?? '', z.union([z.string(), rejected]));

/** An element of a breakdown; where it was rejected as a whole, so are all of its fields. */
export function element<Shape extends z.ZodRawShape>(shape: Shape) {
  const nothing = Object.fromEntries(Object.keys(shape).map((field) => [field, UNUSABLE]));
  return z.preprocess((value) => (value === UNUSABLE ? nothing : value), z.object(shape));
}

/** An object of counts; null counts as missing. */
export function section<const Name extends string>(names: readonly Name[]) {
  const shape = Object.fromEntries(names.map((name) => [name, elementAmount])) as Record<
    Name,
    typeof elementAmount
  >;
  return z.preprocess((value) => value ?? undefined, z.object(shape).optional());
}

/** An e-mail address in lower case; undefined if blank. */
export function addressOf(email: string): string | undefined {
  return email.trim().toLowerCase() || undefined;
}

/** Required non-empty text as a label value. */
export const requiredText = z.string().min(1).transform(labelValue);

/** True or false, also as text; null counts as missing. */
export const flag = z.preprocess((value) => {
  if (value === 'true') return true;
  if (value === 'false') return false;
  return value ?? undefined;
}, z.boolean().optional());

/** A required instant after 1970 as milliseconds, numeric text or ISO 8601 text; UTC unless it has an offset. */
export const requiredInstant = z.preprocess(instantOf, z.number().positive().max(LAST_INSTANT));

/** As `requiredInstant`, but may be missing or null. */
export const instant = z.preprocess(instantOf, z.number().positive().max(LAST_INSTANT).optional());

/** A repository address, reduced to host and path; rejected if it cannot be reduced safely. */
export const requiredRepository = parsedText(repositoryOf, 'not a repository address');

/** As `requiredRepository`, but may be missing or null. */
export const repository = z.preprocess((value) => value ?? undefined, requiredRepository.optional());

/** An existing calendar day as `YYYY-MM-DD`. With a time of day it is rejected: another time zone could mean another day. */
export const day = parsedText(parseDay, 'not a calendar day');

/** Text as `parse` reads it; rejected with the message where it is undefined. */
function parsedText<Parsed>(parse: (value: string) => Parsed | undefined, message: string) {
  return z.string().transform((value, context): Parsed => {
    const parsed = parse(value);
    if (parsed !== undefined) return parsed;
    context.issues.push({ code: 'custom', message, input: value });
    return z.NEVER;
  });
}

/** An array; null counts as missing, and an oversized one is rejected unread. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.preprocess(
    (value) =>
      Array.isArray(value) && value.length > MAX_ELEMENTS ? 'too many elements' : (value ?? undefined),
    z.array(item).optional(),
  );
}

/** What is made of the elements of a breakdown; undefined without one. */
export function breakdownOf<Item extends z.ZodType, Made>(
  item: Item,
  make: (items: readonly z.output<Item>[]) => Made,
) {
  return list(item).transform((items) => items && make(items));
}

/**
 * An object's members as ordered pairs, with names as label values; null counts as missing. Not a zod record, because
 * member names are untrusted and a record drops one called `__proto__`.
 */
export function members<Member>(member: z.ZodType<Member>) {
  const compiled = z.compile(member);
  return z
    .unknown()
    .transform((object, context): (readonly [string, Member])[] | undefined => {
      if (object === undefined || object === null) return undefined;
      if (!isObject(object)) {
        context.issues.push({ code: 'custom', message: 'not an object', input: object });
        return z.NEVER;
      }
      if (Object.keys(object).length > MAX_MEMBERS) {
        context.issues.push({ code: 'custom', message: 'too many members', input: object });
        return z.NEVER;
      }
      const pairs: (readonly [string, Member])[] = [];
      for (const [name, value] of Object.entries(object)) {
        const parsed = compiled.safeParse(value);
        if (parsed.success) pairs.push([labelValue(name), parsed.data]);
        for (const { message, path } of parsed.error?.issues ?? []) {
          context.issues.push({ code: 'custom', message, input: value, path: [name, ...path] });
        }
      }
      return pairs;
    })
    .optional();
}

/** The sum of what was sent; undefined if nothing was, or a part of it is unusable. */
export function sumOfSent(amounts: readonly (number | null | undefined)[]): number | undefined {
  const sent = amounts.filter((one) => one !== undefined);
  if (sent.length === 0 || sent.includes(null)) return undefined;
  return sent.reduce<number>((sum, one) => sum + (one ?? 0), 0);
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
