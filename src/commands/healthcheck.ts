import { get } from 'node:http';
import { healthcheckOptions } from '../config/command-options.ts';
import type { ListenAddress } from '../config/listen-address.ts';
import { formatListenAddress } from '../config/listen-address.ts';
import { loadValues } from '../config/load.ts';
import { createOptions } from '../config/options.ts';
import { ConfigError, messageOf } from '../runtime/errors.ts';
import type { CommandContext } from './command.ts';

const timeoutMs = 5000;

/** Asks an exporter's `/-/healthy`; exit code 0 where it answers 200 within 5 seconds, else 1. */
export async function run(context: CommandContext): Promise<number> {
  const shared = createOptions([]);
  const values = await loadValues(
    {
      ...healthcheckOptions,
      'config.file': shared['config.file'],
      'web.listen-address': shared['web.listen-address'],
    },
    context,
  );
  const base = values.url ?? localAddress(values['web.listen-address']);
  if (!base.startsWith('http://')) throw new ConfigError('--url: must begin with http://');
  const url = `${base}/-/healthy`;
  try {
    const status = await ask(url);
    const healthy = status === 200;
    context.stdout.write(healthy ? 'healthy\n' : `unhealthy: ${url} answered ${status}\n`);
    return healthy ? 0 : 1;
  } catch (error) {
    context.stdout.write(`unhealthy: ${url}: ${messageOf(error)}\n`);
    return 1;
  }
}

/** The address under which a server on this machine is reached. */
function localAddress({ host, port }: ListenAddress): string {
  if (port === 0) {
    throw new ConfigError('--web.listen-address: port 0 is no port to ask', 'name the exporter with --url');
  }
  const everywhere = host === undefined || host === '0.0.0.0' || host === '::';
  return `http://${formatListenAddress({ host: everywhere ? '127.0.0.1' : host, port })}`;
}

function ask(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(url, { signal: AbortSignal.timeout(timeoutMs), agent: false }, (response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', (error) => {
      reject(error.name === 'AbortError' ? new Error(`no answer within ${timeoutMs / 1000} s`) : error);
    });
  });
}
