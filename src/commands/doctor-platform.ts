import { lookup } from 'node:dns/promises';
import tls from 'node:tls';
import {
  type DayCollector,
  type FetchingCollector,
  isDayCollector,
  isFetching,
} from '../catalog/collector.ts';
import { type DatasetName, hasActivity } from '../catalog/dataset.ts';
import { addDays, type Day, daysFrom, startOf, yesterdayOf } from '../catalog/day.ts';
import { IncompleteListing, type Source, UnexpectedAnswer } from '../catalog/source.ts';
import { collectors } from '../collectors/index.ts';
import type { OrgConfig } from '../config/config.ts';
import { formatDuration } from '../config/parse.ts';
import { createPlatformClient } from '../platform/client.ts';
import { isAboutToday, parseHttpDate } from '../platform/response.ts';
import type { Clock } from '../runtime/clock.ts';
import { PlatformError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { parseProxies } from '../runtime/proxy-address.ts';
import { isOpen } from './check-config.ts';
import type { Examination, Finding } from './doctor-finding.ts';
import type { StoredFacts } from './doctor-store.ts';

interface OrgParts extends Examination {
  readonly org: OrgConfig;
  readonly stored: StoredFacts | undefined;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The newest days that are asked for. */
const DAYS = 14;
/** How many days the newest one may be before yesterday for a platform that answers "not yet". */
const MAX_DAYS_BEHIND = 3;
/** From how many missing days on the platform is late: one is usual until the day's figures appear. */
const LATE_DAYS = 3;
const LATE_WORKING_DAYS = 2;
/** Enough to see that paging works. */
const MAX_PAGES = 20;
const CLOCK_WARNING_MS = 30_000;
const CLOCK_FAILURE_MS = 300_000;

/** What the endpoints of one organization answered. */
interface Answers {
  readonly orgIds: Set<string>;
  readonly missing: { readonly dataset: DatasetName; readonly error: PlatformError }[];
  readonly answered: Set<DatasetName>;
  /** Whether any day of a dataset has activity, or any document exists. */
  isActive: boolean;
  newest: Day | undefined;
  /** Unusable values, by dataset. */
  readonly rejected: Map<DatasetName, number>;
}

/** Asks the endpoints of an organization's enabled collectors for the newest days, and reports what is wrong. */
export async function examineOrg(parts: OrgParts): Promise<void> {
  const { config, org, stored, clock, signal } = parts;
  const { timeoutMs, requestsPerSecond, maxResponseBytes, proxy, readinessPath } = config.api;
  const report = (finding: Omit<Finding, 'org'>) => parts.report({ ...finding, org: org.name });
  const enabled = collectors.filter(isFetching).filter(({ name }) => config.collectors.get(name) === true);
  const hosts = [...new Set(enabled.map(hostOf))].map((host) => (host === 'api' ? org.baseUrl : org.appUrl));
  const unreachable = new Set<string>();
  for (const host of new Set(hosts)) if (!(await isResolved(host, parts, report))) unreachable.add(host);

  const paths = new Map<DatasetName, string>();
  const skews: number[] = [];
  let requests = 0;
  const client = createPlatformClient({
    org: org.name,
    baseUrl: org.baseUrl,
    appUrl: org.appUrl,
    credential: () => org.credential.read(),
    observer: {
      request({ endpoint, path, date }) {
        requests += 1;
        paths.set(endpoint, path);
        const at = parseHttpDate(date);
        if (at !== undefined) skews.push(clock.now() - at);
      },
      retry: () => undefined,
    },
    retries: 0,
    random: Math.random,
    maxPages: MAX_PAGES,
    paths: readinessPath === undefined ? {} : { readiness: readinessPath },
    ...{ timeoutMs, requestsPerSecond, maxResponseBytes, proxy },
    ...{ version: parts.version, clock, log: parts.log },
  });
  signal.addEventListener('abort', client.close, { once: true });
  const answers: Answers = {
    ...{ orgIds: new Set<string>(), missing: [], answered: new Set<DatasetName>() },
    ...{ isActive: false, newest: undefined, rejected: new Map<DatasetName, number>() },
  };
  const told = new Set<string>();
  const reached = new Set<string>();
  try {
    for (const collector of enabled) {
      const host = hostOf(collector) === 'api' ? org.baseUrl : org.appUrl;
      if (unreachable.has(host)) continue;
      const dataset = collector.dataset.name;
      const pathOf = () => paths.get(dataset) ?? dataset;
      try {
        const seen = isDayCollector(collector)
          ? await askDays(collector, client, answers, parts)
          : await askDocuments(collector, client, answers);
        answers.answered.add(dataset);
        reached.add(host);
        report({ check: dataset, ...seen, seen: `${pathOf()}: ${seen.seen}` });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof PlatformError && error.status !== undefined) reached.add(host);
        if (error instanceof PlatformError && error.status === 404) {
          answers.missing.push({ dataset, error });
          continue;
        }
        const finding = await failureOf(error, dataset, pathOf(), host);
        // One cause for all endpoints is told once.
        const cause = `${finding.check} ${finding.advice}`;
        if (!told.has(cause)) report(finding);
        told.add(cause);
        if (error instanceof PlatformError && /^(network|timeout|throttled)$/.test(error.reason)) {
          unreachable.add(host);
        }
      }
    }
  } finally {
    signal.removeEventListener('abort', client.close);
    client.close();
  }
  for (const host of reached) {
    const finding = transportOf(host);
    if (finding !== undefined) report(finding);
  }
  for (const finding of missingOf(answers, enabled.length)) report(finding);
  if (skews.length > 0) report(clockOf(skews));
  reportOrganization(answers, org, stored?.orgIds.get(org.name), report);
  reportData(answers, report);
  const used = stored?.requests.get(org.name);
  report(budgetOf(config.api.dailyRequestLimit, used, requests, clock));
}

type Report = (finding: Omit<Finding, 'org'>) => void;
type Part = Pick<Finding, 'verdict' | 'seen' | 'advice'>;

function hostOf({ dataset }: FetchingCollector): 'api' | 'app' {
  return dataset.name === 'readiness' ? 'app' : 'api';
}

/** Resolves the name of a host, or of the proxy that would resolve it. */
async function isResolved(address: string, { config, signal }: OrgParts, report: Report): Promise<boolean> {
  const url = new URL(address);
  const proxy = parseProxies(config.api.proxy)(url);
  const name = proxy?.host ?? url.hostname.replace(/^\[|\]$/g, '');
  const what = proxy === undefined ? name : `the proxy ${proxy.name}, for ${url.host}`;
  try {
    const { address: found } = await lookup(name);
    signal.throwIfAborted();
    report({ check: proxy === undefined ? 'name' : 'proxy', verdict: 'ok', seen: `${what} is ${found}` });
    return true;
  } catch {
    signal.throwIfAborted();
    const setting =
      proxy === undefined ? 'the host name in the configured URL' : 'HTTP_PROXY and HTTPS_PROXY';
    const advice = `check ${setting}, and DNS`;
    report({ check: 'name', verdict: 'failure', seen: `${what}: host name not found`, advice });
    return false;
  }
}

/** What a host that answered says about the way to it; undefined on this machine without TLS. */
function transportOf(address: string): Omit<Finding, 'org'> | undefined {
  const { host, protocol } = new URL(address);
  if (protocol === 'https:') {
    return { check: 'tls', verdict: 'ok', seen: `the certificate of ${host} is trusted` };
  }
  if (!isOpen(address)) return undefined;
  const seen = `not HTTPS: the key crosses the network to ${host} in clear text`;
  return { check: 'tls', verdict: 'warning', seen, advice: 'write https:// in the URL' };
}

/** Asks for the newest days of a dataset. */
async function askDays(
  collector: DayCollector<unknown>,
  source: Source,
  answers: Answers,
  { config, clock }: OrgParts,
): Promise<Part> {
  const { dataset, expensive } = collector;
  const yesterday = yesterdayOf(clock.now());
  for (let behind = 0; ; behind += 1) {
    const to = addDays(expensive === undefined ? yesterday : (answers.newest ?? yesterday), -behind);
    const first = addDays(yesterday, 1 - DAYS);
    const early = first < config.history.start ? config.history.start : first;
    const window = { from: expensive === undefined && early < to ? early : to, to };
    try {
      const { rows, rejected, orgId } = await collector.fetch(source, window);
      noteCommon(answers, dataset.name, rejected, orgId);
      const newest = [...rows.keys()].sort().at(-1);
      for (const row of rows.values()) answers.isActive ||= hasActivity(dataset, row) === true;
      if (newest === undefined) return { verdict: 'ok', seen: `answers, no day since ${window.from}` };
      if (answers.newest === undefined || newest > answers.newest) answers.newest = newest;
      return lagOf(newest, yesterday);
    } catch (error) {
      if (isPageCap(error)) return { verdict: 'ok', seen: `${MAX_PAGES} pages read, more follow` };
      if (!(error instanceof PlatformError) || !isAboutToday(error) || behind === MAX_DAYS_BEHIND)
        throw error;
    }
  }
}

function lagOf(newest: Day, yesterday: Day): Part {
  const missing = daysFrom(addDays(newest, 1), yesterday);
  const seen = `newest day ${newest}`;
  // A weekend on which nobody worked may have no rows.
  const working = missing.filter((day) => isWorkingDay(day)).length;
  if (missing.length < LATE_DAYS && working < LATE_WORKING_DAYS) return { verdict: 'ok', seen };
  const advice = 'wait: the exporter asks again every hour. A day on which nobody worked may have no row';
  const lag = `${missing.length} days before yesterday`;
  return { verdict: 'warning', seen: `${seen}, ${lag}: the platform is late`, advice };
}

function isWorkingDay(day: Day): boolean {
  return new Date(startOf(day)).getUTCDay() % 6 !== 0;
}

async function askDocuments(
  collector: Exclude<FetchingCollector, DayCollector<unknown>>,
  source: Source,
  answers: Answers,
): Promise<Part> {
  const { documents, rejected, remarks, complete, orgId } = await collector.fetch(source);
  noteCommon(answers, collector.dataset.name, rejected, orgId);
  answers.isActive ||= documents.length > 0;
  const seen = `${documents.length} documents`;
  const isCapped = remarks.some((remark) => remark.includes('page-cap'));
  const isPaged = remarks.some((remark) => remark.startsWith('incomplete listing'));
  if (isPaged && !isCapped) throw new BrokenPaging(remarks.join('; '));
  if (isCapped || complete) return { verdict: 'ok', seen: isCapped ? `${seen}, more follow` : seen };
  const advice = 'see the fields below; report it if the platform has changed';
  return { verdict: 'warning', seen: `${seen}; ${remarks.join('; ') || 'some are unusable'}`, advice };
}

class BrokenPaging extends Error {}

function isPageCap(error: unknown): boolean {
  return error instanceof IncompleteListing && error.end === 'page-cap';
}

function noteCommon(
  answers: Answers,
  dataset: DatasetName,
  rejected: number,
  orgId: string | undefined,
): void {
  if (orgId !== undefined) answers.orgIds.add(orgId);
  if (rejected > 0) answers.rejected.set(dataset, rejected);
}

/** What a failed request says about the set-up. */
async function failureOf(
  error: unknown,
  dataset: DatasetName,
  path: string,
  host: string,
): Promise<Omit<Finding, 'org'>> {
  const verdict = 'failure';
  const isOfPaging = error instanceof UnexpectedAnswer && /has_more|cursor/.test(error.message);
  if (isOfPaging || error instanceof BrokenPaging || error instanceof IncompleteListing) {
    const advice = 'report it to the platform: a listing that does not end well is never used';
    return { check: 'paging', verdict, seen: `${path}: ${error.message}`, advice };
  }
  if (error instanceof UnexpectedAnswer) {
    const advice =
      'look for a proxy or another service at this address; if the platform has changed, upgrade';
    return { check: dataset, verdict, seen: `${path}: ${error.message}`, advice };
  }
  if (!(error instanceof PlatformError)) throw error;
  const { message: seen, hint: advice } = error;
  switch (error.reason) {
    case 'auth':
      return { check: 'key', verdict, seen, advice };
    case 'role':
      return {
        check: /\bplan\b|enterprise|upgrade|subscription/i.test(seen) ? 'plan' : 'role',
        verdict,
        seen,
        advice,
      };
    case 'throttled': {
      const rest =
        'wait and run this again; if it stays, another client uses up the rate of this organization';
      return { check: 'rate', verdict, seen, advice: `lower --api.requests-per-second, or ${rest}` };
    }
    case 'network':
    case 'timeout':
    case 'server':
      if (host.startsWith('http:') && / redirect /.test(seen)) {
        return {
          check: 'tls',
          verdict,
          seen,
          advice: 'write https:// in the URL, or the address it leads to',
        };
      }
      if (host.startsWith('http:') && (await speaksTls(new URL(host)))) {
        const found = `${seen}; the server speaks TLS`;
        return { check: 'tls', verdict, seen: found, advice: 'write https:// in the URL' };
      }
      return { check: connectionCheck(error, dataset), verdict, seen, advice };
    default:
      return { check: dataset, verdict, seen, advice };
  }
}

function connectionCheck({ message, status }: PlatformError, dataset: DatasetName): string {
  if (/\bproxy\b/.test(message)) return 'proxy';
  if (/host name/.test(message) && !/certificate/.test(message)) return 'name';
  if (/certificate|TLS/.test(message)) return 'tls';
  return status === undefined ? 'connection' : dataset;
}

/** Whether a server to which the key would go in clear text expects TLS. */
function speaksTls({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { host: hostname, port: Number(port) || 80, rejectUnauthorized: false, timeout: 10_000 };
    const socket = tls.connect(options, () => end(true));
    socket.on('error', () => end(false)).on('timeout', () => end(false));
    function end(found: boolean): void {
      socket.destroy();
      resolve(found);
    }
  });
}

