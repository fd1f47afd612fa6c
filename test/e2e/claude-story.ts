import type { IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { addDays, type Day } from '../../src/catalog/day.ts';
import type { OrgConfig } from '../../src/config/config.ts';
import { createFixedCredential } from '../../src/config/credential.ts';
import { claude } from '../../src/platforms/claude/platform.ts';
import { type ClaudeSandbox, createClaudeSandbox } from '../../src/sandbox/index.ts';
import type { Json } from '../sandbox/asking.ts';
import { configOf, NOON, type Story, type StoryOptions, startStory, YESTERDAY } from './harness.ts';
import { startPassing } from './rewriting.ts';

export type Kind = 'console' | 'enterprise';

export const KEYS = {
  console: 'sk-ant-admin01-sandbox-acme',
  enterprise: 'sk-ant-api01-sandbox-acme-enterprise',
  ordinary: 'sk-ant-api03-sandbox-acme',
  revoked: 'sk-ant-admin01-revoked',
} as const;

/** An answer of the API, which a test may change. */
interface ClaudeAnswer {
  status: number;
  body: Json;
  headers: Record<string, string>;
}

/** Changes an answer to a request. */
export type Change = (answer: ClaudeAnswer, url: URL) => void;

export interface ClaudeOptions extends Omit<StoryOptions, 'sandbox'> {
  readonly sandbox?: Partial<Parameters<typeof createClaudeSandbox>[0]>;
  readonly kind?: Kind;
  readonly key?: keyof typeof KEYS;
  /** The configured `org_id`. */
  readonly orgId?: string;
  readonly change?: Change;
}

/** The service, polling a simulated Claude with one organization, `anna`. */
export interface ClaudeStory extends Story {
  readonly sandbox: ClaudeSandbox;
  /** Its address. */
  readonly face: string;
  /** What the service has asked for. */
  readonly asked: readonly URL[];
  /** The API's own rows, of all pages. */
  readonly rows: (path: string, query: Readonly<Record<string, string>>) => Promise<readonly Json[]>;
}

/** Starts the service on a simulated Claude, and runs every collector once; both are stopped after the test. */
export async function startClaudeStory(options: ClaudeOptions = {}): Promise<ClaudeStory> {
  const { begins = NOON, kind = 'console', key = kind, orgId, change, ...rest } = options;
  let story: Story | undefined;
  const now = () => story?.clock.now() ?? begins;
  const sandbox = createClaudeSandbox({ now, users: 12, pace: 'unlimited', ...options.sandbox });
  const { url: face } = await sandbox.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => sandbox.close());
  const asked: URL[] = [];
  const url = await (change === undefined
    ? startPassing(async (request, response) => {
        asked.push(new URL(request.url ?? '/', face));
        sandbox.handler(request, response);
      })
    : startChanging(face, (answer, at) => {
        asked.push(at);
        change(answer, at);
      }));
  const org = orgOf(url, kind, KEYS[key], orgId);
  story = await startStory({
    ...{ begins, ...rest, sandbox: { days: 1 } },
    load: async (platform) => ({ ...(await configOf(platform, url, rest)), orgs: [org] }),
  });
  return { ...story, sandbox, face, asked, rows: (path, query) => rowsAt(face, KEYS[kind], path, query) };
}

/** The organization of a key at an address. */
function orgOf(url: string, kind: Kind, key: string, orgId?: string): OrgConfig {
  const place = { baseUrl: url, appUrl: url, kind };
  return {
    ...{ name: 'anna', platform: claude.ofKind?.(kind) ?? claude, ...place },
    orgId: claude.identityOf({ ...place, orgId }),
    credential: createFixedCredential(key, 'the test'),
  };
}

/** Lifts the pace that Claude declares, for which a test would only wait, until the test is over. */
export function liftPace(): void {
  const { requestsPerMinute } = claude;
  const setPace = (pace: number | undefined) => {
    for (const kind of [claude, claude.ofKind?.('enterprise')])
      Object.assign(kind ?? {}, { requestsPerMinute: pace });
  };
  setPace(Number.POSITIVE_INFINITY);
  onTestFinished(() => setPace(requestsPerMinute));
}

/** Starts a server that forwards answers after they were changed; returns its URL. */
export async function startChanging(face: string, change: Change): Promise<string> {
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
    const came = await fetch(face + request.url, { headers });
    const sent = [...came.headers].filter(([name]) => /^(anthropic|content-type|date|retry)/.test(name));
    const answer = {
      status: came.status,
      body: (await came.json()) as Json,
      headers: Object.fromEntries(sent),
    };
    change(answer, new URL(request.url ?? '/', face));
    response.writeHead(answer.status, answer.headers);
    response.end(JSON.stringify(answer.body));
  }
  return startPassing(pass);
}

/** All rows of a listing, page by page. */
async function rowsAt(
  face: string,
  key: string,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<readonly Json[]> {
  const headers = {
    'x-api-key': key,
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'analytics-usage-cost-2026-08-24',
  };
  const rows: Json[] = [];
  for (let page: string | undefined; ; ) {
    const asked = new URLSearchParams({ ...query, ...(page !== undefined && { page }) });
    const answer = await fetch(`${face}/v1/organizations/${path}?${asked}`, { headers });
    const { data, next_page: next } = (await answer.json()) as { data: Json[]; next_page: string | null };
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    rows.push(...data);
    if (next === null) return rows;
    page = next;
  }
}

/** What the report of a kind says of a day, and where its members are. */
export const REPORTS = {
  console: {
    of: (story: ClaudeStory, day: string = YESTERDAY) =>
      story.rows('usage_report/claude_code', { starting_at: day }),
    email: 'actor.email_address',
    sessions: 'core_metrics.num_sessions',
    commits: 'core_metrics.commits_by_claude_code',
    pullRequests: 'core_metrics.pull_requests_by_claude_code',
  },
  enterprise: {
    of: (story: ClaudeStory, day: string = YESTERDAY) => story.rows('analytics/users', { date: day }),
    email: 'user.email_address',
    sessions: 'claude_code_metrics.core_metrics.distinct_session_count',
    commits: 'claude_code_metrics.core_metrics.commit_count',
    pullRequests: 'claude_code_metrics.core_metrics.pull_request_count',
  },
} as const;

/** The query for usage or cost from one day to another one. */
export function spanOf(by: 'model' | 'actor', from: string, to = from): Readonly<Record<string, string>> {
  return {
    starting_at: `${from}T00:00:00Z`,
    ending_at: `${addDays(to as Day, 1)}T00:00:00Z`,
    time_bucket_width: '1d',
    'group_by[]': by,
  };
}

/** The member of a row at a path; undefined if there is none. */
export function at(row: Json | undefined, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Json | null | undefined)?.[name], row);
}

/** The sum of a member of rows; what is missing or null counts as 0. */
export function total(rows: readonly Json[], path: string): number {
  return rows.reduce((sum, row) => sum + Number(at(row, path) ?? 0), 0);
}

/** The sum of amounts in cents, as whole millionths of a cent. */
export function exactCents(rows: readonly Json[], path: string): bigint {
  return rows.reduce((sum, row) => {
    const [whole = '', part = ''] = String(at(row, path)).split('.');
    return sum + BigInt(whole + part.padEnd(6, '0').slice(0, 6));
  }, 0n);
}

/** An exact sum in dollars. */
export function dollars(cents: bigint): number {
  return Number(`${cents}e-8`);
}
