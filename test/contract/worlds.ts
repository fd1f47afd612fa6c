import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addDays, type Day, startOf } from '../../src/catalog/day.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { below, drawn, type Random } from '../fuzz/random.ts';

/** A row of a dataset as the platform sends it, or a document. */
export type Row = Record<string, unknown>;

/** The elements of a dataset's answer about some days; documents are the same on all. */
export type Ask = (dataset: string, from: Day, to: Day) => Promise<readonly Row[]>;

/** The simulated platform, of which this is the newest day. */
export async function simulated(newest: Day): Promise<{ readonly ask: Ask; close(): void }> {
  const now = startOf(addDays(newest, 1)) + 12 * 3_600_000;
  const sandbox = createSandbox({ now: () => now, users: 12, repos: 3 });
  const server = createServer({ keepAliveTimeout: 0 }, sandbox.handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const authorization = `Bearer ${sandbox.orgs[0]?.keys.owner ?? ''}`;

  async function get(path: string): Promise<Row> {
    const answer = await fetch(`${url}${path}`, { headers: { authorization } });
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`);
    return (await answer.json()) as Row;
  }

  return {
    async ask(dataset, from, to) {
      if (dataset === 'readiness')
        return (await get('/api/organization/maturity-level-reports?limit=20'))['reports'] as Row[];
      if (dataset === 'wiki') return (await get('/api/v0/wiki'))['wikiRuns'] as Row[];
      const limit = dataset === 'users' ? '&limit=100' : '';
      const path = `/api/v1/analytics/${dataset}?startDate=${from}&endDate=${to}${limit}`;
      return (await get(path))['data'] as Row[];
    },
    close: () => void server.close(),
  };
}

const MODELS = ['claude-opus-4-8', 'gpt-5.6-sol', 'glm-5.2'] as const;

/** Another platform, written from the description of the API alone: lists may be empty, numbers may be text, and some rows are odd. */
export function described(random: Random): (dataset: string, day: Day) => readonly Row[] {
  const amount = (limit: number) => {
    const number = below(limit, random);
    return random() < 0.05 ? String(number) : number;
  };
  const some = <Element>(make: () => Element) => Array.from({ length: below(4, random) }, make);
  const model = () => ({
    model_id: drawn(MODELS, random),
    model_tier: drawn(['standard', 'thinking'], random),
    ...{ billable_tokens: amount(1e6), input_tokens: amount(1e7), output_tokens: amount(1e5) },
  });
  const rows: Readonly<Record<string, (day: Day) => readonly Row[]>> = {
    tokens: (date) => [
      {
        ...{ date, billable_tokens: amount(1e7), input_tokens: amount(1e8), output_tokens: amount(1e6) },
        ...{ cache_read_tokens: amount(1e8), cache_write_tokens: amount(1e6), by_model: some(model) },
        by_user: some(() => ({
          ...{ user_id: `user_${below(9, random)}`, user_email: 'ann@example.com' },
          ...{ billable_tokens: amount(1e5), by_model: some(model) },
        })),
      },
    ],
    tools: (date) => [
      {
        ...{ date, tool_calls: amount(1e4), mcp_users_with_mcp: amount(9), skills_invocations: amount(9) },
        by_tool: some(() => ({ tool: drawn(['Read', 'Edit'], random), invocations: amount(99) })),
        mcp_by_server: some(() => ({ server: 'Jira', invocations: amount(9) })),
        skills_by_name: some(() => ({ name: 'review', count: amount(9) })),
        ...{ slash_commands_invocations: amount(9), hooks_invocations: amount(9), web_users: amount(9) },
        slash_commands_by_name: some(() => ({ name: 'init', count: amount(9) })),
        hooks_by_event: some(() => ({ event: 'Stop', matcher: '', command: 'true', count: amount(9) })),
        ...{ autonomy_ratio_avg: 4.5, autonomy_ratio_p50: 3, autonomy_ratio_p90: 9 },
        ...{ tool_calls_per_session_avg: 20.5, user_turns_per_session_avg: 4.5 },
        tool_autonomy_level_ratio: { auto_high: 0.2, auto_medium: 0.3, auto_low: 0.4, manual: 0.1 },
      },
    ],
    activity: (date) => [
      {
        ...{ date, daily_active_users: amount(9), weekly_active_users: 20, monthly_active_users: 30 },
        daily_active_users_by_client: random() < 0.5 ? { web: amount(9) } : { 'terminal-ui': amount(9) },
        ...{ sessions: amount(99), messages: amount(999), user_messages: amount(99) },
      },
    ],
    productivity: (date) => [
      {
        ...{ date, files_created: amount(9), files_edited: amount(99), git_commits: amount(9) },
        by_extension: some(() => ({ extension: drawn(['', '.ts'], random), count: amount(9) })),
        by_language: some(() => ({ language: drawn(['', 'Go'], random), count: amount(9) })),
        git_prs_created: amount(9),
      },
    ],
    users: (date) =>
      Array.from({ length: 1 + below(4, random) }, (_, index) => ({
        ...{ date, user_id: `user_${index}`, user_email: index === 0 ? null : 'ann@example.com' },
        ...{ tool_calls: amount(99), billable_tokens: amount(1e5), primary_model: drawn(MODELS, random) },
        ...{ primary_model_tier: 'standard', files_created: 0, files_edited: amount(9), git_commits: 0 },
        ...{ git_prs_created: 0, mcp_calls: amount(9), skill_calls: 0, slash_commands: 0, hooks: 0 },
        ...{ sessions: 1, messages: 9, user_messages: 4, assistant_messages: 5, autonomy_ratio: 3.5 },
        ...{ delegation_level: drawn(['auto-high', 'spec', 'manual'], random), languages: ['Go'] },
      })),
  };
  return (dataset, day) => {
    const made = rows[dataset]?.(day) ?? [];
    // A day that the platform has not finished: a figure is missing, null, or no number.
    if (random() < 0.03) {
      for (const row of made) {
        const field = drawn(
          Object.keys(row).filter((name) => name !== 'date' && name !== 'user_id') as [string],
          random,
        );
        row[field] = drawn([null, undefined, { odd: true }], random);
      }
    }
    return made;
  };
}

/** A day on which nobody works: numbers are 0, lists empty. */
export function idle(row: Row): Row {
  const empty = Object.entries(row).map(([name, value]) => {
    if (typeof value === 'number')
      return [name, name.endsWith('ly_active_users') && name !== 'daily_active_users' ? value : 0];
    if (Array.isArray(value)) return [name, []];
    return [name, typeof value === 'object' && value !== null ? {} : value];
  });
  return Object.fromEntries(empty) as Row;
}
