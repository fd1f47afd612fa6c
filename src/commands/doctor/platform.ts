import { lookup } from 'node:dns/promises';
import { historyOn } from '../../app/traffic.ts';
import { filledOn, fillsOf, isFetching } from '../../catalog/collector.ts';
import { addDays, dayOf, daysFrom, type Instant, weekdayOf, yesterdayOf } from '../../catalog/day.ts';
import { READY_HOURS } from '../../catalog/day-rules.ts';
import { parseHttpDate } from '../../client/response.ts';
import { collectors } from '../../collectors/index.ts';
import type { ApiConfig, OrgConfig } from '../../config/config.ts';
import { formatDuration } from '../../config/parse.ts';
import { isInClearText, withoutBrackets } from '../../net/host-name.ts';
import { parseProxies } from '../../net/proxy-address.ts';
import { PAGING_HINT } from '../../pipeline/run.ts';
import type { FailureReason, PlatformError } from '../../text/errors.ts';
import { type Asked, addressOf, createRequests, DAYS, isAnyActive, MAX_PAGES, type Requests } from './ask.ts';
import { type Examination, type Finding, failure, ok, warning } from './finding.ts';
import type { StoredFacts } from './store.ts';

/** From how many missing days on the platform is late: one is usual until the day's figures appear. */
const LATE_DAYS = 3;
const LATE_WORKING_DAYS = 2;
const SATURDAY = 5;
const HOUR_MS = 3_600_000;
const CLOCK_WARNING_MS = 30_000;
const CLOCK_FAILURE_MS = 300_000;

/** What the checks of all answers judge. */
interface Facts extends Examination, Pick<Requests, 'attempts' | 'named'> {
  readonly org: OrgConfig;
  readonly stored: StoredFacts | undefined;
  readonly asked: readonly Asked[];
}

function isMissing({ error }: Asked): boolean {
  return error?.status === 404;
}

function hasAnswered({ error }: Asked): boolean {
  return error === undefined;
}

/** What an answer says by itself; nothing of an endpoint that does not exist. */
function answerOf(asked: Asked, now: Instant): Finding | undefined {
  const { dataset, fetched, error, path, from, newest, rules } = asked;
  const { name } = dataset;
  if (isMissing(asked)) return undefined;
  if (error !== undefined) return causeOf(asked, error);
  if (fetched === undefined) return ok(name, `${path}: ${MAX_PAGES} pages read, more follow`);
  if ('documents' in fetched) {
    const seen = `${path}: ${fetched.documents.length} documents`;
    const said = fetched.remarks.join('; ');
    if (fetched.complete) return ok(name, seen);
    if (said.includes('page-cap')) return ok(name, `${seen}, more follow`);
    if (said.startsWith('incomplete listing')) return failure('paging', `${path}: ${said}`, PAGING_HINT);
    const advice = 'see the fields below; report it if the platform has changed';
    return warning(name, `${seen}; ${said || 'some are unusable'}`, advice);
  }
  if (newest === undefined) return ok(name, `${path}: answers, no day since ${from}`);
  const { readyWithin = READY_HOURS } = rules;
  const late = daysFrom(addDays(newest, 1), yesterdayOf(now - (readyWithin - READY_HOURS) * HOUR_MS));
  const seen = `${path}: newest day ${newest}`;
  // A weekend on which nobody worked may have no rows.
  const working = late.filter((day) => weekdayOf(day) < SATURDAY).length;
  const [remark] = fetched.remarks;
  if (remark !== undefined) return warning(name, `${seen}; ${remark}`, 'everything else is collected');
  if (late.length < LATE_DAYS && working < LATE_WORKING_DAYS) return ok(name, seen);
  const advice = 'wait: the exporter asks again every hour. A day on which nobody worked may have no row';
  return warning(name, `${seen}, ${late.length} days before yesterday: the platform is late`, advice);
}

const HTTPS_ADVICE = 'write https:// in the URL';

/** The check that a failure belongs to, by its reason and message; others are about the connection or their endpoint. */
const CHECKS: readonly (readonly [of: RegExp, check: string])[] = [
  [/^auth /, 'key'],
  [/^role .*(\bplan\b|enterprise|upgrade|subscription)/i, 'plan'],
  [/^role /, 'role'],
  [/^throttled /, 'rate'],
  [/^schema .*(incomplete listing|cursor|page\b)/, 'paging'],
];

