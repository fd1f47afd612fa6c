import * as z from 'zod';
import { withRejected } from '../../catalog/dataset.ts';
import { addDays, type Day } from '../../catalog/day.ts';
import { isObject } from '../../catalog/object.ts';
import type { DayReader } from '../../catalog/platform.ts';
import type { ActivityRow } from '../../collectors/activity/dataset.ts';
import { type Count, summedCounts } from '../../collectors/counts.ts';
import { apiContractOf } from '../api-contract.ts';
import {
  addressOf,
  amount,
  element,
  elementAmount,
  rejected,
  requiredElementAmount,
  text,
} from '../fields.ts';
import { datedBy, dayOfInstant, readListing, undated } from './listing.ts';
import {
  type ActorRow,
  type DailyReport,
  isAnyDone,
  isEmpty,
  productivityReader,
  suggestionsOf,
  summaryOf,
  unusableIn,
  usersReader,
} from './report.ts';

/** Proposals of one tool. */
const actions = element({
  accepted_count: requiredElementAmount,
  rejected_count: requiredElementAmount,
}).transform(({ accepted_count: accepted, rejected_count: turnedDown }) => ({
  accepted,
  rejected: turnedDown,
}));

/** What members do with the other products only shows who was active. */
const OTHERS = [
  ...['chat', 'chat_cowork_unified', 'claude_tag', 'cowork', 'design', 'office', 'science'].map(
    (product) => `${product}_metrics`,
  ),
  'web_search_count',
];

/** What a member did on a day. */
const userRow = z.object({
  ...(Object.fromEntries(OTHERS.map((name) => [name, z.unknown().optional()])) as object),
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
});

const REPORT: DailyReport = {
  path: '/v1/organizations/analytics/users',
  dayParameter: 'date',
  schema: z.compile(userRow.transform(actorRowOf)),
  contract: apiContractOf({
    ...{ schema: userRow, ...undated },
    unread: [
      ...['user.id', 'user.type', 'claude_code_metrics.core_metrics.artifacts_created_count'],
      ...['last_activity_date', 'distinct_user_count', 'rbac_group_id', 'rbac_group_name'],
    ],
    optional: ['user', ...OTHERS],
  }),
};

function actorRowOf({ user, claude_code_metrics: code, ...row }: z.output<typeof userRow>): ActorRow {
  const { lines_of_code: lines, ...output } = code.core_metrics;
  const done = {
    sessions: output.distinct_session_count,
    commits: output.commit_count,
    pullRequests: output.pull_request_count,
    linesAdded: lines.added_count,
    linesRemoved: lines.removed_count,
    ...suggestionsOf(Object.values(code.tool_actions)),
  };
  const email = user?.email_address;
  return {
    email: user == null ? undefined : ((email && addressOf(email)) ?? null),
    isActive: isAnyPositive(row) || isAnyDone(done),
    done,
  };
}

function isAnyPositive(value: unknown): boolean {
  return typeof value === 'number' ? value > 0 : isObject(value) && Object.values(value).some(isAnyPositive);
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
  ...{ schema: summaryRow, ...datedBy('starting_at'), optional: PRODUCTS.map(fieldOf) },
  unread: [
    ...['ending_at', 'pending_invite_count', 'science_entitled_user_count'],
    ...['daily', 'weekly', 'monthly'].map((span) => `${span}_adoption_rate`),
    ...PRODUCTS.flatMap((product) =>
      ['weekly', 'monthly'].map((span) => `${product}_${span}_active_user_count`),
    ),
  ],
  beyondDay: ['weekly_active_user_count', 'monthly_active_user_count', 'assigned_seat_count'],
});

const PARTS: Readonly<Record<string, string>> = {
  daily_active_user_count: 'day',
  weekly_active_user_count: 'week',
  monthly_active_user_count: 'month',
  assigned_seat_count: 'seats',
};

/** People and seats are in summaries of all days, sessions in the report of each. */
export const activity: DayReader<ActivityRow> = {
  async fetchDays(source, { from, to }) {
    const { sum, rejected, bytes } = await readListing(source, {
      endpoint: 'activity',
      path: '/v1/organizations/analytics/summaries',
      query: { starting_date: from, ending_date: addDays(to, 1) },
      ...{ schema: summaryRow, contract: summariesContract },
      begin: () => new Map<Day, ActivityRow>(),
      add: (byDay, row, members) => byDay.set(row.starting_at, activityOf(row, members)) === byDay,
    });
    const rows = new Map<Day, ActivityRow>();
    const all = { rows, lost: 0, rejected, bytes, remarks: [] };
    for (const [day, row] of sum) {
      if (day < from || day > to) continue;
      const done = await summaryOf(REPORT, source, 'activity', day);
      const sessions = isEmpty(done) ? 0 : done.all.sessions;
      all.rejected += done.rejected;
      all.bytes += done.bytes;
      rows.set(day, withRejected({ ...row, sessions: sessions ?? undefined }, unusableIn({ sessions })));
    }
    return all;
  },
};

/** A day of which some members are unusable. */
function activityOf(row: z.output<typeof summaryRow>, unusable: readonly string[]): ActivityRow {
  const clients = PRODUCTS.flatMap((product): Count | [] => {
    const field = fieldOf(product);
    const count = unusable.includes(field) ? null : (Reflect.get(row, field) as number | undefined);
    return count === undefined ? [] : { name: product, count };
  });
  return withRejected<ActivityRow>(
    {
      dailyUsers: row.daily_active_user_count,
      weeklyUsers: row.weekly_active_user_count,
      monthlyUsers: row.monthly_active_user_count,
      seats: row.assigned_seat_count,
      byClient: clients.length === 0 ? undefined : summedCounts(clients),
    },
    unusable.map((field) => PARTS[field] ?? 'clients'),
  );
}

export const productivity = productivityReader(REPORT);
export const users = usersReader(REPORT);
