import { type Day, dayAt } from '../calendar.ts';
import { type Fault, faultsAt, strikes } from '../faults.ts';
import { delayed } from '../http/api.ts';
import type { Answer, ApiRequest } from '../types.ts';
import { type Account, type Result, routeOf, rowsOf } from './answers.ts';
import { createLinks } from './links.ts';
import { type Endpoint, missingRight, notFound, type Refusal, refusalOf } from './rights.ts';

interface ApiDeps {
  readonly now: () => number;
  readonly seed: number;
  readonly accounts: readonly Account[];
  readonly keys: ReadonlyMap<string, { readonly account: Account; readonly key: string }>;
  readonly faults: () => readonly Fault[];
  /** The oldest existing day, relative to today. */
  readonly oldestOn: (today: Day) => Day;
  /** The origins of the API and of the files. */
  readonly origins: { api: string; files: string };
}

/** Creates the API and its files, whose faults are drawn for each request in turn. */
export function createCopilotApi({ now, seed, accounts, keys, faults, oldestOn, origins }: ApiDeps) {
  const links = createLinks(seed, now);
  const link = (path: string) => `${origins.files}${links.signed(path)}`;
  let requests = 0;

  return {
    async answer(request: ApiRequest): Promise<Answer> {
      const result = refusedAtOnce(request) ?? (await routed(request));
      const rate = { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '4999' };
      const headers = { ...stamp(), ...rate, ...result.headers };
      const isRefused = 'status' in result;
      const body = isRefused ? errorBody(result) : result.body;
      if (body === undefined) return { status: 204, headers, body: [] };
      return {
        status: isRefused ? result.status : 200,
        headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
        body: [JSON.stringify(body)],
      };
    },
    /** Answers at the origin of the files. */
    async files(request: ApiRequest): Promise<Answer> {
      const { pathname } = request.url;
      const account = accounts.find(({ login }) => pathname.startsWith(`/${login}/`));
      const { refusal } = await struckBy(request, 'files', account);
      const rows = () => (account === undefined ? [] : rowsOf(account, pathname, clock()));
      const { headers, ...rest } = links.answer(request, rows, refusal);
      return { ...rest, headers: { ...stamp(), ...headers } };
    },
  };

  async function routed(request: ApiRequest): Promise<Result> {
    const { method, url, authorization = '' } = request;
    const holder = keys.get(/^(?:bearer|token) +(\S+)$/i.exec(authorization)?.[1] ?? '');
    if (holder === undefined)
      return { status: 401, message: authorization === '' ? 'Requires authentication' : 'Bad credentials' };
    const { account, key } = holder;
    const [, kind = '', name = '', rest = ''] = /^\/(\w+)\/([^/]+)\/(.+)$/.exec(url.pathname) ?? [];
    const route = method === 'GET' ? routeOf(kind, rest) : undefined;
    const isEnterprise = kind === 'enterprises';
    const known = isEnterprise ? account.enterprise : account.login;
    if (route === undefined || name.toLowerCase() !== known.toLowerCase()) return notFound;
    const { refusal, late } = await struckBy(request, route.endpoint, account);
    const here = new URL(`${url.pathname}${url.search}`, origins.api);
    return (
      refusal ??
      missingRight(key, route.endpoint, isEnterprise) ??
      route.answer({ account, isEnterprise, url: here, late, link, ...clock() })
    );
  }

  async function struckBy({ signal }: ApiRequest, endpoint: Endpoint, account: Account | undefined) {
    requests += 1;
    const struck = faultsAt(faults(), endpoint, account?.org.name).filter((fault) =>
      strikes(fault, seed, requests),
    );
    await delayed(struck, signal);
    const about = { account: account?.login ?? '', now: now() };
    const [refusal] = struck.flatMap((fault) => refusalOf(fault, endpoint, about) ?? []);
    return { refusal, late: Number(struck.find((fault) => fault.name === 'late')?.detail ?? 0) };
  }

  function clock() {
    const today = dayAt(now());
    return { now: now(), today, oldest: oldestOn(today) };
  }

  /** With its own clock's date, as any server's answer. */
  function stamp() {
    return { date: new Date(now()).toUTCString() };
  }
}

const VERSIONS = ['2022-11-28', '2026-03-10'];

/** What is refused whoever asks. */
function refusedAtOnce({ headers }: ApiRequest): Refusal | undefined {
  const { 'user-agent': agent = '', 'x-github-api-version': version = VERSIONS[0] } = headers;
  if (agent === '')
    return { status: 403, message: 'Request forbidden by administrative rules: no User-Agent.' };
  if (VERSIONS.includes(String(version))) return undefined;
  return { status: 400, message: `API version ${version} is not supported.` };
}

function errorBody({ status, message }: Refusal) {
  return { message, documentation_url: 'https://docs.github.com/rest', status: String(status) };
}
