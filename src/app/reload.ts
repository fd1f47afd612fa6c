import type { Instant } from '../catalog/day.ts';
import { type LiveConfig, type OrgChanges, restartOptions, type StartConfig } from '../config/config.ts';
import { idleTeamBudgets, pathTwiceIn } from '../config/orgs.ts';
import type { Logger } from '../log/logger.ts';
import type { ConfigurationStatus } from '../page/status.ts';
import { ConfigError, messageOf } from '../text/errors.ts';
import type { Reloadable, ReloadOutcome } from '../work/reload.ts';
import type { Core } from './core.ts';

/** The reload of the configuration and other files. The current configuration counts as just read. */
export class Reload {
  readonly #sources: readonly Reloadable[];
  readonly #core: Pick<Core, 'instruments' | 'clock' | 'log'>;
  #readAt: Instant;
  /** By name of a source, the reason why its latest content is not in use. */
  readonly #problems = new Map<string, string>();

  /** Reloads these sources, in this order. */
  constructor(sources: readonly Reloadable[], core: Pick<Core, 'instruments' | 'clock' | 'log'>) {
    this.#sources = sources;
    this.#core = core;
    this.#readAt = core.clock.now();
  }

  state(): ConfigurationStatus {
    const [problem] = this.#problems.values();
    return { readAt: this.#readAt, problem };
  }

  /** Records whether a source that reloads itself is failing, and why. */
  note(name: string, problem: string | undefined): void {
    if (problem === undefined) this.#problems.delete(name);
    else this.#problems.set(name, problem);
    this.#record();
  }

  /** Reloads all sources. Never rejects; callers wait for it before they call it again. */
  async run(): Promise<ReloadOutcome> {
    const problems = this.#problems;
    const notes: string[] = [];
    const missed: string[] = [];
    for (const { name, reload } of this.#sources) {
      try {
        const reloaded = await reload();
        notes.push(...reloaded.notes);
        if (reloaded.missed !== undefined) missed.push(reloaded.missed);
        problems.delete(name);
      } catch (error) {
        const hint = error instanceof ConfigError ? error.hint : undefined;
        this.#core.log.error('Reload failed; keeping the previous configuration', {
          what: name,
          error,
          hint,
        });
        problems.set(name, hint === undefined ? messageOf(error) : `${messageOf(error)}. Hint: ${hint}`);
      }
    }
    this.#record();
    // A file that the configuration names may be followed by itself, too, and then fails twice.
    const failed = new Set([...problems.values(), ...missed]);
    if (problems.size > 0) return { ok: false, problem: [...failed].join('; ') };
    if (missed.length > 0) return { ok: false, problem: missed.join('; '), isInUse: true };
    return { ok: true, notes: notes.length > 0 ? notes : undefined };
  }

  #record(): void {
    if (this.#problems.size === 0) this.#readAt = this.#core.clock.now();
    this.#core.instruments.configReload(this.#problems.size === 0);
  }
}

/** Notes changed options that require a restart, and logs each set of them once. */
export class RestartNotes {
  readonly #start: StartConfig;
  readonly #log: Logger;
  #last = '';

  constructor(start: StartConfig, log: Logger) {
    this.#start = start;
    this.#log = log;
  }

  of(now: StartConfig): readonly string[] {
    const options = restartOptions(this.#start, now)
      .map((option) => `--${option}`)
      .join(' ');
    if (options !== '' && options !== this.#last)
      this.#log.warn('Changed options take effect after a restart', { options });
    this.#last = options;
    return options === '' ? [] : [`Changed options take effect after a restart: ${options}`];
  }
}

/**
 * Notes and logs what is valid in a configuration, and cannot be meant: an address with the path that every request adds, and a
 * budget that limits nothing.
 */
export function noteOversights({ orgs, people, shard }: LiveConfig, log: Logger): readonly string[] {
  const notes: string[] = [];
  for (const org of orgs) {
    const twice = pathTwiceIn(org);
    if (twice === undefined) continue;
    const hint = `leave out ${twice.path}`;
    log.warn('base_url has the path of the API already; its requests will not be found', {
      ...{ org: org.name, base_url: org.baseUrl, hint },
    });
    notes.push(`base_url of ${org.name}: requests go to ${twice.wrong}; ${hint}`);
  }
  const { teamBudgets } = people.current();
  const teams = teamBudgets.size > 0 ? idleTeamBudgets(orgs, teamBudgets, shard).join(', ') : '';
  if (teams !== '') {
    const hint =
      'give them in the currency of an organization, or in credits where its platform counts credits';
    log.warn('Budgets of teams limit nothing: no organization counts in their unit', { teams, hint });
    notes.push(`budgets of ${teams} limit nothing: no organization counts in their unit; ${hint}`);
  }
  return notes;
}

/** The organizations that a reload has changed, as log fields. */
export function namesOf(changes: OrgChanges): Readonly<Record<string, string>> {
  const named = Object.entries(changes).map(([change, names]) => [change, names.join(' ')]);
  return Object.fromEntries(named.filter(([, names]) => names !== ''));
}
