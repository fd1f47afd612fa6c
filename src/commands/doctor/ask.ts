import { clientSettings } from '../../app/clients.ts';
import {
  type FetchedDays,
  type FetchedDocuments,
  type FetchingCollector,
  isDayCollector,
  readerFor,
} from '../../catalog/collector.ts';
import { type DatasetName, hasActivity } from '../../catalog/dataset.ts';
import { addDays, type Day, earlier, type Instant, later, yesterdayOf } from '../../catalog/day.ts';
import { newestNamed } from '../../catalog/day-rules.ts';
import { IncompleteListing } from '../../catalog/source.ts';
import { Client, type RequestObserver } from '../../client/client.ts';
import type { OrgConfig } from '../../config/config.ts';
import { createAgentPool } from '../../net/agents.ts';
import { portOf } from '../../net/host-name.ts';
import { HttpClient } from '../../net/http-client.ts';
import type { ProxySettings } from '../../net/proxy.ts';
import { FieldWatch } from '../../pipeline/field-watch.ts';
import { failureOf, withRequests } from '../../pipeline/run.ts';
import { PlatformError } from '../../text/errors.ts';
import type { Examination } from './finding.ts';

/** The newest days that are asked for. */
export const DAYS = 14;
/** Enough to see that paging works. */
export const MAX_PAGES = 20;
/** How many days the newest one may be before yesterday for a platform that answers "not yet" and does not name it. */
const MAX_DAYS_BEHIND = 3;
/** How long a server may take for a TLS handshake, in milliseconds. */
const TLS_MS = 10_000;

type Fetched = FetchedDays<unknown> | FetchedDocuments<unknown>;

/** The requests of an organization. */
export type Requests = ReturnType<typeof createRequests>;

/** What one endpoint answered. */
export type Asked = Awaited<ReturnType<Requests['ask']>>;

