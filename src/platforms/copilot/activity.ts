import * as z from 'zod';
import type { FetchedDays } from '../../catalog/collector.ts';
import { addDays, type Day, later } from '../../catalog/day.ts';
import type { DayReader } from '../../catalog/platform.ts';
import type { Source } from '../../catalog/source.ts';
import type { ActivityRow } from '../../collectors/activity/dataset.ts';
import { summedCounts } from '../../collectors/counts.ts';
import { requiredAmount, sumOfSent } from '../fields.ts';
import { sharedBy, statusOf } from '../shared.ts';
import { accountOf } from './account.ts';
import { fetchReports, type ReportRow } from './organization.ts';

/** From this day on the interactions of people contain the prompts of the command line. */
const CLI_IS_COUNTED = '2026-04-10';
/** How many days the newest report may be before the newest day that was asked for. */
const REPORT_LAG = 7;

/** The surfaces that are counted apart from the editors. */
const CLIENTS = [
  ['cli', 'daily_active_cli_users'],
  ['copilot-app', 'daily_active_copilot_app_users'],
  ['cloud-agent', 'daily_active_copilot_cloud_agent_users'],
  ['code-review', 'daily_active_copilot_code_review_users'],
] as const;

const ACTIVITY = {
  dataset: 'activity',
  rowOf,
  partsOf: {
    daily_active_users: ['day'],
    weekly_active_users: ['week'],
    monthly_active_users: ['month'],
    ...Object.fromEntries(CLIENTS.map(([, field]) => [field, ['clients']])),
    user_initiated_interaction_count: ['userMessages'],
    totals_by_cli: ['sessions', 'userMessages'],
    totals_by_copilot_app: ['sessions', 'userMessages'],
    totals_by_3rd_party_agent: ['sessions'],
  },
} as const;

export const reader: DayReader<ActivityRow> = {
  async fetchDays(source, window): Promise<FetchedDays<ActivityRow>> {
    const fetched = await fetchReports(source, window, ACTIVITY);
    const [newest] = fetched.rows.keys();
    const known = sharedBy(source, 'newest', () => ({
      asked: window.to,
      report: undefined as Day | undefined,
    }));
    known.asked = later(known.asked, window.to);
    if (newest === undefined || newest < (known.report ?? addDays(known.asked, -REPORT_LAG))) return fetched;
    known.report = newest;
    const { seats, remarks } = await readSeats(source);
    const rows = new Map(
      [...fetched.rows].map(([day, row]) => [day, day === newest ? { ...row, seats } : row]),
    );
    return { ...fetched, remarks, rows };
  },
};

function rowOf(report: ReportRow, isWhole: (field: string) => boolean): ActivityRow {
  const cli = isWhole('totals_by_cli') ? report.totals_by_cli : { session_count: null, prompt_count: null };
  const app = isWhole('totals_by_copilot_app')
    ? report.totals_by_copilot_app
    : { session_count: null, prompt_count: null };
  const agents = isWhole('totals_by_3rd_party_agent')
    ? report.totals_by_3rd_party_agent?.map(({ session_count: sessions }) => sessions)
    : [null];
  const clients = CLIENTS.flatMap(([name, field]) => {
    const count = report[field] ?? (isWhole(field) ? undefined : null);
    return count === undefined ? [] : [{ name, count }];
  });
  const prompts = report.user_initiated_interaction_count;
  return {
    dailyUsers: report.daily_active_users,
    weeklyUsers: report.weekly_active_users,
    monthlyUsers: report.monthly_active_users,
    byClient: clients.length === 0 ? undefined : summedCounts(clients),
    sessions: sumOfSent([cli?.session_count, app?.session_count, ...(agents ?? [])]),
    userMessages: promptsOf(report.day, prompts, cli?.prompt_count, app?.prompt_count),
  };
}

/** The prompts of a day: those of the app are never part of the interactions, those of the command line since a day. */
export function promptsOf(
  day: Day,
  interactions: number | undefined,
  cli: number | null | undefined,
  app: number | null | undefined,
): number | undefined {
  if (interactions === undefined) return undefined;
  return sumOfSent([interactions, app, day < CLI_IS_COUNTED ? cli : undefined]);
}

const overview = z.object({ seat_breakdown: z.object({ total: requiredAmount }) });
const listing = z.object({ total_seats: requiredAmount });

/** The present number of seats; where they may not be read, everything else is still known. */
async function readSeats(source: Source) {
  const { isEnterprise, path } = accountOf(source);
  const base = `${path}/copilot/billing`;
  const request = isEnterprise
    ? { path: `${base}/seats`, query: { per_page: '1' } }
    : { path: base, query: {} };
  try {
    const { body } = await source.get({ endpoint: 'activity', host: 'api', ...request });
    const seats = isEnterprise
      ? listing.safeParse(body).data?.total_seats
      : overview.safeParse(body).data?.seat_breakdown.total;
    return { seats, remarks: seats === undefined ? ['seats: their number is missing'] : [] };
  } catch (thrown) {
    if (statusOf(thrown) === undefined) throw thrown;
    const { message, hint } = thrown as Error & { readonly hint?: string };
    return { seats: undefined, remarks: [`seats: ${[message, hint].filter(Boolean).join('; ')}`] };
  }
}
