import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { DayReader, Window } from '../../catalog/collector.ts';
import { type Reduced, withRejected } from '../../catalog/dataset.ts';
import { addDays, type Day } from '../../catalog/day.ts';
import type { Source } from '../../catalog/source.ts';
import type { ActivityRow } from '../../collectors/activity/dataset.ts';
import { summedCounts } from '../../collectors/counts.ts';
import type { ProductivityRow } from '../../collectors/productivity/dataset.ts';
import { apiContractOf, pathsIn } from '../api-contract.ts';
import { amount, day, element, elementAmount, list, requiredAmount, section, sumOfSent } from '../fields.ts';
import { readDays, sharedBy, statusOf } from '../shared.ts';
import { salvage } from '../usable-row.ts';
import { accountOf } from './account.ts';
import { API_FIELDS } from './api-fields.ts';
import { newestAsked, sharedReport } from './reports.ts';

/** What is counted of the command line, and of the app. */
export const surface = section(['session_count', 'prompt_count']);

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
    totals_by_cli: surface,
    totals_by_copilot_app: surface,
    totals_by_3rd_party_agent: list(element({ session_count: elementAmount })),
    pull_requests: section(['total_created_by_copilot', 'total_merged_created_by_copilot']),
  }),
);

/** A day of an organization, as it was sent. */
type ReportRow = z.output<typeof reportRow>;

/** Not read, because they are partial, do not add up to a total, or describe how people use the product. */
export const UNREAD = pathsIn(
  'organization_id enterprise_id loc_suggested_to_delete_sum ' +
    'totals_by_{ide,feature,language_feature,language_model,model_feature,skill,vscode_agent,ai_adoption_phase} ' +
    'copilot_feature_engagement chat_panel_{agent,ask,custom,edit,plan,unknown}_mode ' +
    'totals_by_{cli,copilot_app}.{request_count,token_usage,last_known_cli_version} ' +
    'totals_by_3rd_party_agent.{agent_id,agent_name,user_initiated_interaction_count}',
);

/** The surfaces that are counted apart from the editors. */
const CLIENTS = [
  ['cli', 'daily_active_cli_users'],
  ['copilot-app', 'daily_active_copilot_app_users'],
  ['cloud-agent', 'daily_active_copilot_cloud_agent_users'],
  ['code-review', 'daily_active_copilot_code_review_users'],
] as const;

const SURFACES = ['totals_by_cli', 'totals_by_copilot_app', 'totals_by_3rd_party_agent'];

const reportContract = apiContractOf({
  schema: reportRow,
  whenOf: ({ day: of }) => of,
  dayOf: ({ day: of }) => of,
  unread: [
    ...UNREAD,
    ...pathsIn(
      // People of more days than one, or who did nothing themselves.
      '{weekly,monthly}_active_copilot_cloud_agent_users ' +
        '{weekly,monthly}_{active,passive}_copilot_code_review_users ' +
        'monthly_active_{chat,agent}_users daily_passive_copilot_code_review_users ' +
        'pull_requests.total_{created,reviewed,merged,suggestions,applied_suggestions} ' +
        'pull_requests.total_{reviewed_by_copilot,merged_reviewed_by_copilot} ' +
        'pull_requests.total_copilot_{suggestions,applied_suggestions} ' +
        'pull_requests.{copilot_suggestions_by_comment_type,median_minutes_to_merge} ' +
        'pull_requests.median_minutes_to_merge_copilot_{authored,reviewed}',
    ),
  ],
  beyondDay: ['weekly_active_users', 'monthly_active_users'],
  optional: [
    ...CLIENTS.map(([, field]) => field),
    ...SURFACES,
    ...SURFACES.flatMap((name) => [`${name}.session_count`, `${name}.prompt_count`]),
  ],
});

/** How a dataset is read from the report of the organization. */
interface ReadFromReport<Row> {
  readonly dataset: 'activity' | 'productivity';
  /** What is made of a day's report; `isWhole` is false for a field that was sent in an unusable form. */
  rowOf(report: ReportRow, isWhole: (field: string) => boolean): Row;
  /** The parts of the row that are made from a field. */
  partsOf(field: string): readonly string[];
}

/** Reads a dataset from the reports of some days, newest first. */
async function fetchReports<Row extends Reduced>(
  source: Source,
  window: Window,
  { dataset, rowOf, partsOf }: ReadFromReport<Row>,
) {
  const days = await readDays(window, async (of) => {
    const texts = await sharedReport(source, dataset, of);
    if (texts === undefined) return { isUnready: true };
    const bytes = texts.reduce((sum, text) => sum + text.length, 0);
    const sent = texts.map((text): unknown => JSON.parse(text));
    source.compare?.(reportContract, sent);
    const [first, ...others] = sent.map((row) => salvage(reportRow, row));
    const { row, rejected = 0, members = [] } = first ?? {};
    // A row of another day, or several different ones: none is known to be the right one.
    if (row?.day !== of || others.some((other) => !isDeepStrictEqual(other.row, row)))
      return { bytes, rejected: rejected + 1, lost: 1 };
    const made = rowOf(row, (field) => !members.includes(field));
    return { bytes, rejected, row: withRejected(made, members.flatMap(partsOf)) };
  });
  return { ...days, orgId: accountOf(source).identity };
}

const OUTPUT_FIELDS = Object.entries(API_FIELDS.productivity.members);

