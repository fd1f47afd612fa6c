import { lookup } from 'node:dns/promises';
import tls from 'node:tls';
import {
  type DayCollector,
  type FetchingCollector,
  isDayCollector,
  isFetching,
} from '../catalog/collector.ts';
import { type DatasetName, hasActivity } from '../catalog/dataset.ts';
import { addDays, type Day, dayOf, daysFrom, weekdayOf, yesterdayOf } from '../catalog/day.ts';
import { IncompleteListing, type Source, UnexpectedAnswer } from '../catalog/source.ts';
import { collectors } from '../collectors/index.ts';
import type { OrgConfig } from '../config/config.ts';
import { formatDuration } from '../config/parse.ts';
import { beginWatch } from '../pipeline/watched.ts';
import { createPlatformClient } from '../platform/client.ts';
import { isAboutToday, parseHttpDate } from '../platform/response.ts';
import type { Clock } from '../runtime/clock.ts';
import { PlatformError } from '../runtime/errors.ts';
import { portOf, withoutBrackets } from '../runtime/host-name.ts';
import type { Logger } from '../runtime/logger.ts';
import { parseProxies } from '../runtime/proxy-address.ts';
import { isOpen } from './check-config.ts';
import { type Examination, type Found, failure, ok, warning } from './doctor-finding.ts';
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
const SATURDAY = 5;
/** Enough to see that paging works. */
const MAX_PAGES = 20;
const CLOCK_WARNING_MS = 30_000;
const CLOCK_FAILURE_MS = 300_000;

/** What the endpoints of one organization answered. */
interface Answers {
  readonly orgIds: Set<string>;
  readonly missing: Map<DatasetName, PlatformError>;
  readonly answered: Set<DatasetName>;
  /** Whether any day of a dataset has activity, or any document exists. */
  isActive: boolean;
  newest: Day | undefined;
  /** Unusable values, by dataset. */
  readonly rejected: Map<DatasetName, number>;
  /** Fields that are not read, with their datasets. */
  readonly unread: Set<string>;
}

