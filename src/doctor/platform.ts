import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import tls from 'node:tls';
import { clientSettings } from '../app/clients.ts';
import { type FetchingCollector, isDayCollector, isFetching } from '../catalog/collector.ts';
import { addDays, type Day, earlier, later, yesterdayOf } from '../catalog/day.ts';
import type { Source } from '../catalog/source.ts';
import { collectors } from '../collectors/index.ts';
import type { OrgConfig } from '../config/config.ts';
import { createFieldWatch } from '../pipeline/field-watch.ts';
import { failureOf, withRequests } from '../pipeline/run.ts';
import { createPlatformClient } from '../platform/client.ts';
import { isAboutToday } from '../platform/response.ts';
import { PlatformError } from '../runtime/errors.ts';
import { portOf, withoutBrackets } from '../runtime/host-name.ts';
import { parseProxies } from '../runtime/proxy-address.ts';
import {
  type Asked,
  answerOf,
  DAYS,
  type Facts,
  type Fetched,
  MAX_PAGES,
  newestOf,
  type OrgExamination,
  ofAllAnswers,
} from './answers.ts';
import { type Finding, ok } from './finding.ts';

/** How many days the newest one may be before yesterday for a platform that answers "not yet". */
const MAX_DAYS_BEHIND = 3;

/** Asks the endpoints of an organization's enabled collectors for the newest days, and reports what is wrong. */
export async function examineOrg(parts: OrgExamination): Promise<void> {
  const { config, org, clock, signal, version, log } = parts;
  const told = new Set<string>();
  function report(finding: Finding | undefined): void {
    if (finding === undefined) return;
    // One cause for all endpoints is told once.
    const cause = `${finding.check} ${finding.advice}`;
    if (finding.verdict !== 'failure' || !told.has(cause)) parts.report({ ...finding, org: org.name });
    told.add(cause);
  }

  const enabled = collectors.filter(isFetching).filter(({ name }) => config.collectors.get(name) === true);
  for (const address of new Set(enabled.map((one) => addressOf(one, org)))) {
    report(await nameOf(new URL(address), parts));
  }
  const facts: Facts = { ...parts, asked: [], attempts: [] };
  const client = createPlatformClient({
    ...clientSettings(org, config.api),
    observer: {
      request: (attempt) => void facts.attempts.push({ ...attempt, at: clock.now() }),
      retry: () => undefined,
    },
    retries: 0,
    random: Math.random,
    maxPages: MAX_PAGES,
    version,
    clock,
    log,
  });
  const source = withRequests(client, { signal });
  const unreachable = new Set<string>();
  try {
    for (const collector of enabled) {
      if (unreachable.has(addressOf(collector, org))) continue;
      const asked = await ask(collector, source, facts);
      facts.asked.push(asked);
      if (/^(network|timeout|throttled)$/.test(asked.error?.reason ?? '')) unreachable.add(asked.address);
      report(answerOf(asked, facts));
    }
  } finally {
    client.close();
  }
  for (const finding of ofAllAnswers(facts)) report(finding);
}

function addressOf({ dataset }: FetchingCollector, { appUrl, baseUrl }: OrgConfig): string {
  return dataset.name === 'readiness' ? appUrl : baseUrl;
}

/** Resolves the name of a host, or of the proxy that would resolve it; the client says if there is none. */
function nameOf(url: URL, { config }: OrgExamination): Promise<Finding | undefined> {
  const proxy = parseProxies(config.api.proxy)(url);
  const name = proxy?.host ?? withoutBrackets(url.hostname);
  const [check, what] =
    proxy === undefined ? ['name', name] : ['proxy', `the proxy ${proxy.name}, for ${url.host}`];
  return lookup(name).then(
    ({ address }) => ok(check, `${what} is ${address === name ? 'an address' : address}`),
    () => undefined,
  );
}

/** Asks for the documents of a collector, or for its newest days; of an expensive one only for a day that others have. */
async function ask(collector: FetchingCollector, source: Source, facts: Facts): Promise<Asked> {
  const { dataset } = collector;
  const address = addressOf(collector, facts.org);
  const watch = createFieldWatch();
  const compared = { ...source, compare: watch.compare };
  const yesterday = yesterdayOf(facts.clock.now());
  const isExpensive = 'expensive' in collector;
  const known = facts.asked.flatMap((one) => newestOf(one) ?? []).sort();
  const to = (isExpensive ? known.at(-1) : undefined) ?? yesterday;
  const from = isExpensive ? to : later(addDays(yesterday, 1 - DAYS), facts.config.history.start);
  let error: PlatformError | undefined;
  const fetched = await fetchUntil(to).catch((thrown: unknown) => {
    error = failureOf(thrown, facts.log);
    return undefined;
  });
  // A server for TLS says nothing, or 400, to a request in clear text.
  const isRefused = error !== undefined && [undefined, 400].includes(error.status);
  return {
    dataset,
    address,
    path: facts.attempts.findLast(({ endpoint }) => endpoint === dataset.name)?.path ?? dataset.name,
    from,
    fetched,
    error,
    speaksTls: isRefused && address.startsWith('http:') && (await speaksTls(new URL(address))),
    unread: watch.unknown().map((field) => `${dataset.name} ${field}`),
  };

  /** For earlier days if the platform has not come that far. */
  async function fetchUntil(last: Day): Promise<Fetched> {
    if (!isDayCollector(collector)) return collector.fetch(compared);
    try {
      return await collector.fetch(compared, { from: earlier(from, last), to: last });
    } catch (thrown) {
      const isEarly = thrown instanceof PlatformError && isAboutToday(thrown);
      if (!isEarly || last <= addDays(to, -MAX_DAYS_BEHIND)) throw thrown;
      return fetchUntil(addDays(last, -1));
    }
  }
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
