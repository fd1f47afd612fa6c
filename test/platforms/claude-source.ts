import type { ApiContract } from '../../src/catalog/api-contract.ts';
import type { Day } from '../../src/catalog/day.ts';
import type { ApiRequest, Source } from '../../src/catalog/source.ts';
import { walkPages } from '../../src/client/paging.ts';
import { runInSlices } from '../../src/work/slices.ts';
import { createFakeClock } from '../support/fake-clock.ts';

type Json = Readonly<Record<string, unknown>>;

export const DAY = '2026-11-19' as Day;
export const NEXT = '2026-11-20' as Day;

/** A platform that answers by path, page by page: with a body, or with an error that it throws. */
export function claudeSource(answers: (request: ApiRequest) => Json | Error) {
  const clock = createFakeClock(Date.UTC(2026, 10, 20, 12), { autoAdvance: true });
  const asked: ApiRequest[] = [];
  const compared: (readonly [ApiContract, readonly unknown[]])[] = [];
  async function get(request: ApiRequest) {
    asked.push(request);
    const body = answers(request);
    if (body instanceof Error) throw body;
    // As of its own text: readers change what they get.
    return { body: JSON.parse(JSON.stringify(body)) as unknown, bytes: 100 };
  }
  const source: Source = {
    place: { baseUrl: 'https://api.anthropic.com', shared: new Map(), elapsed: clock.elapsed },
    get,
    lines: () => Promise.reject(new Error('not used')),
    pages: (request, onItems) =>
      walkPages(get, request, onItems, { maxPages: 100, slices: { next: async () => undefined } }),
    inSlices: (work) => runInSlices(work, clock, 1),
    // Readers change the elements later.
    compare: (contract, elements) => void compared.push([contract, structuredClone(elements)]),
  };
  return { source, asked, compared };
}

/** The last part of the path of a request. */
export function endpointOf({ path }: ApiRequest): string {
  return path.split('/').at(-1) ?? '';
}

/** A row of cost, in cents. */
export function costRow(group: Json, amount: unknown, more: Json = {}, day: string = DAY): Json {
  const cost = { amount, list_amount: amount, currency: 'USD', requests: 1, ...more };
  return { starting_at: `${day}T00:00:00Z`, ending_at: `${NEXT}T00:00:00Z`, group, cost };
}

/** A row of usage. */
export function usageRow(group: Json, more: Json = {}, day: string = DAY): Json {
  const usage = {
    uncached_input_tokens: 1000,
    cache_read_input_tokens: 200,
    cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 4 },
    output_tokens: 50,
    total_tokens: 1284,
    requests: 1,
    server_tool_use: { web_search_requests: 0 },
    ...more,
  };
  return { starting_at: `${day}T00:00:00Z`, ending_at: `${NEXT}T00:00:00Z`, group, usage };
}

/** The body of a listing that ends with this page. */
export function pageOf(data: readonly Json[], more: Json = {}): Json {
  return { data, has_more: false, next_page: null, data_refreshed_at: `${NEXT}T08:00:00Z`, ...more };
}
