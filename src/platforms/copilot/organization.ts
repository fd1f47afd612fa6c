import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { FetchedDays, Window } from '../../catalog/collector.ts';
import { type Reduced, withRejected } from '../../catalog/dataset.ts';
import { type Day, daysFrom } from '../../catalog/day.ts';
import type { Source } from '../../catalog/source.ts';
import { apiContractOf } from '../api-contract.ts';
import { amount, day, element, elementAmount, list, section } from '../fields.ts';
import { salvage } from '../usable-row.ts';
import { accountOf } from './account.ts';
import { sharedReport } from './reports.ts';

/** A day of an organization; every field but the day may be missing. */
const reportRow = z.compile(
  z.object({
    day,
    daily_active_users: amount,
    weekly_active_users: amount,
    monthly_active_users: amount,
    daily_active_cli_users: amount,
    daily_active_copilot_app_users: amount,
    daily_active_copilot_cloud_agent_users: amount,
    daily_active_copilot_code_review_users: amount,
    user_initiated_interaction_count: amount,
    code_generation_activity_count: amount,
    code_acceptance_activity_count: amount,
    loc_suggested_to_add_sum: amount,
    loc_added_sum: amount,
    loc_deleted_sum: amount,
    totals_by_cli: section(['session_count', 'prompt_count']),
    totals_by_copilot_app: section(['session_count', 'prompt_count']),
    totals_by_3rd_party_agent: list(element({ session_count: elementAmount })),
    pull_requests: section(['total_created_by_copilot', 'total_merged_created_by_copilot']),
  }),
);

/** A day of an organization, as it was sent. */
export type ReportRow = z.output<typeof reportRow>;

const SURFACES = ['totals_by_cli', 'totals_by_copilot_app', 'totals_by_3rd_party_agent'];
/** Not read, because they are partial, do not add up to a total, or describe how people use the product. */
export const UNREAD = [
  ...[
    'organization_id',
    'enterprise_id',
    'loc_suggested_to_delete_sum',
    'totals_by_ide',
    'totals_by_feature',
  ],
  ...['totals_by_language_feature', 'totals_by_language_model', 'totals_by_model_feature', 'totals_by_skill'],
  ...['totals_by_vscode_agent', 'totals_by_ai_adoption_phase', 'copilot_feature_engagement'],
  ...['agent', 'ask', 'custom', 'edit', 'plan', 'unknown'].map((mode) => `chat_panel_${mode}_mode`),
  ...['request_count', 'token_usage', 'last_known_cli_version'].flatMap((name) =>
    ['totals_by_cli', 'totals_by_copilot_app'].map((surface) => `${surface}.${name}`),
  ),
  ...['agent_id', 'agent_name', 'user_initiated_interaction_count'].map(
    (name) => `totals_by_3rd_party_agent.${name}`,
  ),
];
const PULL_REQUESTS = [
  ...['total_created', 'total_reviewed', 'total_merged', 'total_suggestions', 'total_applied_suggestions'],
  ...['total_reviewed_by_copilot', 'total_merged_reviewed_by_copilot', 'total_copilot_suggestions'],
  ...['total_copilot_applied_suggestions', 'copilot_suggestions_by_comment_type', 'median_minutes_to_merge'],
  ...['median_minutes_to_merge_copilot_authored', 'median_minutes_to_merge_copilot_reviewed'],
];
const PEOPLE_OF_MORE_DAYS = [
  ...['weekly_active', 'monthly_active'].map((span) => `${span}_copilot_cloud_agent_users`),
  ...['weekly', 'monthly'].flatMap((span) =>
    ['active', 'passive'].map((kind) => `${span}_${kind}_copilot_code_review_users`),
  ),
  ...['monthly_active_chat_users', 'monthly_active_agent_users', 'daily_passive_copilot_code_review_users'],
];

const reportContract = apiContractOf({
  schema: reportRow,
  whenOf: ({ day: of }) => of,
  dayOf: ({ day: of }) => of,
  unread: [...UNREAD, ...PEOPLE_OF_MORE_DAYS, ...PULL_REQUESTS.map((name) => `pull_requests.${name}`)],
  beyondDay: ['weekly_active_users', 'monthly_active_users'],
  optional: [
    ...SURFACES,
    ...SURFACES.flatMap((name) => [`${name}.session_count`, `${name}.prompt_count`]),
    ...['daily_active_cli_users', 'daily_active_copilot_app_users'],
    ...['daily_active_copilot_cloud_agent_users', 'daily_active_copilot_code_review_users'],
  ],
});

/** What is made of a day's report; `isWhole` is false for a field that was sent in an unusable form. */
type RowOf<Row> = (report: ReportRow, isWhole: (field: string) => boolean) => Row;

/** How a dataset is read from the report of the organization. */
export interface ReadFromReport<Row> {
  readonly dataset: 'activity' | 'productivity';
  readonly rowOf: RowOf<Row>;
  /** The parts of the row that are made from a field. */
  readonly partsOf: Readonly<Record<string, readonly string[]>>;
}

/** Reads a dataset from the reports of some days, newest first. */
export async function fetchReports<Row extends Reduced>(
  source: Source,
  { from, to }: Window,
  { dataset, rowOf, partsOf }: ReadFromReport<Row>,
) {
  const rows = new Map<Day, Row>();
  const unready = new Set<Day>();
  const all = {
    rows,
    unready,
    rejected: 0,
    lost: 0,
    bytes: 0,
    remarks: [],
    orgId: accountOf(source).identity,
  };
  for (const of of daysFrom(from, to).toReversed()) {
    const texts = await sharedReport(source, dataset, of);
    if (texts === undefined) {
      unready.add(of);
      continue;
    }
    all.bytes += texts.reduce((sum, text) => sum + text.length, 0);
    const sent = texts.map((text): unknown => JSON.parse(text));
    source.compare?.(reportContract, sent);
    const [first, ...others] = sent.map((row) => salvage(reportRow, row));
    const { row, rejected = 0, members = [] } = first ?? {};
    all.rejected += rejected;
    // A row of another day, or several different ones: none is known to be the right one.
    if (row?.day !== of || others.some((other) => !isDeepStrictEqual(other.row, row))) {
      all.rejected += 1;
      all.lost += 1;
      continue;
    }
    const made = rowOf(row, (field) => !members.includes(field));
    rows.set(
      of,
      withRejected(
        made,
        members.flatMap((field) => partsOf[field] ?? []),
      ),
    );
  }
  return all satisfies FetchedDays<Row>;
}
