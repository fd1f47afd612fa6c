import * as z from 'zod';
import { withRejected } from '../../catalog/dataset.ts';
import { addDays, type Day } from '../../catalog/day.ts';
import { isObject } from '../../catalog/object.ts';
import type { DayReader } from '../../catalog/platform.ts';
import { IncompleteListing } from '../../catalog/source.ts';
import type { ActivityRow } from '../../collectors/activity/dataset.ts';
import { type Count, summedCounts } from '../../collectors/counts.ts';
import { apiContractOf } from '../api-contract.ts';
import { amount, element, elementAmount, rejected, requiredElementAmount, text } from '../fields.ts';
import { salvage } from '../usable-row.ts';
import { dayOfInstant, readListing } from './listing.ts';
import {
  type ActorRow,
  productivityReader,
  type ReadReport,
  readRows,
  suggestionsOf,
  summaryOf,
  unusableIn,
  usersReader,
} from './report.ts';

const USERS = '/v1/organizations/analytics/users';
const SUMMARIES = '/v1/organizations/analytics/summaries';

/** Proposals of one tool. */
const actions = element({
  accepted_count: requiredElementAmount,
  rejected_count: requiredElementAmount,
}).transform(({ accepted_count: accepted, rejected_count: turnedDown }) => ({
  accepted,
  rejected: turnedDown,
}));

/** What a member did on a day. */
const userRow = z.compile(
  z.object({
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
  }),
);

/** What members do with the other products only shows who was active. */
const OTHERS = [
  ...['chat', 'chat_cowork_unified', 'claude_tag', 'cowork', 'design', 'office', 'science'].map(
    (product) => `${product}_metrics`,
  ),
  'web_search_count',
];

const usersContract = apiContractOf({
  schema: userRow,
  // A row does not say of which day it is.
  whenOf: () => undefined,
  dayOf: () => undefined,
  unread: [
    ...OTHERS,
    ...['user.id', 'user.type', 'claude_code_metrics.core_metrics.artifacts_created_count'],
    ...['last_activity_date', 'distinct_user_count', 'rbac_group_id', 'rbac_group_name'],
  ],
  optional: ['user'],
});

/** Reads what each member did on a day. */
const readReport: ReadReport = (source, endpoint, day) =>
  readRows(source, { endpoint, path: USERS, query: { date: day } }, usersContract, (sent) => {
    const others = isObject(sent) ? OTHERS.map((name) => sent[name]) : [];
    const isElsewhere = others.some(isAnyPositive);
    const { row, rejected: unusable } = salvage(userRow, sent);
    return { row: row && rowOf(row, isElsewhere), rejected: unusable };
  });

function isAnyPositive(value: unknown): boolean {
  return typeof value === 'number' ? value > 0 : isObject(value) && Object.values(value).some(isAnyPositive);
}

function rowOf(
  { user, claude_code_metrics: code }: z.output<typeof userRow>,
  isElsewhere: boolean,
): ActorRow {
  const { lines_of_code: lines, ...output } = code.core_metrics;
  const done = {
    sessions: output.distinct_session_count,
    commits: output.commit_count,
    pullRequests: output.pull_request_count,
    linesAdded: lines.added_count,
    linesRemoved: lines.removed_count,
    ...suggestionsOf(Object.values(code.tool_actions)),
  };
  const email = user == null ? undefined : (user.email_address?.trim().toLowerCase() ?? null);
  return { email, isActive: isElsewhere || Object.values(done).some((count) => (count ?? 0) > 0), done };
}

/** The products whose people are counted apart; a member of several counts in each. */
const PRODUCTS = [
  ...['chat', 'chat_cowork_unified', 'claude_code', 'claude_design', 'claude_tag', 'cowork'],
  ...['office_agent', 'science'],
];

const fieldOf = (product: string) => `${product}_daily_active_user_count`;

const summaryRow = z.compile(
  z.object({
    starting_at: dayOfInstant,
    daily_active_user_count: amount,
    weekly_active_user_count: amount,
    monthly_active_user_count: amount,
    assigned_seat_count: amount,
    ...Object.fromEntries(PRODUCTS.map((product) => [fieldOf(product), amount])),
  }),
);

const summariesContract = apiContractOf({
  schema: summaryRow,
  whenOf: ({ starting_at: at }) => at,
  dayOf: ({ starting_at: at }) => String(at).slice(0, 10),
  unread: [
    ...['ending_at', 'pending_invite_count', 'science_entitled_user_count'],
    ...['daily', 'weekly', 'monthly'].map((span) => `${span}_adoption_rate`),
    ...PRODUCTS.flatMap((product) =>
      ['weekly', 'monthly'].map((span) => `${product}_${span}_active_user_count`),
    ),
  ],
  beyondDay: ['weekly_active_user_count', 'monthly_active_user_count', 'assigned_seat_count'],
  optional: PRODUCTS.map(fieldOf),
});

const PARTS: Readonly<Record<string, string>> = {
  daily_active_user_count: 'day',
  weekly_active_user_count: 'week',
  monthly_active_user_count: 'month',
  assigned_seat_count: 'seats',
};

const summary = summaryOf(readReport);

/** People and seats are in summaries of all days, sessions in the report of each. */
export const activity: DayReader<ActivityRow> = {
  async fetchDays(source, { from, to }) {
    const { sum, pages, bytes } = await readListing(source, {
      endpoint: 'activity',
      path: SUMMARIES,
      query: { starting_date: from, ending_date: addDays(to, 1) },
      begin: () => new Summaries(),
      add(summaries, sent) {
        source.compare?.(summariesContract, sent);
        for (const row of sent) summaries.add(row);
      },
    });
    if (sum.lost > 0) throw new IncompleteListing(SUMMARIES, 'rows', pages, sum.rejected + sum.lost);
    const rows = new Map<Day, ActivityRow>();
    const all = { rows, lost: 0, rejected: sum.rejected, bytes, remarks: [] };
    for (const [day, { row, faults }] of sum.byDay) {
      if (day < from || day > to) continue;
      const { all: done, rejected: unusable, bytes: read } = await summary(source, 'activity', day);
      const { sessions } = done;
      all.rejected += unusable;
      all.bytes += read;
      rows.set(
        day,
        withRejected({ ...row, sessions: sessions ?? undefined }, [...faults, ...unusableIn({ sessions })]),
      );
    }
    return all;
  },
};

/** The summaries of some days. */
class Summaries {
  readonly byDay = new Map<Day, { readonly row: ActivityRow; readonly faults: readonly string[] }>();
  rejected = 0;
  lost = 0;

  add(sent: unknown): void {
    const { row, rejected: unusable, members } = salvage(summaryRow, sent);
    this.rejected += unusable;
    if (row === undefined) {
      this.lost += 1;
      return;
    }
    const clients = PRODUCTS.flatMap((product): Count | [] => {
      const field = fieldOf(product);
      const count = members.includes(field) ? null : (Reflect.get(row, field) as number | undefined);
      return count === undefined ? [] : { name: product, count };
    });
    this.byDay.set(row.starting_at, {
      row: {
        dailyUsers: row.daily_active_user_count,
        weeklyUsers: row.weekly_active_user_count,
        monthlyUsers: row.monthly_active_user_count,
        seats: row.assigned_seat_count,
        byClient: clients.length === 0 ? undefined : summedCounts(clients),
      },
      faults: members.map((field) => PARTS[field] ?? 'clients'),
    });
  }
}

export const productivity = productivityReader(readReport);
export const users = usersReader(readReport);
