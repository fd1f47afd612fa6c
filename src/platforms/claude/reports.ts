import * as z from 'zod';
import type { DayReader } from '../../catalog/collector.ts';
import { type DatasetName, type Reduced, withRejected } from '../../catalog/dataset.ts';
import { addDays, type Day } from '../../catalog/day.ts';
import { isObject } from '../../catalog/object.ts';
import { IncompleteListing, type Source } from '../../catalog/source.ts';
import type { ActivityRow } from '../../collectors/activity/dataset.ts';
import { type Count, plusSent, summedCounts } from '../../collectors/counts.ts';
import type { ProductivityRow } from '../../collectors/productivity/dataset.ts';
import type { PersonDay, PersonFault } from '../../collectors/users/person-day.ts';
import { pathsIn } from '../api-contract.ts';
import {
  addressOf,
  amount,
  element,
  elementAmount,
  flag,
  members,
  rejected,
  requiredElementAmount,
  text,
} from '../fields.ts';
import { PEOPLE_AT_ONCE, passOn, peopleReader } from '../people.ts';
import { readDays, readOnce } from '../shared.ts';
import { dayOfInstant, type Listing, listingOf, readListing } from './listing.ts';
import { costByPerson } from './money.ts';

/** What was done on a day, by the names of stored rows. Null is what was unusable, undefined what was not sent. */
type Figures = Readonly<Record<string, number | null | undefined>>;

/** A row of a report: what one actor did at one place. */
interface ActorRow {
  /** The day that it is about, if it says so. */
  readonly day?: Day;
  /** The e-mail address in lower case; null if it is unusable, undefined if the actor is no person. */
  readonly email: string | null | undefined;
  readonly isActive: boolean;
  /** Where it was done, if the report says so. */
  readonly client?: string;
  readonly done: Figures;
}

/** A report of what everybody did on a day. */
interface DailyReport extends Listing<ActorRow> {
  readonly dayParameter: string;
}

/** Proposed edits: those that were accepted, and all. */
function suggestionsIn(
  tools: readonly { accepted: number | null; rejected: number | null }[] | undefined,
): Figures {
  return {
    suggestionsShown: tools && sumOf(tools.flatMap(({ accepted, rejected }) => [accepted, rejected])),
    suggestionsAccepted: tools && sumOf(tools.map(({ accepted }) => accepted)),
  };
}

function sumOf(amounts: readonly Figures[string][]): Figures[string] {
  return amounts.reduce(plusSent, undefined);
}

function isAnyPositive(value: unknown): boolean {
  return typeof value === 'number' ? value > 0 : isObject(value) && Object.values(value).some(isAnyPositive);
}

/** What an actor did on a day with one terminal, here or on the web: a person at two places has two rows. */
const codeRow = z
  .object({
    date: dayOfInstant,
    actor: element({ type: z.union([text, rejected]), email_address: z.union([text, rejected]) }),
    is_remote: flag,
    terminal_type: text,
    core_metrics: element({
      num_sessions: elementAmount,
      lines_of_code: element({ added: elementAmount, removed: elementAmount }),
      commits_by_claude_code: elementAmount,
      pull_requests_by_claude_code: elementAmount,
    }),
    tool_actions: members(element({ accepted: requiredElementAmount, rejected: requiredElementAmount })),
  })
  .transform(({ date: day, actor, core_metrics: core, ...row }): ActorRow => {
    const done = {
      sessions: core.num_sessions,
      commits: core.commits_by_claude_code,
      pullRequests: core.pull_requests_by_claude_code,
      linesAdded: core.lines_of_code.added,
      linesRemoved: core.lines_of_code.removed,
      ...suggestionsIn(row.tool_actions?.map(([, tool]) => tool)),
    };
    const { type, email_address: email } = actor;
    return {
      day,
      email: type === 'api_actor' ? undefined : ((email && addressOf(email)) ?? null),
      isActive: isAnyPositive(done),
      client: row.is_remote === true ? 'remote' : (row.terminal_type ?? 'unknown'),
      done,
    };
  });

