import { tokenProblem } from '../../agent/forward/token-problem.ts';
import { findPaths } from '../../agent/paths.ts';
import { createPost, createSecrets, readToken } from '../../agent/post.ts';
import { settingsFor } from '../../agent/settings/settings-for.ts';
import { codeOf } from '../../files/local-file.ts';
import { HttpError } from '../../net/http-error.ts';
import { formatListenAddress, localPlace } from '../../net/listen-address.ts';
import { createHttpServer } from '../../server/http-server.ts';
import { messageOf } from '../../text/errors.ts';
import { type Examination, failure, ok } from './finding.ts';

const TIMEOUT_MS = 10_000;
/** What an exporter says to a POST of its health. */
const OURS = 'Allowed methods: GET, HEAD';

/** Checks whether `serve` can listen, as it does; resolves with whether an exporter already does. */
export async function examinePort({ config, report, clock }: Examination): Promise<boolean> {
  const { listenAddress: listen, configFile } = config.web;
  const address = formatListenAddress(listen);
  const server = createHttpServer({ app: () => undefined, clock, maxConnections: 1 });
  try {
    await server.listen(listen);
    await server.close();
    report(ok('port', `${address} is free`));
    return false;
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error;
  }
  const url = `http://${localPlace(listen)}/-/healthy`;
  const asked = createPost({})({ url, body: '{}', timeoutMs: TIMEOUT_MS });
  const isOurs = (await asked.catch(() => undefined))?.body.includes(OURS) === true;
  if (isOurs) report(ok('port', `an exporter answers at ${address}`));
  else if (configFile !== undefined) {
    report(ok('port', `${address} is in use, by an exporter with TLS or a password as far as can be seen`));
  } else {
    const advice = 'stop the other program, or choose another --web.listen-address';
    report(failure('port', `${address} is taken by another program`, advice));
  }
  return isOurs;
}

/** Checks the token of hook events: of this exporter, if it runs, and of this machine's agents, if they forward. */
export async function examineHooks(
  { config, report, environment, remember }: Examination,
  isRunning: boolean,
  file: string | undefined,
): Promise<void> {
  const own = config.hooks.token;
  if (own !== undefined && isRunning) {
    await verify(`the running exporter, with the token from ${own.describe()}`, async () => {
      const token = await own.read();
      remember(token);
      const url = `http://${localPlace(config.web.listenAddress)}/hooks/events`;
      return tokenProblem({ url, token }, createPost({}));
    });
  }
  const paths = findPaths({ config: file, stateDir: undefined }, environment);
  const { forward } = settingsFor(paths);
  if (forward !== undefined) {
    await verify(`${new URL(forward.url).host}, as ${paths.config.file} says`, async () => {
      const token = readToken(forward.token, createSecrets(environment, remember));
      return tokenProblem({ ...forward, token }, createPost(config.api.proxy));
    });
  } else if (own === undefined) report(ok('hooks', 'no token: hook events are not accepted'));
  else if (!isRunning) report(ok('hooks', 'a token is configured'));

  async function verify(where: string, ask: () => Promise<string | undefined>): Promise<void> {
    try {
      const problem = await ask();
      const advice = 'give senders and the exporter the same token; a token in a variable needs a restart';
      if (problem === undefined) report(ok('hooks', `the hook token is accepted by ${where}`));
      else report(failure('hooks', `${where}: ${problem}`, advice));
    } catch (error) {
      const why = error instanceof HttpError ? `no answer (${error.message})` : messageOf(error);
      report(failure('hooks', `${where}: ${why}`, 'check the url, token and ca_file of its forward section'));
    }
  }
}
