import { lookup } from 'node:dns/promises';
import { filledOn, fillsOf, isFetching } from '../../catalog/collector.ts';
import { collectors } from '../../collectors/index.ts';
import type { ApiConfig } from '../../config/config.ts';
import { withoutBrackets } from '../../net/host-name.ts';
import { parseProxies } from '../../net/proxy-address.ts';
import type { FailureReason } from '../../text/errors.ts';
import { answerOf, type Facts, ofAllAnswers } from './answers.ts';
import { type Asked, addressOf, createRequests } from './ask.ts';
import { type Finding, ok } from './finding.ts';

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
