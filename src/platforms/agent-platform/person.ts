import * as z from 'zod';
import { plusKnown } from '../../collectors/counts.ts';
import { differenceOfBoth } from '../../collectors/statistics.ts';
import { FIGURE_NAMES, type FigureName } from '../../collectors/users/columns.ts';
import type { PersonDay, PersonFault } from '../../collectors/users/person-day.ts';
import { apiContractOf } from '../api-contract.ts';
import { addressOf, amount, day, list, requiredText, text } from '../fields.ts';
import { dateOf } from './analytics.ts';
import { API_FIELDS } from './api-fields.ts';
import { MODES, TIERS } from './words.ts';

const FIELDS = API_FIELDS.users.members;

/** The figures of a person as they are sent. */
type SentFigures = Record<(typeof FIELDS)[FigureName], typeof amount>;

/** An element of the response, by the names of the stored row. */
export const personRow = z.compile(
  z
    .object({
      user_id: requiredText,
      user_email: text,
      date: day,
      ...(Object.fromEntries(FIGURE_NAMES.map((name) => [FIELDS[name], amount])) as SentFigures),
      messages: amount,
      primary_model: text,
      primary_model_tier: text,
      delegation_level: text,
      languages: list(requiredText),
    })
    .transform(({ date, ...raw }) => {
      const figures: Partial<Record<FigureName, number | undefined>> = {};
      for (const name of FIGURE_NAMES) figures[name] = raw[FIELDS[name]];
      const messages = raw.messages ?? plusKnown(raw.user_messages, raw.assistant_messages);
      figures.assistantMessages ??= differenceOfBoth(raw.messages, raw.user_messages);
      const person: PersonDay = {
        ...figures,
        person: { id: raw.user_id, email: raw.user_email && addressOf(raw.user_email) },
        // With any session, message, tool call or credit.
        isActive: [raw.sessions, messages, raw.tool_calls, raw.billable_tokens].some(
          (count = 0) => count > 0,
        ),
        model: raw.primary_model,
        tier: raw.primary_model_tier,
        level: raw.delegation_level,
        languages: raw.languages,
      };
      return { date, person };
    }),
);

export const usersContract = apiContractOf({
  schema: personRow,
  whenOf: dateOf,
  values: { primary_model_tier: TIERS, delegation_level: MODES },
});

const SPOILED: Readonly<Record<string, readonly PersonFault[]>> = {
  billable_tokens: ['credits', 'isActive'],
  sessions: ['isActive'],
  messages: ['isActive'],
  user_messages: ['isActive'],
  assistant_messages: ['isActive'],
  tool_calls: ['isActive'],
  git_commits: ['commits'],
  git_prs_created: ['pullRequests'],
  user_email: ['team'],
  primary_model: ['model'],
  primary_model_tier: ['tier'],
  delegation_level: ['level'],
  languages: ['languages'],
};

/** What an unusable field makes unknown, beyond the person's own figure. */
export function spoiledBy(field: string): readonly PersonFault[] {
  return SPOILED[field] ?? [];
}