const CODE: DailyReport = {
  dayParameter: 'starting_at',
  ...listingOf('usage_report/claude_code', codeRow, {
    dated: 'date',
    // The cost of the models is an estimate, and no money.
    unread: 'actor.api_key_name organization_id customer_type subscription_type model_breakdown',
    optional: 'actor.email_address is_remote terminal_type',
  }),
};

/** Proposals of one tool. */
const actions = element({
  accepted_count: requiredElementAmount,
  rejected_count: requiredElementAmount,
}).transform((count) => ({ accepted: count.accepted_count, rejected: count.rejected_count }));

/** What members do with the other products only shows who was active. */
const OTHERS = '{chat,chat_cowork_unified,claude_tag,cowork,design,office,science}_metrics web_search_count';

/** What a member did on a day. */
const memberRow = z
  .object({
    ...(Object.fromEntries(pathsIn(OTHERS).map((name) => [name, z.unknown().optional()])) as object),
    user: element({ email_address: z.union([text, rejected]) }).nullish(),
    claude_code_metrics: element({
      core_metrics: element({
        commit_count: elementAmount,
        pull_request_count: elementAmount,
        distinct_session_count: elementAmount,
        lines_of_code: element({ added_count: elementAmount, removed_count: elementAmount }),
      }),
      tool_actions: element({
        edit_tool: actions,
        multi_edit_tool: actions,
        write_tool: actions,
        notebook_edit_tool: actions,
      }),
    }),
  })
  .transform(
    ({ user, claude_code_metrics: { core_metrics: core, tool_actions: tools }, ...others }): ActorRow => {
      const done = {
        sessions: core.distinct_session_count,
        commits: core.commit_count,
        pullRequests: core.pull_request_count,
        linesAdded: core.lines_of_code.added_count,
        linesRemoved: core.lines_of_code.removed_count,
        ...suggestionsIn(Object.values(tools)),
      };
      const email = user?.email_address;
      return {
        email: user == null ? undefined : ((email && addressOf(email)) ?? null),
        isActive: isAnyPositive(others) || isAnyPositive(done),
        done,
      };
    },
  );

const MEMBERS: DailyReport = {
  dayParameter: 'date',
  ...listingOf('analytics/users', memberRow, {
    unread:
      'user.{id,type} claude_code_metrics.core_metrics.artifacts_created_count last_activity_date ' +
      'distinct_user_count rbac_group_{id,name}',
    optional: `user ${OTHERS}`,
  }),
};

interface Somebody {
  readonly isActive: boolean;
  readonly done: Figures;
}

const NOBODY: Somebody = { isActive: false, done: {} };

/** Whether it is unknown if somebody was active: what is unusable may have been all that they did. */
function isUnclear({ isActive, done }: Somebody): boolean {
  return !isActive && unusableIn(done).length > 0;
}

/** What is in the rows of a day: a person can have several, and an actor that is no person has one, too. */
function* contentOf(rows: readonly { readonly row: ActorRow }[]) {
  const people = new Map<string, Somebody>();
  const clients = new Map<string, Set<string>>();
  let [all, unnamed]: [Figures, number] = [{}, 0];
  for (const [index, { row }] of rows.entries()) {
    const { email, isActive, client, done } = row;
    if (index % PEOPLE_AT_ONCE === 0) yield;
    all = plusDone(all, done);
    if (email === null) unnamed += 1;
    if (typeof email !== 'string') continue;
    const known = people.get(email) ?? NOBODY;
    people.set(email, { isActive: known.isActive || isActive, done: plusDone(known.done, done) });
    if (client !== undefined && isActive) clients.set(client, (clients.get(client) ?? new Set()).add(email));
  }
  return { people, clients, all, unnamed, isEmpty: rows.length === 0 };
}

function plusDone(one: Figures, other: Figures): Figures {
  return Object.fromEntries(Object.keys(other).map((name) => [name, plusSent(one[name], other[name])]));
}

