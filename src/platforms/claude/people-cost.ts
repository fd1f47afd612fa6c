import * as z from 'zod';
import type { Day } from '../../catalog/day.ts';
import type { Source } from '../../catalog/source.ts';
import { addressOf, text } from '../fields.ts';
import { statusOf } from '../shared.ts';
import { isWithoutUse } from './advice.ts';
import { dayOfInstant } from './listing.ts';
import { dimensionContract, dollarsOf, money, readByDay } from './tokens.ts';

/** Keys, accounts of services and identities of other providers are actors, too, and no people. */
const actor = z
  .object({ type: text, user_id: text, email_address: text })
  .transform(({ type, user_id: id, email_address: email }) =>
    type === 'user_actor' ? ((email && addressOf(email)) ?? id) : undefined,
  );

const costRow = z.compile(
  z.object({
    starting_at: dayOfInstant,
    group: z.object({ actor: actor.nullish() }).transform((group) => group.actor ?? undefined),
    cost: money,
  }),
);

const contract = dimensionContract(costRow, 'actor', {
  unread: [
    'cost.requests',
    ...['name', 'deleted', 'service_account_id', 'api_key_id', 'provider', 'subject'].map(
      (name) => `group.actor.${name}`,
    ),
  ],
  optional: ['group.actor.user_id', 'group.actor.email_address'],
});

/** Whether the organization does not have this report: the cost of people is unknown then, and nothing else. */
function isDeclined(thrown: unknown): boolean {
  const status = statusOf(thrown);
  return status === 403 || isWithoutUse(status, String(thrown));
}

/** The cost of a day in USD by person, by e-mail address in lower case, else by identifier; null where it is unusable. */
export async function costByPerson(source: Source, day: Day) {
  const byPerson = new Map<string, number | null>();
  const window = { from: day, to: day };
  const asked = { endpoint: 'users', of: 'cost', by: 'actor', schema: costRow, contract } as const;
  const read = await readByDay(source, window, asked).catch((thrown: unknown) => {
    if (!isDeclined(thrown)) throw thrown;
  });
  if (read === undefined) return { byPerson, otherwise: undefined, isWhole: true, rejected: 0, bytes: 0 };
  const { rejected, bytes } = read;
  for (const [person, rows] of Map.groupBy(read.rowsOf(day), ({ group }) => group)) {
    if (person === undefined) continue;
    byPerson.set(person, dollarsOf(rows.map(({ cost }) => cost.amount)) ?? null);
  }
  return { byPerson, otherwise: 0, isWhole: read.isWhole(day) !== false, rejected, bytes };
}
