import { ANONYMOUS, type PeopleSettings } from '../../../src/catalog/settings.ts';
import type { ApiRequest, Source } from '../../../src/catalog/source.ts';
import { walkPages } from '../../../src/client/paging.ts';
import type { UsersRow } from '../../../src/collectors/users/dataset.ts';
import { DayReducer } from '../../../src/collectors/users/reduce.ts';
import { personRow } from '../../../src/platforms/agent-platform/users.ts';
import { createSystemClock } from '../../../src/work/clock.ts';
import { analytics, DAY, inSlices } from '../fakes.ts';

export type Person = Readonly<Record<string, unknown>>;

/** A row of `/users`. */
export function person(id: string, rest: Person = {}): Person {
  return { user_id: id, user_email: `${id}@acme.example`, date: DAY, sessions: 1, ...rest };
}

/** Settings in which a person's team is the part of the id before a dash. */
export function teamsById(settings: Partial<PeopleSettings> = {}): PeopleSettings {
  return { ...ANONYMOUS, teamOf: ({ id }) => id.split('-')[0] ?? 'none', ...settings };
}

/** The day's row of these people. */
export function reduced(people: readonly Person[], settings: PeopleSettings = ANONYMOUS): UsersRow {
  const reducer = new DayReducer(settings);
  for (const row of people) reducer.add(personRow.parse(row).person);
  const steps = reducer.finish();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** A body of `/users`. */
export function pageOf(people: readonly unknown[], next?: string): unknown {
  const { data, meta } = analytics(...people);
  return { data, meta: { ...meta, has_more: next !== undefined, ...(next && { next_cursor: next }) } };
}

/** A platform with pages by cursor, read as the client does; an Error is thrown. */
export function createPagedSource(answer: (cursor: string | undefined) => unknown): Source & {
  readonly requests: ApiRequest[];
} {
  const requests: ApiRequest[] = [];
  async function get(request: ApiRequest) {
    requests.push(request);
    const body = answer(request.query['cursor']);
    if (body instanceof Error) throw body;
    const text = JSON.stringify(body ?? null);
    return { body: JSON.parse(text) as unknown, bytes: text.length };
  }
  const paging = { maxPages: 50, slices: createSystemClock().slices };
  return {
    requests,
    get,
    lines: () => Promise.reject(new Error('not used')),
    pages: (request, onItems) => walkPages(get, request, onItems, paging),
    inSlices,
  };
}
