import * as z from 'zod';
import type { Day } from '../../catalog/day.ts';
import { isObject } from '../../catalog/object.ts';
import { IncompleteListing, type Page, type Source, UnexpectedAnswer } from '../../catalog/source.ts';
import { plusKnown } from '../../collectors/counts.ts';
import { differenceOfBoth } from '../../collectors/statistics.ts';
import { FIGURE_NAMES, type FigureName } from '../../collectors/users/columns.ts';
import type { PersonDay, PersonFault } from '../../collectors/users/person-day.ts';
import { apiContractOf } from '../api-contract.ts';
import { addressOf, amount, day, list, requiredText, text } from '../fields.ts';
import { peopleReader } from '../people.ts';
import { salvage } from '../usable-row.ts';
import { contentOf, dateOf } from './analytics.ts';
import { API_FIELDS } from './api-fields.ts';
import { MODES, TIERS } from './words.ts';

/** Maximum number of people per page. */
const PAGE_PEOPLE = 100;

const paging = z.object({ has_more: z.boolean().nullish(), next_cursor: z.string().nullish() }).nullish();

export const reader = peopleReader(readPeople);

/** Walks the listing of one day and passes on each person once; throws if it is incomplete. */
async function readPeople(source: Source, day: Day, onPerson: (person: PersonDay) => void) {
  let [rejected, lost, people] = [0, 0, 0];
  /** What each unusable field makes unknown. */
  const faults: (readonly PersonFault[])[] = [];
  let orgId: string | undefined;

  function take(element: unknown): void {
    const salvaged = salvage(personRow, element);
    if (salvaged.row?.date !== day) {
      // A row without a user identifier or of another day: this is not the complete listing of the day.
      rejected += 1;
      lost += 1;
      return;
    }
    rejected += salvaged.rejected;
    for (const field of salvaged.members) faults.push(spoiledBy(field));
    people += 1;
    onPerson(salvaged.row.person);
  }

  const outcome = await source.pages(
    {
      endpoint: 'users',
      host: 'api',
      path: API_FIELDS.users.path,
      query: { startDate: day, endDate: day, limit: String(PAGE_PEOPLE) },
      cursorParameter: 'cursor',
      read(body) {
        const content = contentOf(body);
        orgId ??= content.orgId;
        return pageOf(content);
      },
      // A listing can shift while it is read; only the first row of a person counts.
      idOf: (item) => idOf(item, day),
    },
    (items) => {
      source.compare?.(usersContract, items);
      items.forEach(take);
    },
  );
  if (!outcome.complete) throw new IncompleteListing('people', outcome.end, outcome.pages, rejected);
  if (lost > 0) throw new IncompleteListing('people', 'rows', outcome.pages, rejected);
  return { rejected, faults, people, bytes: outcome.bytes, orgId };
}

function pageOf({ data, meta }: ReturnType<typeof contentOf>): Page {
  const said = paging.safeParse(meta);
  if (!said.success) throw new UnexpectedAnswer('has_more as true or false and next_cursor as text', meta);
  const { has_more: hasMore, next_cursor: cursor } = said.data ?? {};
  if (hasMore == null && !cursor && data.length >= PAGE_PEOPLE) {
    throw new UnexpectedAnswer('has_more beside a full page', hasMore);
  }
  if (hasMore === true && !cursor) throw new UnexpectedAnswer('a next_cursor where has_more is true', cursor);
  return { items: data, next: hasMore === false ? undefined : cursor || undefined };
}

/** Identifies an element by user, and by day if it is another one; undefined without them. */
function idOf(item: unknown, day: Day): string | undefined {
  if (!isObject(item)) return undefined;
  const { user_id: id, date } = item;
  if (typeof id !== 'string' || typeof date !== 'string') return undefined;
  return date.startsWith(day) ? id : `${id} ${date}`;
}

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

const usersContract = apiContractOf({
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