/** Endpoints that do not exist: another plan, another address, or moved paths. */
function missingOf({ missing, answered }: Answers, enabled: number): readonly Omit<Finding, 'org'>[] {
  const [first] = missing;
  if (first === undefined) return [];
  const verdict = 'failure';
  if (missing.length === enabled) {
    const advice = 'check base_url and app_url: what answers there is not the platform';
    return [{ check: 'address', verdict, seen: `${first.error.message}, and so do all endpoints`, advice }];
  }
  const isAnalytics = (dataset: DatasetName) => dataset !== 'wiki' && dataset !== 'readiness';
  const analytics = missing.filter(({ dataset }) => isAnalytics(dataset));
  const isWithoutPlan = analytics.length > 0 && ![...answered].some(isAnalytics) && answered.size > 0;
  const moved = isWithoutPlan ? missing.filter(({ dataset }) => !isAnalytics(dataset)) : missing;
  return [
    ...(isWithoutPlan
      ? [
          {
            check: 'plan',
            verdict,
            seen: 'no analytics endpoint exists for this key, but others do (404)',
            advice: 'analytics need the Enterprise plan, and a key that is not of a service account',
          } as const,
        ]
      : []),
    ...moved.map(({ dataset, error }): Omit<Finding, 'org'> => {
      const setting = dataset === 'readiness' ? 'set --api.readiness-path' : 'upgrade the exporter';
      const advice = `the platform has moved this path: ${setting}, or turn it off with --no-collector.${dataset}`;
      return { check: dataset, verdict, seen: error.message, advice };
    }),
  ];
}

