import * as z from 'zod';
import type { DayReader } from '../../catalog/platform.ts';
import type { ActivityRow } from '../../collectors/activity/dataset.ts';
import { summedCounts } from '../../collectors/counts.ts';
import { apiContractOf } from '../api-contract.ts';
import {
  addressOf,
  element,
  elementAmount,
  flag,
  members,
  rejected,
  requiredElementAmount,
  text,
} from '../fields.ts';
import { datedBy, dayOfInstant } from './listing.ts';
import {
  type ActorRow,
  type DailyReport,
  fetchReports,
  isAnyDone,
  productivityReader,
  suggestionsOf,
  summaryOf,
  usersReader,
} from './report.ts';

const actor = element({
  type: z.union([text, rejected]),
  email_address: z.union([text, rejected]),
}).transform(({ type, email_address: email }) =>
  type === 'api_actor' ? undefined : ((email && addressOf(email)) ?? null),
);

/** What an actor did on a day with one terminal, here or on the web. */
const reportRow = z.object({
  date: dayOfInstant,
  actor,
  is_remote: flag,
  terminal_type: text,
  core_metrics: element({
    num_sessions: elementAmount,
    lines_of_code: element({ added: elementAmount, removed: elementAmount }),
    commits_by_claude_code: elementAmount,
    pull_requests_by_claude_code: elementAmount,
  }),
  tool_actions: members(element({ accepted: requiredElementAmount, rejected: requiredElementAmount })),
});

/** The rows of a day: those of a person at two places are two. */
const REPORT: DailyReport = {
  path: '/v1/organizations/usage_report/claude_code',
  dayParameter: 'starting_at',
  schema: z.compile(reportRow.transform(actorRowOf)),
  contract: apiContractOf({
    ...{ schema: reportRow, ...datedBy('date') },
    unread: [
      ...['actor.api_key_name', 'organization_id', 'customer_type', 'subscription_type'],
      // The cost of its models is an estimate, and no money.
      'model_breakdown',
    ],
    optional: ['actor.email_address', 'is_remote', 'terminal_type'],
  }),
};

function actorRowOf(row: z.output<typeof reportRow>): ActorRow {
  const { num_sessions: sessions, lines_of_code: lines, ...output } = row.core_metrics;
  const done = {
    sessions,
    commits: output.commits_by_claude_code,
    pullRequests: output.pull_requests_by_claude_code,
    linesAdded: lines.added,
    linesRemoved: lines.removed,
    ...suggestionsOf(row.tool_actions?.map(([, actions]) => actions)),
  };
  const client = row.is_remote === true ? 'remote' : (row.terminal_type ?? 'unknown');
  return { day: row.date, email: row.actor, isActive: isAnyDone(done), client, done };
}

export const activity: DayReader<ActivityRow> = {
  fetchDays: (source, window) =>
    fetchReports<ActivityRow>(
      window,
      (day) => summaryOf(REPORT, source, 'activity', day),
      ({ all: { sessions }, active, clients }) => ({
        row: {
          dailyUsers: active,
          byClient: active === undefined ? undefined : summedCounts(clients),
          sessions: sessions ?? undefined,
        },
        faults: [
          ...(active === undefined ? ['day', 'clients'] : []),
          ...(sessions === null ? ['sessions'] : []),
        ],
      }),
    ),
};

export const productivity = productivityReader(REPORT);
export const users = usersReader(REPORT);