/** Asks the endpoints of an organization's enabled collectors for the newest days, and reports what is wrong. */
export async function examineOrg(parts: OrgParts): Promise<void> {
  const { config, org, stored, clock, signal } = parts;
  const { timeout: timeoutMs, requestsPerSecond, maxResponseBytes, proxy, readinessPath } = config.api;
  const report = (finding: Found) => parts.report({ ...finding, org: org.name });
  const enabled = collectors.filter(isFetching).filter(({ name }) => config.collectors.get(name) === true);
  const hostOf = ({ dataset }: FetchingCollector) =>
    dataset.name === 'readiness' ? org.appUrl : org.baseUrl;
  const unreachable = new Set<string>();
  for (const host of new Set(enabled.map(hostOf))) {
    if (!(await isResolved(host, parts, report))) unreachable.add(host);
  }

  const paths = new Map<DatasetName, string>();
  const skews: number[] = [];
  let requests = 0;
  const client = createPlatformClient({
    ...{ org: org.name, baseUrl: org.baseUrl, appUrl: org.appUrl },
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
    ...{ orgIds: new Set<string>(), missing: new Map(), answered: new Set<DatasetName>() },
    ...{
      isActive: false,
      newest: undefined,
      rejected: new Map<DatasetName, number>(),
      unread: new Set<string>(),
    },
  };
  const told = new Set<string>();
  const reached = new Set<string>();
  try {
    for (const collector of enabled) {
      const host = hostOf(collector);
      if (unreachable.has(host)) continue;
      const dataset = collector.dataset.name;
      const pathOf = () => paths.get(dataset) ?? dataset;
      try {
        const seen = isDayCollector(collector)
          ? await askDays(collector, client, answers, parts)
          : await askDocuments(collector, client, answers);
        answers.answered.add(dataset);
        reached.add(host);
        report({ ...seen, seen: `${pathOf()}: ${seen.seen}` });
      } catch (error) {
        signal.throwIfAborted();
        const platformError = error instanceof PlatformError ? error : undefined;
        if (platformError?.status !== undefined) reached.add(host);
        if (platformError?.status === 404) {
          answers.missing.set(dataset, platformError);
          continue;
        }
        const finding = await failureOf(error, dataset, pathOf(), host);
        // One cause for all endpoints is told once.
        const cause = `${finding.check} ${finding.advice}`;
        if (!told.has(cause)) report(finding);
        told.add(cause);
        if (/^(network|timeout|throttled)$/.test(platformError?.reason ?? '')) unreachable.add(host);
      }
    }
  } finally {
    signal.removeEventListener('abort', client.close);
    client.close();
  }
  const used = stored?.requests.get(org.name);
  const findings = [
    ...[...reached].flatMap(transportOf),
    ...missingOf(answers, enabled.length),
    ...(skews.length > 0 ? [clockOf(skews)] : []),
    ...(answers.answered.size > 0 ? organizationOf(answers, org, stored?.orgIds.get(org.name)) : []),
    ...(answers.answered.size > 0 ? dataOf(answers) : []),
    budgetOf(config.api.dailyRequestLimit, used, requests, clock),
  ];
  for (const finding of findings) report(finding);
}

type Report = (finding: Found) => void;

/** Resolves the name of a host, or of the proxy that would resolve it. */
async function isResolved(address: string, { config, signal }: OrgParts, report: Report): Promise<boolean> {
  const url = new URL(address);
  const proxy = parseProxies(config.api.proxy)(url);
  const name = proxy?.host ?? withoutBrackets(url.hostname);
  const what = proxy === undefined ? name : `the proxy ${proxy.name}, for ${url.host}`;
  try {
    const { address: found } = await lookup(name);
    signal.throwIfAborted();
    report(ok(proxy === undefined ? 'name' : 'proxy', `${what} is ${found}`));
    return true;
  } catch {
    signal.throwIfAborted();
    const setting =
      proxy === undefined ? 'the host name in the configured URL' : 'HTTP_PROXY and HTTPS_PROXY';
    report(failure('name', `${what}: host name not found`, `check ${setting}, and DNS`));
    return false;
  }
}

/** What a host that answered says about the way to it; nothing on this machine without TLS. */
function transportOf(address: string): readonly Found[] {
  const { host, protocol } = new URL(address);
  if (protocol === 'https:') return [ok('tls', `the certificate of ${host} is trusted`)];
  if (!isOpen(address)) return [];
  const seen = `not HTTPS: the key crosses the network to ${host} in clear text`;
  return [warning('tls', seen, 'write https:// in the URL')];
}

/** Asks for the newest days of a dataset. */
async function askDays(
  collector: DayCollector<unknown>,
  source: Source,
  answers: Answers,
  { config, clock }: OrgParts,
): Promise<Found> {
  const { dataset, expensive } = collector;
  const yesterday = yesterdayOf(clock.now());
  for (let behind = 0; ; behind += 1) {
    const to = addDays(expensive === undefined ? yesterday : (answers.newest ?? yesterday), -behind);
    const first = addDays(yesterday, 1 - DAYS);
    const early = first < config.history.start ? config.history.start : first;
    const window = { from: expensive === undefined && early < to ? early : to, to };
    try {
      const { rows, rejected, orgId } = await fetchWatched(collector, source, answers, (seen) =>
        collector.fetch(seen, window),
      );
      noteCommon(answers, dataset.name, rejected, orgId);
      const newest = [...rows.keys()].sort().at(-1);
      for (const row of rows.values()) answers.isActive ||= hasActivity(dataset, row) === true;
      if (newest === undefined) return ok(dataset.name, `answers, no day since ${window.from}`);
      if (answers.newest === undefined || newest > answers.newest) answers.newest = newest;
      return lagOf(dataset.name, newest, yesterday);
    } catch (error) {
      if (error instanceof IncompleteListing && error.end === 'page-cap') {
        return ok(dataset.name, `${MAX_PAGES} pages read, more follow`);
      }
      if (!(error instanceof PlatformError) || !isAboutToday(error) || behind === MAX_DAYS_BEHIND)
        throw error;
    }
  }
}

function lagOf(dataset: DatasetName, newest: Day, yesterday: Day): Found {
  const missing = daysFrom(addDays(newest, 1), yesterday);
  const seen = `newest day ${newest}`;
  // A weekend on which nobody worked may have no rows.
  const working = missing.filter((day) => weekdayOf(day) < SATURDAY).length;
  if (missing.length < LATE_DAYS && working < LATE_WORKING_DAYS) return ok(dataset, seen);
  const advice = 'wait: the exporter asks again every hour. A day on which nobody worked may have no row';
  return warning(dataset, `${seen}, ${missing.length} days before yesterday: the platform is late`, advice);
}

async function askDocuments(
  collector: Exclude<FetchingCollector, DayCollector<unknown>>,
  source: Source,
  answers: Answers,
): Promise<Found> {
  const { name } = collector.dataset;
  const { documents, rejected, remarks, complete, orgId } = await fetchWatched(
    collector,
    source,
    answers,
    (seen) => collector.fetch(seen),
  );
  noteCommon(answers, name, rejected, orgId);
  answers.isActive ||= documents.length > 0;
  const seen = `${documents.length} documents`;
  const isCapped = remarks.some((remark) => remark.includes('page-cap'));
  const isPaged = remarks.some((remark) => remark.startsWith('incomplete listing'));
  if (isPaged && !isCapped) throw new BrokenPaging(remarks.join('; '));
  if (isCapped || complete) return ok(name, isCapped ? `${seen}, more follow` : seen);
  const advice = 'see the fields below; report it if the platform has changed';
  return warning(name, `${seen}; ${remarks.join('; ') || 'some are unusable'}`, advice);
}

/** Fetches, and notes the fields that are not read. */
async function fetchWatched<Fetched>(
  collector: FetchingCollector,
  source: Source,
  answers: Answers,
  fetch: (source: Source) => Promise<Fetched>,
): Promise<Fetched> {
  const { watch, source: seen } = await beginWatch(collector, source);
  const fetched = await fetch(seen);
  for (const field of watch?.unknown() ?? []) answers.unread.add(`${collector.dataset.name} ${field}`);
  return fetched;
}

class BrokenPaging extends Error {}

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
async function failureOf(error: unknown, dataset: DatasetName, path: string, host: string): Promise<Found> {
  const isOfPaging = error instanceof UnexpectedAnswer && /has_more|cursor/.test(error.message);
  if (isOfPaging || error instanceof BrokenPaging || error instanceof IncompleteListing) {
    const advice = 'report it to the platform: a listing that does not end well is never used';
    return failure('paging', `${path}: ${error.message}`, advice);
  }
  if (error instanceof UnexpectedAnswer) {
    const advice =
      'look for a proxy or another service at this address; if the platform has changed, upgrade';
    return failure(dataset, `${path}: ${error.message}`, advice);
  }
  if (!(error instanceof PlatformError)) throw error;
  const { message: seen, hint: advice } = error;
  switch (error.reason) {
    case 'auth':
      return failure('key', seen, advice);
    case 'role':
      return failure(/\bplan\b|enterprise|upgrade|subscription/i.test(seen) ? 'plan' : 'role', seen, advice);
    case 'throttled': {
      const rest =
        'wait and run this again; if it stays, another client uses up the rate of this organization';
      return failure('rate', seen, `lower --api.requests-per-second, or ${rest}`);
    }
    case 'network':
    case 'timeout':
    case 'server':
      if (host.startsWith('http:') && / redirect /.test(seen)) {
        return failure('tls', seen, 'write https:// in the URL, or the address it leads to');
      }
      if (host.startsWith('http:') && (await speaksTls(new URL(host)))) {
        return failure('tls', `${seen}; the server speaks TLS`, 'write https:// in the URL');
      }
      return failure(connectionCheck(error, dataset), seen, advice);
    default:
      return failure(dataset, seen, advice);
  }
}

function connectionCheck({ message, status }: PlatformError, dataset: DatasetName): string {
  if (/\bproxy\b/.test(message)) return 'proxy';
  if (/host name/.test(message) && !/certificate/.test(message)) return 'name';
  if (/certificate|TLS/.test(message)) return 'tls';
  return status === undefined ? 'connection' : dataset;
}

/** Whether a server to which the key would go in clear text expects TLS. */
function speaksTls(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { host: url.hostname, port: portOf(url), rejectUnauthorized: false, timeout: 10_000 };
    const socket = tls.connect(options, () => end(true));
    socket.on('error', () => end(false)).on('timeout', () => end(false));
    function end(found: boolean): void {
      socket.destroy();
      resolve(found);
    }
  });
}

