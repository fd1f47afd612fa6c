import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import tls from 'node:tls';
import { clientSettings } from '../app/clients.ts';
import { type FetchingCollector, isDayCollector, isFetching } from '../catalog/collector.ts';
import { type DatasetName, hasActivity } from '../catalog/dataset.ts';
import {
  addDays,
  type Day,
  dayOf,
  daysFrom,
  earlier,
  later,
  weekdayOf,
  yesterdayOf,
} from '../catalog/day.ts';
import { IncompleteListing, type Source, UnexpectedAnswer } from '../catalog/source.ts';
import { collectors } from '../collectors/index.ts';
import type { OrgConfig } from '../config/config.ts';
import { formatDuration } from '../config/parse.ts';
import { failureOf } from '../pipeline/run.ts';
import { watched } from '../pipeline/watched.ts';
import { createPlatformClient } from '../platform/client.ts';
import { isAboutToday, parseHttpDate } from '../platform/response.ts';
import { type FailureReason, messageOf, PlatformError } from '../runtime/errors.ts';
import { portOf, withoutBrackets } from '../runtime/host-name.ts';
import { parseProxies } from '../runtime/proxy-address.ts';
import type { Row } from '../store/database.ts';
import { isOpen } from './check-config.ts';
import { type Examination, type Finding, failure, ok, warning } from './doctor-finding.ts';
import type { StoredFacts } from './doctor-store.ts';