/** What a failed request says about the set-up. */
function causeOf({ dataset, path, address, speaksTls }: Asked, error: PlatformError): Finding {
  const { reason, hint, failedAt } = error;
  const message = error.message.includes(path) ? error.message : `${path}: ${error.message}`;
  if (speaksTls) return failure('tls', `${message}; the server speaks TLS`, HTTPS_ADVICE);
  if (address.startsWith('http:') && message.includes(' redirect '))
    return failure('tls', message, `${HTTPS_ADVICE}, or the address it leads to`);
  const [, check = failedAt ?? dataset.name] = CHECKS.find(([of]) => of.test(`${reason} ${message}`)) ?? [];
  return failure(check, message, hint);
}

/** What the answers of all endpoints say together. */
function ofAllAnswers(facts: Facts): readonly Finding[] {
  const ofData = facts.asked.some(hasAnswered) ? [organization, data, fields] : [];
  return [transport, missing, clockSkew, ...ofData, budget].flatMap((check) => check(facts));
}

/** What the hosts that answered say about the way to them; nothing on this machine without TLS. */
function transport({ asked }: Facts): readonly Finding[] {
  const reached = asked.filter((one) => hasAnswered(one) || one.error?.status !== undefined);
  return [...new Set(reached.map(({ address }) => address))].flatMap((address) => {
    const { host, protocol } = new URL(address);
    if (protocol === 'https:') return [ok('tls', `the certificate of ${host} is trusted`)];
    const seen = `not HTTPS: the key crosses the network to ${host} in clear text`;
    return isInClearText(address) ? [warning('tls', seen, HTTPS_ADVICE)] : [];
  });
}

/** Endpoints that do not exist: another plan, another address, or moved paths. */
function missing({ asked, org }: Facts): readonly Finding[] {
  const absent = asked.filter(isMissing);
  // Paths with the name of an account are absent if it is another's, or may not be known of; and so are those of another kind.
  if (org.account !== undefined || org.kind !== undefined) {
    const check = absent.length === asked.length && org.account !== undefined ? 'account' : undefined;
    return absent.map(({ dataset, error }) =>
      failure(check ?? dataset.name, error?.message ?? '', error?.hint),
    );
  }
  const answered = asked.filter(hasAnswered);
  const isAnalytics = ({ dataset }: Asked) => dataset.kind === 'days';
  const isWithoutPlan = answered.length > 0 && !answered.some(isAnalytics);
  return absent.map((one) => {
    const { name } = one.dataset;
    const { message = '', hint } = one.error ?? {};
    if (absent.length === asked.length)
      return failure('address', `${message}, and so do all endpoints: that is not the platform`, hint);
    if (isWithoutPlan && isAnalytics(one))
      return failure('plan', 'no analytics endpoint exists for this key, but others do (404)', hint);
    const setting = name === 'readiness' ? 'set --api.readiness-path' : 'upgrade the exporter';
    const advice = `the platform has moved this path: ${setting}, or turn it off with --no-collector.${name}`;
    return failure(name, message, advice);
  });
}

/** Of several answers the one that was under way for the shortest time is the nearest. */
function clockSkew({ attempts }: Facts): readonly Finding[] {
  const skews = attempts.map(({ date, at }) => at - (parseHttpDate(date) ?? Number.NaN));
  const [skew] = skews.filter(Number.isFinite).sort((a, b) => Math.abs(a) - Math.abs(b));
  if (skew === undefined) return [];
  const off = Math.abs(skew);
  if (off < CLOCK_WARNING_MS) return [ok('clock', 'as the Date of the answers')];
  const unit = off < 600_000 ? 1000 : 60_000;
  const seen = `${formatDuration(Math.round(off / unit) * unit)} ${skew > 0 ? 'ahead of' : 'behind'} the Date of the answers`;
  const advice = 'synchronize the clock of this machine (NTP): days would be asked for too early or too late';
  return [(off < CLOCK_FAILURE_MS ? warning : failure)('clock', seen, advice)];
}

function organization({ asked, named, org, stored }: Facts): readonly Finding[] {
  const orgIds = [...new Set([...asked.flatMap(({ fetched }) => fetched?.orgId ?? []), ...named])];
  const known = stored?.orgs.find((row) => row['org'] === org.name)?.['org_id'];
  // What another platform or kind has left under the name is set aside by the start of serve.
  const own = typeof known === 'string' && historyOn(org.platform, org).isOwn(known) ? known : undefined;
  const expected = org.orgId ?? own;
  const isKnown = expected !== undefined && expected !== org.platform.identityAlone?.(org);
  const foreign = orgIds.find((id) => isKnown && id !== expected);
  if (foreign !== undefined) {
    const whose = org.orgId === undefined ? 'the stored days are those of' : 'org_id names';
    const advice = 'take a key of that organization; set org_id only if the change is meant';
    const seen = `the key belongs to organization ${foreign}, but ${whose} ${expected}`;
    return [failure('organization', seen, advice)];
  }
  const of = orgIds.length === 0 ? '; no answer names the organization' : `, of ${orgIds.join(', ')}`;
  return [ok('key', `the key is accepted${of}`)];
}