/** Asks the endpoints of an organization; `attempts` lists the requests that were sent, and when their answers came, `named` the organizations that answers name. */
export function createRequests(parts: Examination & { readonly org: OrgConfig }) {
  const { config, org, version, clock, log, signal } = parts;
  const attempts: (Parameters<RequestObserver['request']>[0] & { readonly at: Instant })[] = [];
  const named = new Set<string>();
  const client = new Client({
    ...clientSettings(org, config.api),
    observer: {
      request: (attempt) => void attempts.push({ ...attempt, at: clock.now() }),
      retry: () => undefined,
    },
    identity: {
      async accept({ endpoint }, answer) {
        const id = org.platform.orgIdIn(endpoint, answer, org);
        if (id !== undefined) named.add(id);
      },
    },
    retries: 0,
    random: Math.random,
    maxPages: MAX_PAGES,
    version,
    clock,
    log,
  });
  const yesterday = yesterdayOf(clock.now());
  let newestOfAll: Day | undefined;

  /** Asks for the documents of a collector, or for its newest days; for those of an expensive one by one, from the newest that others have. */
  async function ask(collector: FetchingCollector) {
    const { name } = collector.dataset;
    const address = addressOf(collector, org);
    const rules = org.platform.days[name] ?? {};
    const isExpensive = 'expensive' in collector;
    const { windowDays = isExpensive ? 1 : DAYS } = rules;
    const watch = new FieldWatch();
    const source = withRequests({ ...client, compare: (...given) => watch.compare(...given) }, { signal });
    const to = (isExpensive && newestOfAll) || yesterday;
    const from = later(addDays(to, 1 - DAYS), config.history.start);
    let error: PlatformError | undefined;
    const fetched = await fetchAll().catch((thrown: unknown) => {
      // A listing that reaches the limit of pages has data.
      if (!(thrown instanceof IncompleteListing && thrown.end === 'page-cap')) error = failureOf(thrown, log);
      return undefined;
    });
    const filled = fetched !== undefined && 'rows' in fetched ? [...fetched.rows.keys()] : [];
    const newest = filled.sort().at(-1);
    if (newest !== undefined) newestOfAll = later(newest, newestOfAll ?? newest);
    // A server for TLS says nothing, or 400, to a request in clear text.
    const isRefused = error !== undefined && [undefined, 400].includes(error.status);
    return {
      dataset: collector.dataset,
      rules,
      /** The address of its host. */
      address,
      path: pathOf(name),
      /** The first day that was asked for, and the newest one with a row. */
      from,
      newest,
      /** Undefined if it failed, or has more pages than are read. */
      fetched,
      error,
      /** Whether a server that failed in clear text expects TLS. */
      speaksTls:
        isRefused && address.startsWith('http:') && (await speaksTls(new URL(address), config.api.proxy)),
      /** Fields that are not read. */
      unread: watch.unknown(),
    };

    /** The path that answered first, else the one that was asked last, else that of what another collector has asked for. */
    function pathOf(endpoint: DatasetName): string {
      const own = attempts.filter((attempt) => attempt.endpoint === endpoint);
      const answered = own.find(({ code }) => code.startsWith('2')) ?? own.at(-1);
      return answered?.path ?? org.platform.fields[endpoint]?.path ?? endpoint;
    }

    async function fetchAll(): Promise<Fetched> {
      if (isDayCollector(collector)) return fetchUntil(to);
      return (await readerFor(org.platform, collector.dataset, 'fetchDocuments')).fetchDocuments(source);
    }

    /**
     * Asks for windows of the platform's length, newest first, until one has activity: a platform may need a request for each
     * day, and `serve` may be asking it, too. Begins with an earlier day if the platform has not come that far.
     */
    async function fetchUntil(last: Day): Promise<FetchedDays<unknown>> {
      const first = later(earlier(from, last), addDays(last, 1 - windowDays));
      const reader = await readerFor(org.platform, collector.dataset, 'fetchDays');
      try {
        const fetched = await reader.fetchDays(source, { from: first, to: last });
        if (first <= from || isAnyActive(collector.dataset, fetched)) return fetched;
        return joined(await fetchUntil(addDays(first, -1)), fetched);
      } catch (thrown) {
        if (!(thrown instanceof PlatformError) || !thrown.isNotYet) throw thrown;
        const named = newestNamed(thrown) ?? last;
        if (named >= last && last <= addDays(to, -MAX_DAYS_BEHIND)) throw thrown;
        return fetchUntil(earlier(named, addDays(last, -1)));
      }
    }
  }

  return { ask, attempts, named, close: client.close };
}

/** Whether the answers about some days show activity on any of them. */
export function isAnyActive(
  dataset: FetchingCollector['dataset'],
  { rows }: Pick<FetchedDays<unknown>, 'rows'>,
): boolean {
  return dataset.kind === 'days' && rows.values().some((row) => hasActivity(dataset, row) === true);
}

/** Two answers as one. */
function joined(older: FetchedDays<unknown>, newer: FetchedDays<unknown>): FetchedDays<unknown> {
  return {
    ...newer,
    rows: new Map([...older.rows, ...newer.rows]),
    rejected: older.rejected + newer.rejected,
    remarks: [...older.remarks, ...newer.remarks],
    orgId: newer.orgId ?? older.orgId,
  };
}

/** The address of the host that a collector asks. */
export function addressOf({ dataset }: FetchingCollector, { appUrl, baseUrl }: OrgConfig): string {
  return dataset.name === 'readiness' ? appUrl : baseUrl;
}

/** Whether a server to which the key would go in clear text expects TLS. */
async function speaksTls(url: URL, proxy: ProxySettings | undefined): Promise<boolean> {
  const secured = new AbortController();
  const agents = createAgentPool({ keepAlive: false, maxSockets: 1, limitMs: TLS_MS, proxy });
  const client = new HttpClient({ agents });
  const request = {
    url: new URL(`https://${url.hostname}:${portOf(url)}/`),
    timeoutMs: TLS_MS,
    trustsAny: true,
    signal: secured.signal,
    onSecured: () => secured.abort(),
  };
  await client.send(request, async () => undefined).catch(() => undefined);
  client.close();
  return secured.signal.aborted;
}