async function readReport(
  source: Source,
  endpoint: DatasetName,
  { dayParameter, ...listing }: DailyReport,
  day: Day,
) {
  const { rows, rejected, bytes } = await readListing(source, listing, {
    endpoint,
    query: { [dayParameter]: day },
    isAsked: (row) => row.day === undefined || row.day === day,
  });
  const content = await source.inSlices(contentOf(rows));
  return { ...content, rejected, bytes };
}

/** The report of a day without its people, in which activity and productivity are. */
function summaryOf(source: Source, endpoint: DatasetName, report: DailyReport, day: Day) {
  return readOnce(source, { endpoint, day }, async () => {
    const { people: byEmail, clients, unnamed, ...read } = await readReport(source, endpoint, report, day);
    const people = [...byEmail.values()];
    const isUnknown = unnamed > 0 || people.some(isUnclear);
    return {
      ...read,
      clients: [...clients].map(([name, { size: count }]) => ({ name, count })),
      /** How many people were active; undefined if it is unknown who somebody was, or whether. */
      active: isUnknown ? undefined : people.filter(({ isActive }) => isActive).length,
    };
  });
}

type Summary = Awaited<ReturnType<typeof summaryOf>>;

/** Reads rows from the reports of some days, newest first; a day whose report is empty has none: nobody did anything. */
function reportReader<Row extends Reduced>(
  endpoint: DatasetName,
  report: DailyReport,
  rowOf: (summary: Summary) => Row,
): DayReader<Row> {
  return {
    fetchDays: (source, window) =>
      readDays<Row>(window, async (day) => {
        const summary = await summaryOf(source, endpoint, report, day);
        return { ...summary, row: summary.isEmpty ? undefined : rowOf(summary) };
      }),
  };
}

/** The names of unusable figures. */
function unusableIn(figures: Figures): string[] {
  return Object.keys(figures).filter((name) => figures[name] === null);
}

/** The figures without those that are unusable. */
function usableOf(figures: Figures) {
  const usable = Object.entries(figures).flatMap(([name, figure]) =>
    figure === null ? [] : [[name, figure] as const],
  );
  return Object.fromEntries(usable);
}

/** The output of a day, of people and of whoever else did something. */
function productivityOf({ all: { sessions: _, ...output } }: Summary): ProductivityRow {
  return withRejected<ProductivityRow>(usableOf(output), unusableIn(output));
}

function codeActivityOf({ all: { sessions }, active, clients }: Summary): ActivityRow {
  const faults = [...(active === undefined ? ['day', 'clients'] : []), ...unusableIn({ sessions })];
  const byClient = active === undefined ? undefined : summedCounts(clients);
  return withRejected<ActivityRow>({ dailyUsers: active, byClient, sessions: sessions ?? undefined }, faults);
}

/** The products whose people are counted apart; a member of several counts in each. */
const PRODUCTS = 'chat,chat_cowork_unified,claude_code,claude_design,claude_tag,cowork,office_agent,science';

const fieldOf = (product: string) => `${product}_daily_active_user_count`;

/** The fields of people and seats, with the member and the part of a stored row. */
const COUNTS = [
  ['daily_active_user_count', 'dailyUsers', 'day'],
  ['weekly_active_user_count', 'weeklyUsers', 'week'],
  ['monthly_active_user_count', 'monthlyUsers', 'month'],
  ['assigned_seat_count', 'seats', 'seats'],
] as const;

const summaryRow = z.object({
  starting_at: dayOfInstant,
  ...Object.fromEntries(COUNTS.map(([field]) => [field, amount])),
  ...Object.fromEntries(PRODUCTS.split(',').map((product) => [fieldOf(product), amount])),
});

const SUMMARIES = listingOf('analytics/summaries', summaryRow, {
  dated: 'starting_at',
  unread:
    'ending_at pending_invite_count science_entitled_user_count {daily,weekly,monthly}_adoption_rate ' +
    `{${PRODUCTS}}_{weekly,monthly}_active_user_count`,
  optional: `{${PRODUCTS}}_daily_active_user_count`,
  beyondDay: '{weekly,monthly}_active_user_count assigned_seat_count',
});

