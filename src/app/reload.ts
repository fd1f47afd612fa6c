import { isFetching } from '../catalog/collector.ts';
import type { Instant } from '../catalog/day.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import { changesBetween } from '../config/changes.ts';
import type { Config } from '../config/config.ts';
import type { Instruments } from '../exposition/instruments.ts';
import type { Publisher } from '../pipeline/publisher.ts';
import type { Runner } from '../pipeline/runner.ts';
import type { RunBook } from '../pipeline/runs.ts';
import type { Clock } from '../runtime/clock.ts';
import { ConfigError, messageOf } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Reloadable, ReloadOutcome } from '../runtime/reload.ts';
import type { Polling, PollingTarget } from './polling.ts';
import { createSetup, type Setup } from './setup.ts';

export interface ReloadParts {
  readonly setup: () => Setup;
  /** Reads the configuration again; rejects with a `ConfigError`. Not given where it stays as it was. */
  readonly loadConfig: (() => Promise<Config>) | undefined;
  /** What else reads files again. */
  readonly others: readonly Reloadable[];
  readonly polling: Polling;
  readonly publisher: Publisher;
  readonly runner: Runner;
  readonly runs: RunBook;
  readonly instruments: Instruments;
  readonly clock: Clock;
  readonly log: Logger;
  /** Puts another setup in place of the one before, from one moment to the next. */
  take(next: Setup): void;
  /** Tells the counters and the book of what is new in the setup. */
  introduce(): Promise<void>;
  /** Publishes everything anew. */
  publish(): Promise<void>;
}

/** What the status page says about the configuration. */
export interface ReloadState {
  /** When the configuration in use was read. */
  readonly readAt: Instant;
  /** Why the one that was read last is not in use. */
  readonly problem?: string;
}

/** Reads the configuration again and lets the running service follow it. */
export interface Reload {
  /** Must not be called again before it has resolved; never rejects. */
  run(): Promise<ReloadOutcome>;
  /** Takes note of how something that follows its files by itself is: by a problem, or that it has none (any more). */
  note(name: string, problem: string | undefined): void;
  state(): ReloadState;
}

/** Creates the reload; the configuration at hand counts as just read. */
export function createReload(parts: ReloadParts): Reload {
  const { polling, publisher, runner, runs, instruments, clock, log } = parts;
  let readAt = clock.now();
  /** Why something is not used as it was read last, by its name. */
  const problems = new Map<string, string>();
  let told = '';

  async function applyConfig(config: Config): Promise<void> {
    const before = parts.setup();
    const next = createSetup(config);
    const changes = changesBetween(before.config, config);
    const prepared = await polling.prepare(next, changes);
    parts.take(next);
    tellFixed(changes.fixed);
    const gone = await polling.retire(changes, prepared);
    for (const org of changes.removed) publisher.forget(org);
    await forget(gone, changes.removed, before);
    await parts.introduce();
    polling.adopt();
    await parts.publish();
    const { added, removed, moved } = changes;
    log.info('The configuration was read again', {
      organizations: next.orgs.size,
      ...(added.length > 0 && { added: added.join(' ') }),
      ...(removed.length > 0 && { removed: removed.join(' ') }),
      ...(moved.length > 0 && { moved: moved.join(' ') }),
    });
  }

  /** Lets nothing remain of what is polled no longer: its last state would never change again. */
  async function forget(
    gone: readonly PollingTarget[],
    removed: readonly string[],
    before: Setup,
  ): Promise<void> {
    for (const { org, collector } of gone) {
      runs.forget(org, collector);
      runner.forget(org, collector);
    }
    for (const org of removed) await instruments.forgetOrg(org);
    const { names, orgs, fetching } = parts.setup();
    const fetched = new Set(fetching.map(({ dataset }) => dataset.name));
    for (const collector of allCollectors.filter(({ name }) => before.names.has(name) && !names.has(name))) {
      const dataset = collector.dataset.name;
      for (const org of orgs.keys()) {
        await instruments.forgetCollector({
          org,
          collector: collector.name,
          dataset: isFetching(collector) && !fetched.has(dataset) ? dataset : undefined,
          metrics: new Set(collector.families.map(({ name }) => name)),
        });
      }
    }
  }

  function tellFixed(options: readonly string[]): void {
    const text = options.map((option) => `--${option}`).join(' ');
    if (text === told) return;
    told = text;
    if (text !== '') log.warn('Changed options that count only from the next start on', { options: text });
  }

  function tellState(): void {
    if (problems.size === 0) readAt = clock.now();
    instruments.configReload(problems.size === 0);
  }

  return {
    state() {
      const [problem] = problems.values();
      return problem === undefined ? { readAt } : { readAt, problem };
    },
    note(name, problem) {
      if (problem === undefined) problems.delete(name);
      else problems.set(name, problem);
      tellState();
    },
    async run() {
      const steps: readonly Reloadable[] = [
        {
          name: 'the configuration',
          async reload() {
            if (parts.loadConfig !== undefined) await applyConfig(await parts.loadConfig());
          },
        },
        ...parts.others,
      ];
      for (const { name, reload } of steps) {
        try {
          await reload();
          problems.delete(name);
        } catch (error) {
          const hint = error instanceof ConfigError ? error.hint : undefined;
          log.error('What was read again cannot be used, what was before stays', { what: name, error, hint });
          problems.set(name, messageOf(error));
        }
      }
      tellState();
      return problems.size === 0 ? { ok: true } : { ok: false, problem: [...problems.values()].join('; ') };
    },
  };
}