/** Endpoints that do not exist: another plan, another address, or moved paths. */
function missingOf({ missing, answered }: Answers, enabled: number): readonly Found[] {
  const [first] = missing.values();
  if (first !== undefined && missing.size === enabled) {
    const advice = 'check base_url and app_url: what answers there is not the platform';
    return [failure('address', `${first.message}, and so do all endpoints`, advice)];
  }
  const isAnalytics = (dataset: DatasetName) => dataset !== 'wiki' && dataset !== 'readiness';
  const isWithoutPlan =
    [...missing.keys()].some(isAnalytics) && ![...answered].some(isAnalytics) && answered.size > 0;
  const moved = [...missing].filter(([dataset]) => !isWithoutPlan || !isAnalytics(dataset));
  const plan = failure(
    'plan',
    'no analytics endpoint exists for this key, but others do (404)',
    'analytics need the Enterprise plan, and a key that is not of a service account',
  );
  return [
    ...(isWithoutPlan ? [plan] : []),
    ...moved.map(([dataset, error]) => {
      const setting = dataset === 'readiness' ? 'set --api.readiness-path' : 'upgrade the exporter';
      const advice = `the platform has moved this path: ${setting}, or turn it off with --no-collector.${dataset}`;
      return failure(dataset, error.message, advice);
    }),
  ];
}