/** Whether an organization has activity; a listing with more pages than are read has. */
function data({ asked }: Facts): readonly Finding[] {
  const isActive = asked.filter(hasAnswered).some(({ dataset, fetched }) => {
    if (fetched === undefined) return true;
    if ('documents' in fetched) return fetched.documents.length > 0;
    return isAnyActive(dataset, fetched);
  });
  if (isActive) return [];
  const seen = `all endpoints answer, but nothing happened within ${DAYS} days: the organization is empty`;
  const advice = 'check that it is the right organization, and that its people use the agent';
  return [warning('data', seen, advice)];
}

function fields({ asked }: Facts): readonly Finding[] {
  const seen = asked.flatMap(({ dataset: { name }, fetched, unread }) => [
    ...(fetched === undefined || fetched.rejected === 0
      ? []
      : [`${name} ${fetched.rejected} unusable values`]),
    ...unread.map((field) => `${name} ${field} not read`),
  ]);
  if (seen.length === 0) return [ok('fields', 'all values can be used')];
  const advice = 'the log of serve names them; upgrade if the platform has changed';
  return [warning('fields', seen.join('; '), advice)];
}

function budget({ config, org, stored, attempts, clock }: Facts): readonly Finding[] {
  const limit = config.api.dailyRequestLimit;
  const asked = `this check sent ${attempts.length}`;
  if (limit === undefined) return [ok('requests', `no daily limit; ${asked}`)];
  const today = stored?.requests.find((row) => row['org'] === org.name && row['day'] === dayOf(clock.now()));
  const count = Number(today?.['requests'] ?? 0);
  const seen = `${count} of ${limit} used today; ${asked}`;
  if (count < limit) return [ok('requests', seen)];
  return [failure('requests', seen, 'raise api.daily_request_limit, or wait for the next UTC day')];
}

/** After such a failure, other requests to the host would fail alike. */
const UNREACHABLE: ReadonlySet<FailureReason> = new Set(['network', 'timeout', 'throttled']);

/** Asks the endpoints of an organization's enabled collectors for the newest days, and reports what is wrong. */
export async function examineOrg(parts: Omit<Facts, 'asked' | 'attempts' | 'named'>): Promise<void> {
  const { config, org } = parts;
  const told = new Set<string>();
  function report(finding: Finding | undefined): void {
    if (finding === undefined) return;
    // One cause for all endpoints is told once.
    const cause = `${finding.check} ${finding.advice}`;
    if (finding.verdict !== 'failure' || !told.has(cause)) parts.report({ ...finding, org: org.name });
    told.add(cause);
  }

  const filled = filledOn(collectors.filter(isFetching), { fills: fillsOf(org.platform) });
  const enabled = filled.filter(({ name }) => config.collectors.get(name) === true);
  for (const address of new Set(enabled.map((one) => addressOf(one, org)))) {
    report(await nameOf(new URL(address), config.api));
  }
  const { ask, attempts, named, close } = createRequests(parts);
  const asked: Asked[] = [];
  try {
    for (const collector of enabled) {
      const ofHost = asked.filter(({ address }) => address === addressOf(collector, org));
      if (ofHost.some(({ error }) => error !== undefined && UNREACHABLE.has(error.reason))) continue;
      const answer = await ask(collector);
      asked.push(answer);
      report(answerOf(answer, parts.clock.now()));
    }
  } finally {
    close();
  }
  for (const finding of ofAllAnswers({ ...parts, asked, attempts, named })) report(finding);
}

/** Resolves the name of a host, or of the proxy that would resolve it; the client says if there is none. */
function nameOf(url: URL, api: ApiConfig): Promise<Finding | undefined> {
  const proxy = parseProxies(api.proxy)(url);
  const name = proxy?.host ?? withoutBrackets(url.hostname);
  const [check, what] =
    proxy === undefined ? ['name', name] : ['proxy', `the proxy ${proxy.name}, for ${url.host}`];
  return lookup(name).then(
    ({ address }) => ok(check, `${what} is ${address === name ? 'an address' : address}`),
    () => undefined,
  );
}