interface OrgParts extends Examination {
  readonly org: OrgConfig;
  readonly stored: StoredFacts | undefined;
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

/** What one endpoint answered. */
interface Asked {
  readonly collector: FetchingCollector;
  readonly dataset: DatasetName;
  readonly host: string;
  readonly path: string;
  /** Undefined if it failed. */
  readonly fetched: Fetched | undefined;
  readonly error: unknown;
  /** Fields that are not read. */
  readonly unread: readonly string[];
}

type Fetched = Awaited<ReturnType<FetchingCollector['fetch']>>;

/** What all checks of an organization judge. */
interface Facts extends OrgParts {
  readonly enabled: number;
  readonly asked: Asked[];
  /** By how much this machine's clock is ahead of the answers' `Date`. */
  readonly skews: number[];
  requests: number;
}

/** Asks the endpoints of an organization's enabled collectors for the newest days, and reports what is wrong. */
export async function examineOrg(parts: OrgParts): Promise<void> {
  const { config, org, clock, signal } = parts;
  const report = (finding: Finding) => parts.report({ ...finding, org: org.name });
  const enabled = collectors.filter(isFetching).filter(({ name }) => config.collectors.get(name) === true);
  const hostOf = ({ dataset }: FetchingCollector) =>
    dataset.name === 'readiness' ? org.appUrl : org.baseUrl;
  const facts: Facts = { ...parts, enabled: enabled.length, asked: [], skews: [], requests: 0 };
  const unreachable = new Set<string>();
  for (const host of new Set(enabled.map(hostOf))) {
    const name = await nameOf(host, parts);
    signal.throwIfAborted();
    if (name !== undefined) report(name);
  }

  const paths = new Map<DatasetName, string>();
  const client = createPlatformClient({
    ...clientSettings(org, config.api),
    observer: {
      request({ endpoint, path, date }) {
        facts.requests += 1;
        paths.set(endpoint, path);
        const at = parseHttpDate(date);
        if (at !== undefined) facts.skews.push(clock.now() - at);
      },
      retry: () => undefined,
    },
    retries: 0,
    random: Math.random,
    maxPages: MAX_PAGES,
    version: parts.version,
    clock,
    log: parts.log,
  });
  signal.addEventListener('abort', client.close, { once: true });
  const told = new Set<string>();
  try {
    for (const collector of enabled) {
      const host = hostOf(collector);
      if (unreachable.has(host)) continue;
      const dataset = collector.dataset.name;
      const compared = watched(client);
      const { fetched, error } = await ask(collector, compared.source, facts).then(
        (fetched) => ({ fetched, error: undefined }),
        (error: unknown) => ({ fetched: undefined, error }),
      );
      signal.throwIfAborted();
      const unread = (compared.watch?.unknown() ?? []).map((field) => `${dataset} ${field}`);
      const asked = { collector, dataset, host, path: paths.get(dataset) ?? dataset, fetched, error, unread };
      facts.asked.push(asked);
      if (isMissing(asked)) continue;
      const finding = hasAnswered(asked) ? judged(asked, facts) : await failed(asked, facts);
      // One cause for all endpoints is told once.
      const cause = `${finding.check} ${finding.advice}`;
      if (finding.verdict !== 'failure' || !told.has(cause)) report(finding);
      told.add(cause);
      const { reason = '' } = error instanceof PlatformError ? error : {};
      if (/^(network|timeout|throttled)$/.test(reason)) unreachable.add(host);
    }
  } finally {
    signal.removeEventListener('abort', client.close);
    client.close();
  }
  // What the answers of all endpoints say together.
  const ofAnswers = facts.asked.some(hasAnswered) ? [organization, data, fields] : [];
  const checks = [transport, missing, clockSkew, ...ofAnswers, budget];
  for (const finding of checks.flatMap((check) => check(facts))) report(finding);
}

/** Resolves the name of a host, or of the proxy that would resolve it; the client says if there is none. */
function nameOf(address: string, { config }: OrgParts): Promise<Finding | undefined> {
  const url = new URL(address);
  const proxy = parseProxies(config.api.proxy)(url);
  const name = proxy?.host ?? withoutBrackets(url.hostname);
  const [check, what] =
    proxy === undefined ? ['name', name] : ['proxy', `the proxy ${proxy.name}, for ${url.host}`];
  return lookup(name).then(
    ({ address: found }) => ok(check, `${what} is ${found === name ? 'an address' : found}`),
    () => undefined,
  );
}

/** Asks for the documents of a collector, or for its newest days. */
async function ask(collector: FetchingCollector, source: Source, facts: Facts): Promise<Fetched> {
  if (!isDayCollector(collector)) return collector.fetch(source);
  const yesterday = yesterdayOf(facts.clock.now());
  const start = firstDay(facts);
  const isExpensive = collector.expensive !== undefined;
  const known = facts.asked.flatMap((one) => newestOf(one) ?? []).sort();
  const newest = (isExpensive ? known.at(-1) : undefined) ?? yesterday;
  for (let behind = 0; ; behind += 1) {
    const to = addDays(newest, -behind);
    try {
      return await collector.fetch(source, { from: isExpensive ? to : earlier(start, to), to });
    } catch (error) {
      if (!(error instanceof PlatformError) || !isAboutToday(error) || behind === MAX_DAYS_BEHIND)
        throw error;
    }
  }
}

function firstDay({ clock, config }: Facts): Day {
  return later(addDays(yesterdayOf(clock.now()), 1 - DAYS), config.history.start);
}

function newestOf({ fetched }: Pick<Asked, 'fetched'>): Day | undefined {
  return fetched !== undefined && 'rows' in fetched ? [...fetched.rows.keys()].sort().at(-1) : undefined;
}

const PAGING_ADVICE = 'report it to the platform: a listing that does not end well is never used';

/** What an answer says about its endpoint. */
function judged({ dataset, path, fetched }: Asked, facts: Facts): Finding {
  if (fetched === undefined) return ok(dataset, `${path}: ${MAX_PAGES} pages read, more follow`);
  if ('rows' in fetched) {
    const newest = newestOf({ fetched });
    if (newest === undefined) return ok(dataset, `${path}: answers, no day since ${firstDay(facts)}`);
    const late = daysFrom(addDays(newest, 1), yesterdayOf(facts.clock.now()));
    const seen = `${path}: newest day ${newest}`;
    // A weekend on which nobody worked may have no rows.
    const working = late.filter((day) => weekdayOf(day) < SATURDAY).length;
    if (late.length < LATE_DAYS && working < LATE_WORKING_DAYS) return ok(dataset, seen);
    const advice = 'wait: the exporter asks again every hour. A day on which nobody worked may have no row';
    return warning(dataset, `${seen}, ${late.length} days before yesterday: the platform is late`, advice);
  }
  const { documents, remarks, complete } = fetched;
  const seen = `${path}: ${documents.length} documents`;
  if (remarks.some((remark) => remark.includes('page-cap'))) return ok(dataset, `${seen}, more follow`);
  if (remarks.some((remark) => remark.startsWith('incomplete listing')))
    return failure('paging', `${path}: ${remarks.join('; ')}`, PAGING_ADVICE);
  if (complete) return ok(dataset, seen);
  const advice = 'see the fields below; report it if the platform has changed';
  return warning(dataset, `${seen}; ${remarks.join('; ') || 'some are unusable'}`, advice);
}

const HTTPS_ADVICE = 'write https:// in the URL';

/** The checks that failures belong to, by their reasons; others are about their endpoint. */
const CHECKS: Partial<Record<FailureReason, string>> = { auth: 'key', role: 'role', throttled: 'rate' };
const NO_ANSWER = /^(network|timeout|server)$/;
const OF_PLAN = /\bplan\b|enterprise|upgrade|subscription/i;
/** In place of what a running exporter would advise, which keeps earlier data and asks again. */
const ADVICE: Readonly<Record<string, string>> = {
  paging: PAGING_ADVICE,
  rate: 'lower --api.requests-per-second, or wait and run this again; if it stays, another client uses up the rate of this organization',
};

/** What a failed request says about the set-up. */
async function failed({ error, dataset, path, host }: Asked, { log }: Facts): Promise<Finding> {
  const known = failureOf(error, log);
  const { reason, message, hint, failedAt } = known;
  if (host.startsWith('http:') && NO_ANSWER.test(reason)) {
    if (message.includes(' redirect '))
      return failure('tls', message, `${HTTPS_ADVICE}, or the address it leads to`);
    if (await speaksTls(new URL(host)))
      return failure('tls', `${message}; the server speaks TLS`, HTTPS_ADVICE);
  }
  const isOfPlan = reason === 'role' && OF_PLAN.test(message);
  const check = isOfPlan ? 'plan' : (failedAt ?? CHECKS[reason] ?? (isOfPaging(error) ? 'paging' : dataset));
  return failure(check, known === error ? message : `${path}: ${message}`, ADVICE[check] ?? hint);
}

function isOfPaging(error: unknown): boolean {
  return (
    error instanceof IncompleteListing ||
    (error instanceof UnexpectedAnswer && /has_more|cursor/.test(error.message))
  );
}

/** Whether a server to which the key would go in clear text expects TLS. */
function speaksTls(url: URL): Promise<boolean> {
  const socket = tls.connect({ host: url.hostname, port: portOf(url), rejectUnauthorized: false });
  const hasAnswer = once(socket, 'secureConnect', { signal: AbortSignal.timeout(10_000) }).then(
    () => true,
    () => false,
  );
  return hasAnswer.finally(() => socket.destroy());
}

/** What the hosts that answered say about the way to them; nothing on this machine without TLS. */
function transport({ asked }: Facts): readonly Finding[] {
  const reached = asked.filter(
    ({ fetched, error }) =>
      fetched !== undefined || (error instanceof PlatformError && error.status !== undefined),
  );
  return [...new Set(reached.map(({ host }) => host))].flatMap((address) => {
    const { host, protocol } = new URL(address);
    if (protocol === 'https:') return [ok('tls', `the certificate of ${host} is trusted`)];
    const seen = `not HTTPS: the key crosses the network to ${host} in clear text`;
    return isOpen(address) ? [warning('tls', seen, HTTPS_ADVICE)] : [];
  });
}

function isMissing({ error }: Asked): boolean {
  return error instanceof PlatformError && error.status === 404;
}

/** Whether an endpoint has data; one with more pages than are read has. */
function hasAnswered({ fetched, error }: Asked): boolean {
  return fetched !== undefined || (error instanceof IncompleteListing && error.end === 'page-cap');
}

/** Endpoints that do not exist: another plan, another address, or moved paths. */
function missing({ asked, enabled }: Facts): readonly Finding[] {
  const absent = asked.filter(isMissing);
  const answered = asked.filter(hasAnswered);
  const [first] = absent;
  if (first !== undefined && absent.length === enabled) {
    const advice = 'check base_url and app_url: what answers there is not the platform';
    return [failure('address', `${messageOf(first.error)}, and so do all endpoints`, advice)];
  }
  const isAnalytics = ({ dataset }: Asked) => dataset !== 'wiki' && dataset !== 'readiness';
  const isWithoutPlan = absent.some(isAnalytics) && !answered.some(isAnalytics) && answered.length > 0;
  const plan = failure(
    'plan',
    'no analytics endpoint exists for this key, but others do (404)',
    'analytics need the Enterprise plan, and a key that is not of a service account',
  );
  const moved = absent.filter((one) => !isWithoutPlan || !isAnalytics(one));
  return [
    ...(isWithoutPlan ? [plan] : []),
    ...moved.map(({ dataset, error }) => {
      const setting = dataset === 'readiness' ? 'set --api.readiness-path' : 'upgrade the exporter';
      const advice = `the platform has moved this path: ${setting}, or turn it off with --no-collector.${dataset}`;
      return failure(dataset, messageOf(error), advice);
    }),
  ];
}

/** Of several answers the one that was under way for the shortest time is the nearest. */
function clockSkew({ skews }: Facts): readonly Finding[] {
  const [skew] = skews.toSorted((a, b) => Math.abs(a) - Math.abs(b));
  if (skew === undefined) return [];
  const off = Math.abs(skew);
  if (off < CLOCK_WARNING_MS) return [ok('clock', 'as the Date of the answers')];
  const unit = off < 600_000 ? 1000 : 60_000;
  const seen = `${formatDuration(Math.round(off / unit) * unit)} ${skew > 0 ? 'ahead of' : 'behind'} the Date of the answers`;
  const advice = 'synchronize the clock of this machine (NTP): days would be asked for too early or too late';
  return [(off < CLOCK_FAILURE_MS ? warning : failure)('clock', seen, advice)];
}

function organization({ asked, org, stored }: Facts): readonly Finding[] {
  const orgIds = new Set(asked.flatMap(({ fetched }) => fetched?.orgId ?? []));
  const expected = org.orgId ?? stored?.orgs.find((row) => row['org'] === org.name)?.['org_id'] ?? undefined;
  const foreign = [...orgIds].find((id) => expected !== undefined && id !== expected);
  if (foreign !== undefined) {
    const whose = org.orgId === undefined ? 'the stored days are those of' : 'org_id names';
    const advice = 'take a key of that organization; set org_id only if the change is meant';
    const seen = `the key belongs to organization ${foreign}, but ${whose} ${expected}`;
    return [failure('organization', seen, advice)];
  }
  const of = orgIds.size === 0 ? '; no answer names the organization' : `, of ${[...orgIds].join(', ')}`;
  return [ok('key', `the key is accepted${of}`)];
}

function data({ asked }: Facts): readonly Finding[] {
  const isActive = asked.filter(hasAnswered).some(({ collector: { dataset }, fetched }) => {
    // A listing with more pages than are read.
    if (fetched === undefined) return true;
    if ('documents' in fetched) return fetched.documents.length > 0;
    const rows = [...fetched.rows.values()];
    return dataset.kind === 'days' && rows.some((row) => hasActivity(dataset, row) === true);
  });
  if (isActive) return [];
  const seen = `all endpoints answer, but nothing happened within ${DAYS} days: the organization is empty`;
  const advice = 'check that it is the right organization, and that its people use the agent';
  return [warning('data', seen, advice)];
}

function fields({ asked }: Facts): readonly Finding[] {
  const unusable = asked.flatMap(({ dataset, fetched }) =>
    fetched === undefined || fetched.rejected === 0 ? [] : [`${dataset} ${fetched.rejected}`],
  );
  const unread = asked.filter(hasAnswered).flatMap((one) => one.unread);
  const changed = [
    ...(unusable.length === 0 ? [] : [`unusable values: ${unusable.join(', ')}`]),
    ...(unread.length === 0 ? [] : [`not read: ${unread.join(', ')}`]),
  ];
  if (changed.length === 0) return [ok('fields', 'all values can be used')];
  const advice = 'the log of serve names them at debug level; upgrade if the platform has changed';
  return [warning('fields', changed.join('; '), advice)];
}

function budget({ config, org, stored, requests, clock }: Facts): readonly Finding[] {
  const limit = config.api.dailyRequestLimit;
  const asked = `this check sent ${requests}`;
  if (limit === undefined) return [ok('requests', `no daily limit; ${asked}`)];
  const isOfToday = (row: Row) => row['org'] === org.name && row['day'] === dayOf(clock.now());
  const count = Number(stored?.requests.find(isOfToday)?.['requests'] ?? 0);
  const seen = `${count} of ${limit} used today; ${asked}`;
  if (count < limit) return [ok('requests', seen)];
  return [failure('requests', seen, 'raise api.daily_request_limit, or wait for the next UTC day')];
}
