import { type Day, formatDay } from '../calendar.ts';
import { ratio } from '../random.ts';
import type { Row } from '../types.ts';
import type { Org } from '../world/org.ts';
import type { Person } from '../world/people.ts';
import { type PersonDay, personDay, presence } from '../world/person-day.ts';
import { filesByLanguage } from '../world/totals.ts';

/**
 * A page of `/users`: up to `limit` users after the cursor, ordered by id, each with one row per day of
 * activity. `next` is the last user id of the page, if more users follow. Its cost grows with the page, not with the organization.
 */
export function usersPage(org: Org, days: readonly Day[], after: string, limit: number) {
  const window = days.map((day) => org.conditions(day));
  const found = org.people
    .values()
    .drop(firstAfter(org.people, after))
    .filter((person) => window.some((on) => presence(person, on) !== 'absent'))
    .take(limit + 1)
    .toArray();
  const page = found.slice(0, limit);
  return {
    rows: page.flatMap((person) =>
      window.flatMap((on) => {
        const done = personDay(person, on);
        return done === undefined ? [] : [userRow(done, on.day)];
      }),
    ),
    next: found.length > limit ? page.at(-1)?.id : undefined,
  };
}

/** A record of one user and day. */
function userRow(done: PersonDay, day: Day): Row {
  const { person, model } = done;
  return {
    user_id: person.id,
    user_email: person.email,
    date: formatDay(day),
    tool_calls: done.toolCalls,
    billable_tokens: done.credits,
    primary_model: model.id,
    primary_model_tier: model.tier,
    files_created: done.filesCreated,
    files_edited: done.filesEdited,
    git_commits: done.commits,
    git_prs_created: done.pullRequests,
    mcp_calls: done.mcpCalls,
    skill_calls: done.skillCalls,
    slash_commands: done.slashCommands,
    hooks: done.hooks,
    sessions: done.sessions,
    messages: done.userMessages + done.assistantMessages,
    user_messages: done.userMessages,
    assistant_messages: done.assistantMessages,
    autonomy_ratio: ratio(done.toolCalls, done.userMessages),
    delegation_level: done.delegation,
    languages: filesByLanguage(done).map(([language]) => language),
  };
}

/** People are ordered by id, so that any text can be a cursor. */
function firstAfter(people: readonly Person[], cursor: string): number {
  let low = 0;
  let high = people.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((people[middle]?.id ?? '') > cursor) high = middle;
    else low = middle + 1;
  }
  return low;
}