export const productivity: DayReader<ProductivityRow> = {
  fetchDays: (source, window) =>
    fetchReports<ProductivityRow>(source, window, {
      dataset: 'productivity',
      rowOf: (report) => ({
        pullRequests: report.pull_requests?.total_created_by_copilot ?? undefined,
        pullRequestsMerged: report.pull_requests?.total_merged_created_by_copilot ?? undefined,
        linesAdded: report.loc_added_sum,
        linesRemoved: report.loc_deleted_sum,
        linesSuggested: report.loc_suggested_to_add_sum,
        suggestionsShown: report.code_generation_activity_count,
        suggestionsAccepted: report.code_acceptance_activity_count,
      }),
      partsOf: (field) =>
        OUTPUT_FIELDS.filter(([, path]) => path.split('.')[0] === field).map(([member]) => member),
    }),
};

/** How many days the newest report may be before the newest day that was asked for. */
const REPORT_LAG = 7;

export const activity: DayReader<ActivityRow> = {
  async fetchDays(source, window) {
    const fetched = await fetchReports(source, window, ACTIVITY);
    const [newest] = fetched.rows.keys();
    const known = sharedBy(source, 'newest', (): { report?: Day } => ({}));
    const oldest = known.report ?? addDays(newestAsked(source, window.to), -REPORT_LAG);
    if (newest === undefined || newest < oldest) return fetched;
    known.report = newest;
    const { seats, remarks } = await readSeats(source);
    fetched.rows.set(newest, { ...fetched.rows.get(newest), seats });
    return { ...fetched, remarks };
  },
};

const ACTIVITY_PARTS: Readonly<Record<string, readonly string[]>> = {
  daily_active_users: ['day'],
  weekly_active_users: ['week'],
  monthly_active_users: ['month'],
  ...Object.fromEntries(CLIENTS.map(([, field]) => [field, ['clients']])),
  user_initiated_interaction_count: ['userMessages'],
  totals_by_cli: ['sessions', 'userMessages'],
  totals_by_copilot_app: ['sessions', 'userMessages'],
  totals_by_3rd_party_agent: ['sessions'],
};

const UNUSABLE_SURFACE = { session_count: null, prompt_count: null };

const ACTIVITY: ReadFromReport<ActivityRow> = {
  dataset: 'activity',
  partsOf: (field) => ACTIVITY_PARTS[field] ?? [],
  rowOf(report, isWhole) {
    const cli = isWhole('totals_by_cli') ? report.totals_by_cli : UNUSABLE_SURFACE;
    const app = isWhole('totals_by_copilot_app') ? report.totals_by_copilot_app : UNUSABLE_SURFACE;
    const areAgentsWhole = isWhole('totals_by_3rd_party_agent');
    const agents = areAgentsWhole ? (report.totals_by_3rd_party_agent ?? []) : [UNUSABLE_SURFACE];
    const clients = CLIENTS.flatMap(([name, field]) => {
      const count = report[field] ?? (isWhole(field) ? undefined : null);
      return count === undefined ? [] : [{ name, count }];
    });
    return {
      dailyUsers: report.daily_active_users,
      weeklyUsers: report.weekly_active_users,
      monthlyUsers: report.monthly_active_users,
      byClient: clients.length === 0 ? undefined : summedCounts(clients),
      sessions: sumOfSent([cli, app, ...agents].map((used) => used?.session_count)),
      userMessages: promptsOf({ ...report, totals_by_cli: cli, totals_by_copilot_app: app }),
    };
  },
};

/** From this day on the interactions of people contain the prompts of the command line. */
const CLI_IS_COUNTED = '2026-04-10';

type Prompts = 'day' | 'user_initiated_interaction_count' | 'totals_by_cli' | 'totals_by_copilot_app';

/** The prompts of a day: those of the app are never part of the interactions, those of the command line since a day. */
export function promptsOf(row: Pick<ReportRow, Prompts>): number | undefined {
  const [interactions, cli] = [row.user_initiated_interaction_count, row.totals_by_cli?.prompt_count];
  if (interactions === undefined) return undefined;
  const apart = row.day < CLI_IS_COUNTED ? cli : undefined;
  return sumOfSent([interactions, row.totals_by_copilot_app?.prompt_count, apart]);
}

const overview = z
  .object({ seat_breakdown: z.object({ total: requiredAmount }) })
  .transform(({ seat_breakdown: { total } }) => total);
const listing = z.object({ total_seats: requiredAmount }).transform(({ total_seats: total }) => total);

/** The present number of seats; where they may not be read, everything else is still known. */
async function readSeats(source: Source) {
  const { isEnterprise, path: base } = accountOf(source);
  const path = `${base}/copilot/billing${isEnterprise ? '/seats' : ''}`;
  const query: Readonly<Record<string, string>> = isEnterprise ? { per_page: '1' } : {};
  try {
    const { body } = await source.get({ endpoint: 'activity', host: 'api', path, query });
    const seats = (isEnterprise ? listing : overview).safeParse(body).data;
    return { seats, remarks: seats === undefined ? ['seats: their number is missing'] : [] };
  } catch (thrown) {
    // Whatever else fails without a status, such as a client that is closed, is no fault of seats alone.
    const isTimeout = thrown instanceof Error && Reflect.get(thrown, 'reason') === 'timeout';
    if (statusOf(thrown) === undefined && !isTimeout) throw thrown;
    const { message, hint } = thrown as Error & { readonly hint?: string };
    return { seats: undefined, remarks: [`seats: ${[message, hint].filter(Boolean).join('; ')}`] };
  }
}
