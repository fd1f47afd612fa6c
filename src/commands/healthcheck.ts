import type { TLSSocket } from 'node:tls';
import { healthcheckOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import { optionsNamed } from '../config/options.ts';
import { connectAttemptMs, httpClient } from '../net/http-client.ts';
import { type ListenAddress, localPlace } from '../net/listen-address.ts';
import { ConfigError, messageOf } from '../text/errors.ts';
import type { CommandContext } from './command.ts';

const timeoutMs = 5000;

/**
 * Requests an exporter's `/-/healthy`; exit code 0 if it answers 200 within 5 seconds, otherwise 1. With a web
 * configuration file the exporter may require a password or a client certificate, which this command does not have: a
 * demand for one then proves that it is alive.
 */
export async function run(context: CommandContext): Promise<number> {
  const shared = optionsNamed('config.file', 'web.listen-address', 'web.config.file');
  const values = await loadValues({ ...healthcheckOptions, ...shared }, context);
  const isGuarded = values['web.config.file'] !== undefined;
  const isLocal = values.url === undefined;
  const place = values.url ?? knownPlace(values['web.listen-address']);
  // The file itself is not read: it may have changed since the exporter last used it.
  const schemes = isGuarded ? ['https://', 'http://'] : ['http://'];
  let url = '';
  let answer: Answer = '';
  for (const scheme of isLocal ? schemes : ['']) {
    url = `${scheme}${place}/-/healthy`;
    answer = await ask(url, isLocal);
    if (typeof answer === 'number' || answer === 'asked') break;
  }
  const healthy = answer === 200 || (isGuarded && (answer === 401 || answer === 'asked'));
  const said = typeof answer === 'number' ? ` answered ${answer}` : `: ${answer}`;
  context.stdout.write(healthy ? 'healthy\n' : `unhealthy: ${url}${said}\n`);
  return healthy ? 0 : 1;
}

/** The answer: a status, `asked` if the connection was cut after the handshake, or a description of the failure. */
type Answer = number | 'asked' | string;

function knownPlace(address: ListenAddress): string {
  if (address.port !== 0) return localPlace(address);
  throw new ConfigError(
    '--web.listen-address: port 0 cannot be checked',
    'give the URL of the exporter with --url',
  );
}

function ask(url: string, isLocal: boolean): Promise<Answer> {
  const client = httpClient(url.startsWith('https:'));
  return new Promise((resolve) => {
    let isSecured = false;
    const options = {
      signal: AbortSignal.timeout(timeoutMs),
      agent: false as const,
      // Only this machine answers there, and its certificate has another name.
      rejectUnauthorized: !isLocal,
      autoSelectFamilyAttemptTimeout: connectAttemptMs(timeoutMs),
    };
    const request = client.get(url, options, (response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.on('socket', (socket) => {
      (socket as TLSSocket).once('secureConnect', () => {
        isSecured = true;
      });
    });
    request.on('error', (error) => {
      if (error.name === 'AbortError') resolve(`no answer within ${timeoutMs / 1000} s`);
      else resolve(isSecured && isLocal ? 'asked' : messageOf(error));
    });
  });
}
