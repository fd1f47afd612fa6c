import * as z from 'zod';
import { type Day, parseDay } from '../catalog/day.ts';

const NUMERAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** A finite number of at least 0, also as numeric text; null counts as missing. */
export const amount = z.preprocess(numberOf, z.number().finite().nonnegative().optional());

/** A finite number of at least 0 that must be there, also as numeric text. */
export const requiredAmount = z.preprocess(numberOf, z.number().finite().nonnegative());

/** Text that is not empty; null and the empty text count as missing. */
export const text = z.preprocess(
  (value) => (value === null || value === '' ? undefined : value),
  z.string().optional(),
);

/** Text that must be there. */
export const requiredText = z.string().min(1);

/** An existing calendar day. */
export const day = z.string().transform((value, context): Day => {
  const parsed = parseDay(value.slice(0, 10));
  if (parsed !== undefined) return parsed;
  context.issues.push({ code: 'custom', message: 'not a calendar day', input: value });
  return z.NEVER;
});

/** An array of which null counts as missing. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.preprocess((value) => value ?? undefined, z.array(item).optional());
}

function numberOf(value: unknown): unknown {
  if (value === null) return undefined;
  if (typeof value === 'string' && NUMERAL.test(value.trim())) return Number(value);
  return value;
}