/** Of several answers the one that was under way for the shortest time is the nearest. */
function clockOf(skews: readonly number[]): Omit<Finding, 'org'> {
  const skew = skews.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0] ?? 0;
  const off = Math.abs(skew);
  if (off < CLOCK_WARNING_MS) return { check: 'clock', verdict: 'ok', seen: 'as the Date of the answers' };
  const unit = off < 600_000 ? 1000 : 60_000;
  const seen = `${formatDuration(Math.round(off / unit) * unit)} ${skew > 0 ? 'ahead of' : 'behind'} the Date of the answers`;
  const advice = 'synchronize the clock of this machine (NTP): days would be asked for too early or too late';
  return { check: 'clock', verdict: off < CLOCK_FAILURE_MS ? 'warning' : 'failure', seen, advice };
}

function reportOrganization(
  { orgIds, answered }: Answers,
  { orgId: configured }: OrgConfig,
  stored: string | undefined,
  report: Report,
): void {
  const expected = configured ?? stored;
  const foreign = [...orgIds].find((id) => expected !== undefined && id !== expected);
  if (foreign !== undefined) {
    const whose = configured === undefined ? 'the stored days are' : 'org_id names';
    const seen = `the key belongs to organization ${foreign}, but ${whose} ${configured === undefined ? `those of ${expected}` : expected}`;
    const advice = 'take a key of that organization; set org_id only if the change is meant';
    report({ check: 'organization', verdict: 'failure', seen, advice });
  } else if (answered.size > 0) {
    const named = [...orgIds].join(', ');
    const seen =
      named === ''
        ? 'the key is accepted; no answer names the organization'
        : `the key is accepted, of ${named}`;
    report({ check: 'key', verdict: 'ok', seen });
  }
}

