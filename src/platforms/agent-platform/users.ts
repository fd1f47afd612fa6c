import * as z from 'zod';
import type { Day } from '../../catalog/day.ts';
import { isObject } from '../../catalog/object.ts';
import { IncompleteListing, type Page, type Source, UnexpectedAnswer } from '../../catalog/source.ts';
import type { PersonDay, PersonFault } from '../../collectors/users/person-day.ts';
import { peopleReader } from '../people.ts';
import { salvage } from '../usable-row.ts';
import { contentOf } from './analytics.ts';
import { API_FIELDS } from './api-fields.ts';
import { personRow, spoiledBy, usersContract } from './person.ts';

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
