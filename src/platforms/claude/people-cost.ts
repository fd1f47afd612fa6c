import * as z from 'zod';
import type { Day } from '../../catalog/day.ts';
import type { Source } from '../../catalog/source.ts';
import { apiContractOf } from '../api-contract.ts';
import { text } from '../fields.ts';
import { statusOf } from '../shared.ts';
import { dayOfInstant } from './listing.ts';
import { dollarsOf, money, readByDay, unreadOf } from './tokens.ts';

/** Keys, accounts of services and identities of other providers are actors, too, and no people. */
const actor = z
  .object({ type: text, user_id: text, email_address: text })
  .transform(({ type, user_id: id, email_address: email }) =>
    type === 'user_actor' ? (email?.trim().toLowerCase() ?? id) : undefined,
  );

const costRow = z.compile(
  z.object({
    starting_at: dayOfInstant,
    group: z.object({ actor: actor.nullish() }).transform((group) => group.actor ?? undefined),
    cost: money,
  }),
);

const contract = apiContractOf({
  schema: costRow,
  whenOf: ({ starting_at: at }) => at,
  dayOf: ({ starting_at: at }) => String(at).slice(0, 10),
  unread: [
    ...unreadOf('actor'),
    ...['name', 'deleted', 'service_account_id', 'api_key_id', 'provider', 'subject'].map(
      (name) => `group.actor.${name}`,
    ),
  ],
  optional: ['group.actor.user_id', 'group.actor.email_address'],
});

/** The statuses of organizations without this report: the cost of people is unknown then, and nothing else. */
const DECLINED: readonly unknown[] = [400, 403, 404];

/** The cost of a day in USD by person, by e-mail address in lower case, else by identifier; null where it is unusable. */
export async function costByPerson(source: Source, day: Day) {
  const byPerson = new Map<string, number | null>();
  const window = { from: day, to: day };
  const asked = { endpoint: 'users', of: 'cost', by: 'actor', schema: costRow, contract } as const;
  const read = await readByDay(source, window, asked).catch((thrown: unknown) => {
    if (!DECLINED.includes(statusOf(thrown))) throw thrown;
  });
  if (read === undefined) return { byPerson, otherwise: undefined, isWhole: true, rejected: 0, bytes: 0 };
  const costs = Map.groupBy(read.byDay.get(day) ?? [], ({ group }) => group);
  for (const [person, rows] of costs) {
    if (person === undefined) continue;
    byPerson.set(person, dollarsOf(rows.map(({ cost }) => cost.amount)) ?? null);
  }
  return { byPerson, otherwise: 0, isWhole: read.isWhole(day), rejected: read.rejected, bytes: read.bytes };
}
