import * as z from 'zod';
import type { Day } from '../../catalog/day.ts';
import { IncompleteListing, type Source, UnexpectedAnswer } from '../../catalog/source.ts';
import type { PersonDay, PersonFault } from '../../collectors/users/person-day.ts';
import { apiContractOf, pathsIn } from '../api-contract.ts';
import { amount, day, MAX_ELEMENTS, requiredText, sumOfSent } from '../fields.ts';
import { passOn, peopleReader } from '../people.ts';
import { salvage } from '../usable-row.ts';
import { accountOf } from './account.ts';
import { promptsOf, surface, UNREAD } from './organization.ts';
import { readReport } from './reports.ts';

/** A person's day. */
const personRow = z.compile(
  z.object({
    user_login: requiredText,
    day,
    ai_credits_used: amount,
    user_initiated_interaction_count: amount,
    code_generation_activity_count: amount,
    totals_by_cli: surface,
    totals_by_copilot_app: surface,
  }),
);

const peopleContract = apiContractOf({
  schema: personRow,
  whenOf: ({ day: of }) => of,
  dayOf: ({ day: of }) => of,
  unread: [
    ...UNREAD,
    ...pathsIn(
      'user_id code_acceptance_activity_count loc_{suggested_to_add,added,deleted}_sum ' +
        'totals_by_3rd_party_agent ai_adoption_phase used_{chat,agent,cli,copilot_app} ' +
        'used_copilot_{cloud_agent,coding_agent,code_review_active,code_review_passive}',
    ),
  ],
  optional: ['totals_by_cli', 'totals_by_copilot_app'],
});

/** What an unusable field makes unknown. */
function spoiledBy(field: string): readonly PersonFault[] {
  return field === 'ai_credits_used' ? ['credits', 'cost'] : ['isActive'];
}

/** What was read of one file: no more of each person than is passed on. */
class People {
  readonly found = new Map<string, PersonDay>();
  readonly faults: (readonly PersonFault[])[] = [];
  rejected = 0;
  lost = 0;
}

export const reader = peopleReader(readPeople);

/** Reads the report of one day, row by row, and passes on each person once; throws if it is incomplete. */
async function readPeople(source: Source, of: Day, onPerson: (person: PersonDay) => void) {
  const { identity } = accountOf(source);
  let added = 0;
  function add(people: People, sent: unknown): void {
    added += 1;
    // Of all files and attempts together: what was read of one is kept until the last one is read.
    if (added > MAX_ELEMENTS) throw new UnexpectedAnswer(`at most ${MAX_ELEMENTS} people`, [sent]);
    source.compare?.(peopleContract, [sent]);
    const { row, rejected, members } = salvage(personRow, sent);
    people.rejected += rejected;
    if (row?.day !== of) people.lost += 1;
    else {
      people.faults.push(...members.map(spoiledBy));
      people.found.set(row.user_login.toLowerCase(), personOf(row));
    }
  }
  const rows = { start: () => new People(), add };
  const read = await readReport(source, { endpoint: 'users', day: of, rows });
  const parts = read?.sums ?? [];
  const lost = parts.reduce((sum, part) => sum + part.lost, 0);
  const rejected = parts.reduce((sum, part) => sum + part.rejected, 0) + lost;
  if (lost > 0) throw new IncompleteListing('people', 'rows', parts.length, rejected);
  const people = new Map<string, PersonDay>();
  for (const [login, person] of parts.flatMap(({ found }) => [...found]))
    if (!people.has(login)) people.set(login, person);
  await passOn(source, people.values(), onPerson);
  return {
    ...{ rejected, people: people.size, bytes: read?.bytes ?? 0, orgId: identity },
    faults: parts.flatMap(({ faults }) => faults),
    unready: new Set(read === undefined ? [of] : []),
  };
}

/** As GitHub documents the price of an AI credit, which bills have in each item. */
const CREDITS_PER_USD = 100;

/** Who has no interaction, session or suggestion was not active: credits may be those of a review that nobody asked for. */
function personOf(row: z.output<typeof personRow>): PersonDay {
  const { totals_by_cli: cli, totals_by_copilot_app: app } = row;
  const sessions = sumOfSent([cli?.session_count, app?.session_count]);
  const prompts = promptsOf(row);
  return {
    person: { id: row.user_login, email: undefined },
    isActive: [sessions, prompts, row.code_generation_activity_count].some((count = 0) => count > 0),
    credits: row.ai_credits_used,
    cost: row.ai_credits_used === undefined ? undefined : row.ai_credits_used / CREDITS_PER_USD,
    sessions,
    userMessages: prompts,
  };
}