/** Of several answers the one that was under way for the shortest time is the nearest. */
function clockOf(skews: readonly number[]): Found {
  const skew = skews.toSorted((a, b) => Math.abs(a) - Math.abs(b))[0] ?? 0;
  const off = Math.abs(skew);
  if (off < CLOCK_WARNING_MS) return ok('clock', 'as the Date of the answers');
  const unit = off < 600_000 ? 1000 : 60_000;
  const seen = `${formatDuration(Math.round(off / unit) * unit)} ${skew > 0 ? 'ahead of' : 'behind'} the Date of the answers`;
  const advice = 'synchronize the clock of this machine (NTP): days would be asked for too early or too late';
  return (off < CLOCK_FAILURE_MS ? warning : failure)('clock', seen, advice);
}

function organizationOf(
  { orgIds }: Answers,
  { orgId: configured }: OrgConfig,
  stored: string | undefined,
): readonly Found[] {
  const expected = configured ?? stored;
  const foreign = [...orgIds].find((id) => expected !== undefined && id !== expected);
  if (foreign !== undefined) {
    const whose = configured === undefined ? 'the stored days are those of' : 'org_id names';
    const advice = 'take a key of that organization; set org_id only if the change is meant';
    const seen = `the key belongs to organization ${foreign}, but ${whose} ${expected}`;
    return [failure('organization', seen, advice)];
  }
  const of = orgIds.size === 0 ? '; no answer names the organization' : `, of ${[...orgIds].join(', ')}`;
  return [ok('key', `the key is accepted${of}`)];
}

function dataOf({ isActive, rejected, unread }: Answers): readonly Found[] {
  const empty = warning(
    'data',
    `all endpoints answer, but nothing happened within ${DAYS} days: the organization is empty`,
    'check that it is the right organization, and that its people use the agent',
  );
  const unusable = [...rejected].map(([dataset, count]) => `${dataset} ${count}`).join(', ');
  const changed = [
    ...(unusable === '' ? [] : [`unusable values: ${unusable}`]),
    ...(unread.size === 0 ? [] : [`not read: ${[...unread].join(', ')}`]),
  ];
  const advice = 'the log of serve names them at debug level; upgrade if the platform has changed';
  return [
    ...(isActive ? [] : [empty]),
    changed.length === 0
      ? ok('fields', 'all values can be used')
      : warning('fields', changed.join('; '), advice),
  ];
}

function budgetOf(
  limit: number | undefined,
  used: { readonly day: string; readonly count: number } | undefined,
  requests: number,
  clock: Clock,
): Found {
  const asked = `this check sent ${requests}`;
  if (limit === undefined) return ok('requests', `no daily limit; ${asked}`);
  const count = used?.day === dayOf(clock.now()) ? used.count : 0;
  const seen = `${count} of ${limit} used today; ${asked}`;
  if (count < limit) return ok('requests', seen);
  return failure('requests', seen, 'raise api.daily_request_limit, or wait for the next UTC day');
}
