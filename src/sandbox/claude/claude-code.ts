import { type Day, dayAt, dayMs, formatDay, hourMs } from '../calendar.ts';
import { apportion } from '../random.ts';
import type { Row } from '../types.ts';
import type { PersonDay } from '../world/person-day.ts';
import { type Call, claudeModel, dayOf, daysFrom, emailOf, isProgram, workOn } from './call.ts';

/** Cents of a credit of the simulated world: an estimate, which is not what is charged. */
const ESTIMATED_PRICE = 0.00066;

const terminals = ['vscode', 'iTerm.app', 'tmux', 'Apple_Terminal'];

/** The rows of the report about a day, of which what is younger than an hour is missing. */
export function claudeCodeRows(call: Call): Row[] {
  const asked = dayOf(call, 'starting_at');
  const share = Math.min(1, (call.known - hourMs - asked * dayMs) / dayMs);
  return daysFrom(call, asked, Math.min(asked, dayAt(call.known))).flatMap((day) =>
    workOn(call.account, day).flatMap((done) => rowsOf(call, done, day, share)),
  );
}

/** A row for what is done locally, and another one for what some people do remotely. */
function rowsOf({ account }: Call, done: PersonDay, day: Day, share: number): Row[] {
  const { person, sessions } = done;
  const places = person.web > 0.1 && sessions > 1 ? [3, 1] : [1];
  const isKey = isProgram(account, person);
  const kind = isKey || person.index % 3 === 0 ? 'api' : 'subscription';
  return places.flatMap((_, index) => {
    const part = (total: number) => Math.floor((apportion(total, places)[index] ?? 0) * share);
    const { added, removed, actions } = editsOf(done);
    const row = {
      date: `${formatDay(day)}T00:00:00Z`,
      actor: isKey
        ? { type: 'api_actor', api_key_name: `ci-${person.index}` }
        : { type: 'user_actor', email_address: emailOf(person, account.org.name, day) },
      organization_id: account.orgId,
      customer_type: kind,
      subscription_type: kind === 'api' ? null : 'team',
      is_remote: index > 0,
      terminal_type: terminals[person.index % terminals.length],
      core_metrics: {
        num_sessions: part(sessions),
        lines_of_code: { added: part(added), removed: part(removed) },
        commits_by_claude_code: part(done.commits),
        pull_requests_by_claude_code: part(done.pullRequests),
      },
      tool_actions: Object.fromEntries(
        actions.map(([tool, yes, no]) => [tool, { accepted: part(yes), rejected: part(no) }]),
      ),
      model_breakdown: modelsOf(done, part),
    };
    return part(sessions) > 0 ? [row] : [];
  });
}

function modelsOf({ models, cacheRead, cacheWrite }: PersonDay, part: (total: number) => number): Row[] {
  const inputs = models.map(({ input }) => input);
  const [reads, creations] = [apportion(cacheRead, inputs), apportion(cacheWrite, inputs)];
  return models.map(({ model, credits, input, output }, index) => {
    const [read = 0, creation = 0] = [reads[index], creations[index]];
    return {
      model: claudeModel(model),
      tokens: {
        input: part(input - read - creation),
        output: part(output),
        cache_read: part(read),
        cache_creation: part(creation),
      },
      estimated_cost: { currency: 'USD', amount: part(Math.round(credits * ESTIMATED_PRICE)) },
    };
  });
}

/** The lines of code of a person's day, and the suggestions accepted and rejected per tool. */
export function editsOf({ filesCreated, filesEdited }: PersonDay) {
  const actions = [
    ['edit_tool', filesEdited, Math.floor(filesEdited / 7)],
    ['multi_edit_tool', Math.floor(filesEdited / 4), Math.floor(filesEdited / 40)],
    ['write_tool', filesCreated, Math.floor(filesCreated / 9)],
    ['notebook_edit_tool', Math.floor(filesEdited / 30), 0],
  ] as const;
  return { added: filesCreated * 61 + filesEdited * 17, removed: filesEdited * 9, actions };
}
