import { dayAt, hourMs } from '../calendar.ts';
import { createFaults, lateDays } from '../faults.ts';
import { createHandler } from '../http/handler.ts';
import { createListeners } from '../http/listeners.ts';
import { refusalIn, refuse } from '../http/refuse.ts';
import type { Answer, ApiRequest, SandboxOptions } from '../types.ts';
import { createEditions } from '../world/conditions.ts';
import { createTenants } from '../world/tenants.ts';
import { type Account, accountOf, type Endpoint, endpoints, type Result } from './call.ts';
import { createLinks, fileRows } from './files.ts';
import { checkRight, copilotFaultKinds, refuseFor } from './rights.ts';
import { routes } from './routes.ts';

/** Hours after the end of a day at which its reports appear, and at which its figures are final. */
const READY_AFTER = 48;
const SETTLED_AFTER = 72;

/** A simulated GitHub Copilot. */
export type CopilotSandbox = ReturnType<typeof createCopilotSandbox>;

/**
 * Creates a simulated GitHub Copilot over the same world as the other simulated platform; it does not listen until
 * asked. Throws an Error of one sentence on an invalid fault.
 */
export function createCopilotSandbox(options: Omit<SandboxOptions, 'repos'>) {
  const { now, seed = 1 } = options;
  const { setFaults, strike } = createFaults(options, copilotFaultKinds, endpoints);
  const editions = createEditions(now, () => true, SETTLED_AFTER);
  const { tenants, oldestOn, reviseDay } = createTenants({ ...options, repos: 0 }, editions);
  const orgs = tenants.map(accountOf);
  let origins = { api: 'http://127.0.0.1', files: 'http://127.0.0.1' };
  const links = createLinks(seed, now);
  const [handler, filesHandler] = [createHandler(answer), createHandler(answerFile)];
  const listeners = createListeners();
  let requests = 0;

  return {
    orgs,
    handler,
    filesHandler,
    /** Listens for the API, and on the next port, or any with 0, for the files of its links. */
    async listen({ host, port }: { readonly host: string; readonly port: number }) {
      const api = await listeners.listen(handler, { host, port });
      const next = { host, port: port === 0 ? 0 : port + 1 };
      const files = await listeners.listen(filesHandler, next).catch(async (thrown: unknown) => {
        await listeners.close();
        throw thrown;
      });
      origins = { api: api.url, files: files.url };
      return { ...api, filesUrl: files.url };
    },
    close: listeners.close,
    setFaults,
    reviseDay,
  };

  /** Answers at the origin of the API. */
  async function answer(request: ApiRequest): Promise<Answer> {
    const { status = 200, body, headers: more } = await routed(request).catch(errorOf);
    const headers = { ...stamp(), 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '4999', ...more };
    if (body === undefined) return { status: 204, headers, body: [] };
    const type = { 'content-type': 'application/json; charset=utf-8' };
    return { status, headers: { ...type, ...headers }, body: [JSON.stringify(body)] };
  }

  async function routed(request: ApiRequest): Promise<Result> {
    const { method, url, authorization = '' } = request;
    checkHeaders(request);
    const token = /^(?:bearer|token) +(\S+)$/i.exec(authorization)?.[1] ?? '';
    const account = orgs.find(({ keys }) => Object.values(keys).includes(token));
    if (account === undefined)
      refuse(401, authorization === '' ? 'Requires authentication' : 'Bad credentials');
    const [, kind = '', name = '', rest = ''] = /^\/(\w+)\/([^/]+)\/(.+)$/.exec(url.pathname) ?? [];
    const isEnterprise = kind === 'enterprises';
    const known = isEnterprise ? account.enterprise : account.account;
    const route = routes.find(([of, path]) => of.includes(kind) && path === rest);
    if (method !== 'GET' || route === undefined || name.toLowerCase() !== known.toLowerCase())
      return refuse(404, 'Not Found');
    const [, , endpoint, answer] = route;
    const late = await struckBy(request, endpoint, account);
    const here = new URL(`${url.pathname}${url.search}`, origins.api);
    const link = (path: string) => `${origins.files}${links.signed(path)}`;
    const call = { account, endpoint, isEnterprise, url: here, late, link, ...dates(late) };
    checkRight(call, token);
    return answer(call);
  }

  /** Answers at the origin of the files, where the signature is the only credential. */
  async function answerFile(request: ApiRequest): Promise<Answer> {
    const { pathname } = request.url;
    const account = orgs.find((one) => pathname.startsWith(`/${one.account}/`));
    const failed = (status: number, code: string, headers: Answer['headers'] = {}) => ({
      status,
      headers: { ...stamp(), 'content-type': 'application/xml', ...headers },
      body: [`<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code></Error>`],
    });
    const refusal = await struckBy(request, 'files', account).then(() => undefined, refusalIn);
    if (refusal !== undefined) return failed(refusal.status, 'ServerBusy', refusal.headers);
    if (request.authorization !== undefined) return failed(403, 'InvalidAuthenticationInfo');
    if (account === undefined || !links.isGood(request.url)) return failed(403, 'AuthenticationFailed');
    const headers = { ...stamp(), 'content-type': 'application/octet-stream' };
    const rows = Iterator.from(fileRows(account, pathname, dates(0)));
    return { status: 200, headers, body: rows.map((row) => `${JSON.stringify(row)}\n`) };
  }

  /** Refuses what a fault refuses; returns how many days are late. */
  async function struckBy({ signal }: ApiRequest, endpoint: Endpoint, account: Account | undefined) {
    requests += 1;
    const struck = await strike({ endpoint, org: account?.name, number: requests, signal });
    for (const fault of struck) refuseFor(fault, endpoint, account?.account ?? '', now());
    return lateDays(struck);
  }

  function dates(late: number) {
    const today = dayAt(now());
    return { today, oldest: oldestOn(today), newest: dayAt(now() - READY_AFTER * hourMs) - 1 - late };
  }

  /** With its own clock's date, as any server's answer. */
  function stamp() {
    return { date: new Date(now()).toUTCString() };
  }
}

function errorOf(thrown: unknown): Result {
  const { status, message, headers } = refusalIn(thrown);
  const body = { message, documentation_url: 'https://docs.github.com/rest', status: String(status) };
  return { status, headers, body };
}

const VERSIONS = ['2022-11-28', '2026-03-10'];

function checkHeaders({ headers }: ApiRequest): void {
  const { 'user-agent': agent = '', 'x-github-api-version': version = VERSIONS[0] } = headers;
  if (agent === '') refuse(403, 'Request forbidden by administrative rules: no User-Agent.');
  if (!VERSIONS.includes(String(version))) refuse(400, `API version ${version} is not supported.`);
}
