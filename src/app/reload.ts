import { type OrgChanges, restartOptions } from '../config/changes.ts';
import type { OrgConfig, StartConfig } from '../config/config.ts';
import { apiPathOf } from '../config/orgs.ts';
import type { Logger } from '../log/logger.ts';
import type { ConfigurationStatus } from '../page/status.ts';
import { ConfigError, messageOf } from '../text/errors.ts';
import type { Reloadable, ReloadOutcome } from '../work/reload.ts';
import type { Core } from './core.ts';

/**
 * Creates the reload of the configuration and other files: of these sources, in this order. The current configuration counts as just
 * read.
 */
export function createReload(
  parts: readonly Reloadable[],
  { instruments, clock, log }: Pick<Core, 'instruments' | 'clock' | 'log'>,
) {
  let readAt = clock.now();
  /** Why the latest content of a source is not in use, by its name. */
  const problems = new Map<string, string>();

  function record(): void {
    if (problems.size === 0) readAt = clock.now();
    instruments.configReload(problems.size === 0);
  }

  return {
    state(): ConfigurationStatus {
      const [problem] = problems.values();
      return { readAt, problem };
    },
    /** Records whether a source that reloads itself is failing, and why. */
    note(name: string, problem: string | undefined): void {
      if (problem === undefined) problems.delete(name);
      else problems.set(name, problem);
      record();
    },
    /** Must not be called again before it has resolved; never rejects. */
    async run(): Promise<ReloadOutcome> {
      const notes: string[] = [];
      const missed: string[] = [];
      for (const { name, reload } of parts) {
        try {
          const reloaded = await reload();
          notes.push(...reloaded.notes);
          if (reloaded.missed !== undefined) missed.push(reloaded.missed);
          problems.delete(name);
        } catch (error) {
          const hint = error instanceof ConfigError ? error.hint : undefined;
          log.error('Reload failed; keeping the previous configuration', { what: name, error, hint });
          problems.set(name, hint === undefined ? messageOf(error) : `${messageOf(error)}. Hint: ${hint}`);
        }
      }
      record();
      if (problems.size > 0) return { ok: false, problem: [...problems.values(), ...missed].join('; ') };
      if (missed.length > 0) return { ok: false, problem: missed.join('; '), isInUse: true };
      return { ok: true, notes: notes.length > 0 ? notes : undefined };
    },
  };
}

/** Notes changed options that require a restart, and logs each set of them once. */
export function createRestartNote(start: StartConfig, log: Logger): (now: StartConfig) => readonly string[] {
  let last = '';
  return (now) => {
    const options = restartOptions(start, now)
      .map((option) => `--${option}`)
      .join(' ');
    if (options !== '' && options !== last)
      log.warn('Changed options take effect after a restart', { options });
    last = options;
    return options === '' ? [] : [`Changed options take effect after a restart: ${options}`];
  };
}

/** Notes and logs each organization whose address already has the path that every request adds. */
export function noteAddresses(
  orgs: readonly Pick<OrgConfig, 'name' | 'baseUrl'>[],
  log: Logger,
): readonly string[] {
  return orgs.flatMap(({ name: org, baseUrl }) => {
    const path = apiPathOf(baseUrl);
    if (path === undefined) return [];
    const hint = `leave out ${path}`;
    log.warn('base_url has the path of the API already; its requests will not be found', {
      org,
      base_url: baseUrl,
      hint,
    });
    return [`base_url of ${org}: requests go to ${path}/api/v1/…; ${hint}`];
  });
}

/** The organizations that a reload has changed, as log fields. */
export function namesOf(changes: OrgChanges): Readonly<Record<string, string>> {
  const named = Object.entries(changes).map(([change, names]) => [change, names.join(' ')]);
  return Object.fromEntries(named.filter(([, names]) => names !== ''));
}