function reportData({ answered, isActive, rejected }: Answers, report: Report): void {
  if (answered.size === 0) return;
  if (!isActive) {
    const seen = `all endpoints answer, but nothing happened within ${DAYS} days: the organization is empty`;
    const advice = 'check that it is the right organization, and that its people use the agent';
    report({ check: 'data', verdict: 'warning', seen, advice });
  }
  const said = [...rejected].map(([dataset, count]) => `${dataset} ${count}`).join(', ');
  const advice = 'the log of serve names them at debug level; upgrade if the platform has changed';
  if (said === '') report({ check: 'fields', verdict: 'ok', seen: 'all values can be used' });
  else report({ check: 'fields', verdict: 'warning', seen: `unusable values: ${said}`, advice });
}

function budgetOf(
  limit: number | undefined,
  used: { readonly day: string; readonly count: number } | undefined,
  requests: number,
  clock: Clock,
): Omit<Finding, 'org'> {
  const today = addDays(yesterdayOf(clock.now()), 1);
  const count = used?.day === today ? used.count : 0;
  const asked = `this check sent ${requests}`;
  if (limit === undefined) return { check: 'requests', verdict: 'ok', seen: `no daily limit; ${asked}` };
  const seen = `${count} of ${limit} used today; ${asked}`;
  if (count < limit) return { check: 'requests', verdict: 'ok', seen };
  return {
    check: 'requests',
    verdict: 'failure',
    seen,
    advice: 'raise api.daily_request_limit, or wait for the next UTC day',
  };
}
