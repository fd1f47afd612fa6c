import type { RequestListener } from 'node:http';
import { follow } from '../config/followed.ts';
import type { Files } from '../files/reader.ts';
import type { Logger } from '../log/logger.ts';
import type { HttpServerDeps } from '../server/http-server.ts';
import { ConfigError } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import { createTokenBucket } from '../work/rate-limiters.ts';
import { createGuard } from './guard.ts';
import { loadWebSettings } from './load.ts';
import { createPasswordChecker } from './passwords/checker.ts';
import { createComparing } from './passwords/comparing.ts';
import { createTlsListener, type TlsListener } from './tls-server.ts';

interface WebConfigDeps {
  readonly file: string;
  readonly files: Files;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Logger;
  readonly openPaths: readonly string[];
  readonly tokenPaths: readonly string[];
}

/** An active web configuration file. */
export type WebConfig = Awaited<ReturnType<typeof openWebConfig>>;

/** Reads a web configuration file; rejects with a `ConfigError`. */
export async function openWebConfig(deps: WebConfigDeps) {
  const { file, clock, log } = deps;
  const openPaths = new Set(deps.openPaths);
  let scheme: 'http' | 'https' | undefined;
  let tls: TlsListener | undefined;
  const settings = await follow(deps.files, async (files) => {
    const read = await loadWebSettings(file, files);
    for (const warning of read.warnings) log.warn('Weak web configuration', { warning });
    const wanted = read.tls === undefined ? 'http' : 'https';
    if (wanted !== (scheme ?? wanted)) {
      throw new ConfigError(
        `${file} ${wanted === 'http' ? 'no longer has' : 'now has'} a tls_server_config`,
        'a running server cannot switch between them: restart it',
      );
    }
    scheme = wanted;
    if (read.tls !== undefined) {
      tls ??= createTlsListener(read.tls, openPaths.size > 0);
      tls.update(read.tls);
    }
    return read;
  });
  const comparing = createComparing();
  const passwords = createPasswordChecker(comparing);

  return {
    scheme: tls === undefined ? ('http' as const) : ('https' as const),
    /** The parts of a server that serves an application according to this file. */
    serve: (app: RequestListener): Pick<HttpServerDeps, 'app' | 'createServer'> => ({
      app: createGuard({
        app,
        settings: settings.current,
        passwords,
        limiter: createTokenBucket(clock),
        isUncertified: (socket) => tls?.isUncertified(socket) === true,
        openPaths,
        tokenPaths: new Set(deps.tokenPaths),
        log,
      }),
      createServer: tls?.createServer,
    }),
    /** Valid but probably unintended settings in effect, one line each with file, line and key. */
    warnings: () => settings.current().warnings,
    /**
     * Reads changed files; resolves with whether there were any. Rejects with a `ConfigError`, and changes nothing, if one cannot
     * be used or the change needs a restart.
     */
    async reload(): Promise<boolean> {
      const isChanged = await settings.refresh();
      if (isChanged) log.info('Web configuration reloaded', { file });
      return isChanged;
    },
    close: comparing.close,
  };
}
