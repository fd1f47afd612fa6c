import { healthcheckOptions } from '../config/command-options.ts';
import { loadValues } from '../config/load.ts';
import { optionsNamed } from '../config/options.ts';
import { HttpClient } from '../net/http-client.ts';
import { HttpError } from '../net/http-error.ts';
import { type ListenAddress, localPlace } from '../net/listen-address.ts';
import { ConfigError } from '../text/errors.ts';
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

async function ask(address: string, isLocal: boolean): Promise<Answer> {
  let isSecured = false;
  const request = {
    url: new URL(address),
    timeoutMs,
    // Only this machine answers there, and its certificate has another name.
    trustsAny: isLocal,
    onSecured: () => {
      isSecured = true;
    },
  };
  try {
    return await new HttpClient().send(request, async ({ status }) => status);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    if (error.end === 'late') return `no answer within ${timeoutMs / 1000} s`;
    return isSecured && isLocal ? 'asked' : error.original;
  }
}