/** A day of which some members are unusable. */
function memberActivityOf(row: object, unusable: readonly string[]): ActivityRow {
  const countOf = (field: string) => Reflect.get(row, field) as number | undefined;
  const clients = PRODUCTS.split(',').flatMap((name): Count | [] => {
    const count = unusable.includes(fieldOf(name)) ? null : countOf(fieldOf(name));
    return count === undefined ? [] : { name, count };
  });
  const counts = Object.fromEntries(COUNTS.map(([field, member]) => [member, countOf(field)]));
  return withRejected<ActivityRow>(
    { ...counts, byClient: clients.length === 0 ? undefined : summedCounts(clients) },
    unusable.map((field) => COUNTS.find(([name]) => name === field)?.[2] ?? 'clients'),
  );
}

/** People and seats are in summaries of all days, sessions in the report of each. */
const memberActivity: DayReader<ActivityRow> = {
  async fetchDays(source, window) {
    const query = { starting_date: window.from, ending_date: addDays(window.to, 1) };
    const listing = await readListing(source, SUMMARIES, { endpoint: 'activity', query });
    const byDay = new Map(
      listing.rows.map(({ row, faults }) => [row.starting_at, memberActivityOf(row, faults)]),
    );
    const read = await readDays<ActivityRow>(window, async (day) => {
      if (!byDay.has(day)) return {};
      const { isEmpty, all, ...summary } = await summaryOf(source, 'activity', MEMBERS, day);
      const sessions = isEmpty ? 0 : all['sessions'];
      const row = { ...byDay.get(day), sessions: sessions ?? undefined };
      return { ...summary, row: withRejected<ActivityRow>(row, unusableIn({ sessions })) };
    });
    return { ...read, rejected: read.rejected + listing.rejected, bytes: read.bytes + listing.bytes };
  },
};

/** The people of a day with their cost, which another report has: also that of people who only this one names. */
function usersReader(report: DailyReport) {
  return peopleReader(async (source, day, onPerson) => {
    const costs = await costByPerson(source, day);
    const faults: (readonly PersonFault[])[] = [];
    const nobody = { faults, people: 0, orgId: undefined, rejected: costs.rejected, bytes: costs.bytes };
    if (!costs.isWhole) return { ...nobody, unready: new Set([day]) };
    const { people, unnamed, rejected, bytes } = await readReport(source, 'users', report, day);
    if (unnamed > 0) throw new IncompleteListing('people', 'rows', 1, rejected + unnamed);
    const ids = new Set([...people.keys(), ...costs.byPerson.keys()]);
    await passOn(source, ids.values().map(personOf), onPerson);
    return {
      ...nobody,
      people: ids.size,
      rejected: costs.rejected + rejected,
      bytes: costs.bytes + bytes,
    };

    function personOf(id: string): PersonDay {
      const somebody = people.get(id) ?? NOBODY;
      const { sessions, commits, pullRequests } = somebody.done;
      const cost = costs.byPerson.has(id) ? costs.byPerson.get(id) : costs.otherwise;
      const figures = { sessions, commits, pullRequests, cost };
      const unusable = unusableIn(figures) as PersonFault[];
      // Whoever did nothing else may have been active.
      if (isUnclear(somebody)) unusable.push('isActive');
      if (unusable.length > 0) faults.push(unusable);
      return {
        person: { id, email: id.includes('@') ? id : undefined },
        isActive: somebody.isActive,
        cost: undefined,
        ...usableOf(figures),
      };
    }
  });
}

/** The readers of what the report of a kind of organization says. */
export const reports = {
  console: {
    activity: reportReader('activity', CODE, codeActivityOf),
    productivity: reportReader('productivity', CODE, productivityOf),
    users: usersReader(CODE),
  },
  enterprise: {
    activity: memberActivity,
    productivity: reportReader('productivity', MEMBERS, productivityOf),
    users: usersReader(MEMBERS),
  },
};
