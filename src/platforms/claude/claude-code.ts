import * as z from 'zod';
import type { DayReader } from '../../catalog/platform.ts';
import type { ActivityRow } from '../../collectors/activity/dataset.ts';
import { summedCounts } from '../../collectors/counts.ts';
import { apiContractOf } from '../api-contract.ts';
import { element, elementAmount, flag, members, rejected, requiredElementAmount, text } from '../fields.ts';
import { salvage } from '../usable-row.ts';
import { dayOfInstant } from './listing.ts';
import {
  type ActorRow,
  fetchReports,
  isAnyDone,
  productivityReader,
  type ReadReport,
  readRows,
  suggestionsOf,
  summaryOf,
  usersReader,
} from './report.ts';

const PATH = '/v1/organizations/usage_report/claude_code';

const actor = element({
  type: z.union([text, rejected]),
  email_address: z.union([text, rejected]),
}).transform(({ type, email_address: email }) =>
  type === 'api_actor' ? undefined : (email?.trim().toLowerCase() ?? null),
);

/** What an actor did on a day with one terminal, here or on the web. */
const reportRow = z.compile(
  z.object({
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
  }),
);

const contract = apiContractOf({
  schema: reportRow,
  whenOf: ({ date }) => date,
  dayOf: ({ date }) => String(date).slice(0, 10),
  unread: [
    'actor.api_key_name',
    'organization_id',
    'customer_type',
    'subscription_type',
    // The cost of its models is an estimate, and no money.
    'model_breakdown',
  ],
  optional: ['actor.email_address', 'is_remote', 'terminal_type'],
});

/** Reads the rows of a day: those of a person at two places are two. */
const readReport: ReadReport = (source, endpoint, day) =>
  readRows(source, { endpoint, path: PATH, query: { starting_at: day } }, contract, (sent) => {
    const { row, rejected } = salvage(reportRow, sent);
    return { row: row?.date === day ? rowOf(row) : undefined, rejected };
  });

function rowOf(row: z.output<typeof reportRow>): ActorRow {
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
  return { email: row.actor, isActive: isAnyDone(done), client, done };
}

const summary = summaryOf(readReport);

export const activity: DayReader<ActivityRow> = {
  fetchDays: (source, window) =>
    fetchReports<ActivityRow>(
      source,
      window,
      (of, day) => summary(of, 'activity', day),
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

export const productivity = productivityReader(readReport);
export const users = usersReader(readReport);
