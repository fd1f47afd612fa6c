import type { RequestListener } from 'node:http';
import type { Files } from '../config/files.ts';
import type { Clock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { createTokenBucket } from '../runtime/rate-limiters.ts';
import type { HttpServerDeps } from '../server/http-server.ts';
import { createGuard } from './guard.ts';
import { createPasswordChecker } from './passwords/checker.ts';
import { createComparing } from './passwords/comparing.ts';
import { createReloading, type ReloadOutcome } from './reloading.ts';
import type { WebSettings } from './settings.ts';
import { createTlsListener, type TlsListener } from './tls-server.ts';

interface WebConfigDeps {
  readonly file: string;
  readonly files: Files;
  readonly clock: Pick<Clock, 'elapsed' | 'wait'>;
  readonly log: Logger;
  readonly openPaths: readonly string[];
  readonly tokenPaths: readonly string[];
}

/** An active web configuration file. */
export interface WebConfig {
  readonly scheme: 'http' | 'https';
  /** The parts of a server that serves an application according to this file. */
  serve(app: RequestListener): Pick<HttpServerDeps, 'app' | 'createServer'>;
  /** Reads changed files now; an unusable file changes nothing. */
  reload(): Promise<ReloadOutcome>;
  /** Reloads the files whenever they change, until closed; reports when they become unusable and usable again. */
  watch(notify: (problem: string | undefined) => void): void;
  close(): Promise<void>;
}

/** Reads a web configuration file; rejects with a `ConfigError`. */
export async function openWebConfig(deps: WebConfigDeps): Promise<WebConfig> {
  const { clock, log } = deps;
  let tls: TlsListener | undefined;
  const reloading = await createReloading({ ...deps, apply });
  const initial = reloading.current();
  const openPaths = new Set(deps.openPaths);
  if (initial.tls !== undefined) tls = createTlsListener(initial.tls, openPaths.size > 0);
  const comparing = createComparing();
  const passwords = createPasswordChecker(comparing);
  const stopping = new AbortController();

  function apply(settings: WebSettings): void {
    if ((settings.tls === undefined) !== (tls === undefined)) {
      const change = settings.tls === undefined ? 'no longer has' : 'now has';
      throw new ConfigError(
        `${deps.file} ${change} a tls_server_config`,
        'a running server cannot switch between them: restart it',
      );
    }
    if (settings.tls !== undefined) tls?.update(settings.tls);
  }

  return {
    scheme: tls === undefined ? 'http' : 'https',
    serve: (app) => ({
      app: createGuard({
        app,
        settings: reloading.current,
        clock,
        passwords,
        limiter: createTokenBucket(clock),
        isUncertified: (socket) => tls?.isUncertified(socket) === true,
        openPaths,
        tokenPaths: new Set(deps.tokenPaths),
        log,
      }),
      createServer: tls?.createServer,
    }),
    reload: reloading.reload,
    watch(notify) {
      reloading.watch(stopping.signal, notify).catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error('Web configuration no longer watched', { error });
      });
    },
    async close() {
      stopping.abort();
      await comparing.close();
    },
  };
}
