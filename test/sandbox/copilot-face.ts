import request, { type Response } from 'supertest';
import { createCopilotSandbox } from '../../src/sandbox/index.ts';
import type { Json } from './asking.ts';

type Options = Partial<Parameters<typeof createCopilotSandbox>[0]>;

/** Friday, 2026-11-20, 12:00 UTC: the newest report is that of the 17th, and final since midnight is that of the 16th. */
export const noon = Date.UTC(2026, 10, 20, 12);
export const newest = '2026-11-17';
export const reportsPath = '/orgs/acme-org/copilot/metrics/reports';
export const billPath = '/organizations/acme-org/settings/billing/ai_credit/usage';

/** A simulated Copilot whose clock the test controls, and how to ask it. */
export function createAsked(options: Options = {}) {
  const clock = { now: noon };
  const sandbox = createCopilotSandbox({ now: () => clock.now, ...options });

  async function get(
    path: string,
    query: Json = {},
    headers: Record<string, string> = { authorization: 'Bearer sandbox-acme-full' },
  ): Promise<Response> {
    return await request(sandbox.handler)
      .get(path)
      .query(query)
      .set({ 'user-agent': 'tests', ...headers });
  }

  /** The file behind a link, from the origin of the files. */
  async function file(link: string, headers: Record<string, string> = {}): Promise<Response> {
    const { pathname, search } = new URL(link);
    return await request(sandbox.filesHandler)
      .get(`${pathname}${search}`)
      .set(headers)
      .buffer(true)
      .parse(asText);
  }

  /** The rows behind all links of a report; none if there is none. */
  async function rows(report: string, day?: string, base = reportsPath, key = 'full'): Promise<Json[]> {
    const { body } = await get(`${base}/${report}`, day === undefined ? {} : { day }, {
      authorization: `Bearer sandbox-acme-${key}`,
    });
    const parts = await Promise.all(linksOf(body).map((link) => file(link)));
    return parts.flatMap((part) => linesOf(part));
  }

  return { sandbox, clock, get, file, rows };
}

/** The links of an answer. */
export function linksOf(body: unknown): string[] {
  const links = (body as { download_links?: unknown }).download_links ?? [];
  if (!Array.isArray(links)) throw new Error('The links are no list.');
  return links.map(String);
}

/** The rows of a file. */
export function linesOf({ body }: Pick<Response, 'body'>): Json[] {
  return String(body)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json);
}

function asText(response: request.Response, done: (error: Error | null, body: string) => void): void {
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (piece: string) => {
    text += piece;
  });
  response.on('end', () => done(null, text));
}
