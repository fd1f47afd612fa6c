import * as z from 'zod';
import type { Person } from '../../catalog/settings.ts';
import { apiContractOf, MODES, TIERS } from '../api-contract.ts';
import { plusKnown } from '../counts.ts';
import { amount, day, list, requiredText, text } from '../fields.ts';
import { differenceOfBoth } from '../statistics.ts';
import { FIGURES, type FigureName } from './columns.ts';

/** One person's day, by the platform's names. */
export type PersonDay = z.output<typeof personRow>;

const figures = Object.fromEntries(Object.values(FIGURES).map((field) => [field, amount]));

/** An element of the response. */
export const personRow = z.compile(
  z
    .object({
      user_id: requiredText,
      user_email: text,
      date: day,
      ...(figures as Record<(typeof FIGURES)[FigureName], typeof amount>),
      messages: amount,
      primary_model: text,
      primary_model_tier: text,
      delegation_level: text,
      languages: list(requiredText),
    })
    .transform((raw) => ({
      ...raw,
      person: { id: raw.user_id, email: raw.user_email && addressOf(raw.user_email) } satisfies Person,
      messages: raw.messages ?? plusKnown(raw.user_messages, raw.assistant_messages),
      assistant_messages: raw.assistant_messages ?? differenceOfBoth(raw.messages, raw.user_messages),
    })),
);

export const usersContract = apiContractOf({
  schema: personRow,
  values: { primary_model_tier: TIERS, delegation_level: MODES },
});

/** An e-mail address in lower case; undefined if blank. */
function addressOf(email: string): string | undefined {
  return email.trim().toLowerCase() || undefined;
}
