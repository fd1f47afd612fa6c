import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { formatListenAddress, type ListenAddress } from '../config/listen-address.ts';
import type { Environment } from '../config/process-environment.ts';
import { findPaths } from '../hooks/paths.ts';
import { type Answer, createPost, createSecrets, PostError, readToken } from '../hooks/post.ts';
import { messageOf } from '../runtime/errors.ts';
import { codeOf } from '../runtime/files.ts';
import type { Examination } from './doctor-finding.ts';
import { localPlace } from './healthcheck.ts';
import { settingsFor } from './hook-settings.ts';

interface MachineParts extends Examination {
  readonly environment: Environment;
  /** The secrets that are read here, for redaction. */
  readonly secrets: string[];
}

const TIMEOUT_MS = 10_000;
/** What an exporter says to a POST of its health. */
const OURS = 'Allowed methods: GET, HEAD';
/** It has no events, so that a right token makes it a malformed request that changes nothing. */
const NO_EVENTS = JSON.stringify({ events: [] });

/** Checks whether `serve` can listen; resolves with whether an exporter already does. */
export async function examinePort({ config, report }: MachineParts): Promise<boolean> {
  const { listen, configFile } = config.web;
  const address = formatListenAddress(listen);
  const code = await listenTo(listen);
  if (code === undefined) {
    report({ check: 'port', verdict: 'ok', seen: `${address} is free` });
    return false;
  }
  if (code !== 'EADDRINUSE') {
    const why = code === 'EACCES' ? 'this user may not listen there' : `listening failed (${code})`;
    const advice = 'choose another --web.listen-address';
    report({ check: 'port', verdict: 'failure', seen: `${address}: ${why}`, advice });
    return false;
  }
  const answer = await createPost({})({
    url: `http://${localPlace(listen)}/-/healthy`,
    body: '{}',
    timeoutMs: TIMEOUT_MS,
  }).catch(() => undefined);
  const isOurs = answer?.body.includes(OURS) === true;
  if (isOurs) {
    report({ check: 'port', verdict: 'ok', seen: `an exporter answers at ${address}` });
  } else if (configFile !== undefined) {
    const seen = `${address} is in use, by an exporter with TLS or a password as far as can be seen`;
    report({ check: 'port', verdict: 'ok', seen });
  } else {
    const advice = `stop the other program, or choose another --web.listen-address`;
    report({ check: 'port', verdict: 'failure', seen: `${address} is taken by another program`, advice });
  }
  return isOurs;
}

/** The code of the error with which listening fails; undefined if it succeeds. */
function listenTo({ host, port }: ListenAddress): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', (error) => resolve(codeOf(error)));
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.close(() => resolve(undefined));
    });
  });
}

/** Checks the token of hook events: of this exporter, if it runs, and of this machine's agents, if they forward. */
export async function examineHooks({
  config,
  report,
  environment,
  secrets,
  isRunning,
  file,
}: MachineParts & { readonly isRunning: boolean; readonly file: string | undefined }): Promise<void> {
  const own = config.hooks.token;
  if (own !== undefined && isRunning) {
    const token = await own.read();
    secrets.push(token);
    const post = createPost({});
    const url = `http://${localPlace(config.web.listen)}/hooks/events`;
    await send(`the running exporter, with the token from ${own.describe()}`, () =>
      post({ url, body: NO_EVENTS, headers: bearer(token), timeoutMs: TIMEOUT_MS }),
    );
  }
  const paths = findPaths({ config: file, stateDir: undefined }, environment);
  const isForwarding = paths.config.named || existsSync(paths.config.file);
  const forward = isForwarding ? settingsFor(paths).forward : undefined;
  if (forward !== undefined) {
    const post = createPost(config.api.proxy);
    await send(`${new URL(forward.url).host}, as ${paths.config.file} says`, async () => {
      const token = readToken(
        forward.token,
        createSecrets(environment, (secret) => void secrets.push(secret)),
      );
      const { url, caFile } = forward;
      return post({ url, caFile, body: NO_EVENTS, headers: bearer(token), timeoutMs: TIMEOUT_MS });
    });
  } else if (own === undefined || !isRunning) {
    const seen = own === undefined ? 'no token: hook events are not accepted' : 'a token is configured';
    report({ check: 'hooks', verdict: 'ok', seen });
  }

  async function send(where: string, ask: () => Promise<Answer>): Promise<void> {
    try {
      report({ check: 'hooks', ...verdictOn(await ask(), where) });
    } catch (error) {
      const why = error instanceof PostError ? `no answer (${error.message})` : messageOf(error);
      const advice = 'check the url, token and ca_file of its forward section';
      report({ check: 'hooks', verdict: 'failure', seen: `${where}: ${why}`, advice });
    }
  }
}

function bearer(token: string): { readonly authorization: string } {
  return { authorization: `Bearer ${token}` };
}

function verdictOn({ status, body }: Answer, where: string) {
  if (status === 401) {
    const advice = 'give senders and the exporter the same token; a token in a variable needs a restart';
    return { verdict: 'failure', seen: `the hook token is refused by ${where}`, advice } as const;
  }
  if (status === 400 && body.includes('malformed')) {
    return { verdict: 'ok', seen: `the hook token is accepted by ${where}` } as const;
  }
  const advice = status === 404 ? 'configure a hook token for the exporter, or correct the URL' : undefined;
  return { verdict: 'failure', seen: `${where} answers ${status}`, advice } as const;
}
