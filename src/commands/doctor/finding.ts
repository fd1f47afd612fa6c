import { once } from 'node:events';
import type { Config } from '../../config/config.ts';
import type { Environment } from '../../config/process-environment.ts';
import type { Logger } from '../../log/logger.ts';
import { ConfigError, messageOf } from '../../text/errors.ts';
import type { Clock } from '../../work/clock.ts';

/** What one check has found; texts are without secrets once they are printed. */
export interface Finding {
  /** A short name of what was checked, such as `tls` or `store`. */
  readonly check: string;
  /** The organization, if it is about one. */
  readonly org?: string | undefined;
  readonly verdict: 'ok' | 'warning' | 'failure';
  /** What was seen. */
  readonly seen: string;
  /** What to do about it. */
  readonly advice?: string | undefined;
}

export function ok(check: string, seen: string): Finding {
  return { check, verdict: 'ok', seen };
}

export function warning(check: string, seen: string, advice: string): Finding {
  return { check, verdict: 'warning', seen, advice };
}

export function failure(check: string, seen: string, advice?: string): Finding {
  return { check, verdict: 'failure', seen, advice };
}

/** What checks need. */
export interface Examination {
  readonly config: Config;
  readonly environment: Environment;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Masks a secret that a check reads. */
  remember(secret: string): void;
  report(finding: Finding): void;
  /** Ends the checks, all together. */
  readonly signal: AbortSignal;
}

/** Collects what checks find until a signal ends them. */
export function createFindings(signal: AbortSignal) {
  const findings: Finding[] = [];
  const late = once(signal, 'abort').then(() => Promise.reject(signal.reason));
  // Whoever waits for it gets the error.
  late.catch(() => undefined);

  /** Runs a check until the signal; what it throws is a failure of that check. */
  async function check<Result>(name: string, work: () => Promise<Result>, org?: string) {
    try {
      signal.throwIfAborted();
      return await Promise.race([late, work()]);
    } catch (error) {
      const correct = 'correct it, and run this again';
      const [seen, advice] = signal.aborted
        ? ['not finished by the deadline', 'raise --deadline, or see above']
        : [messageOf(error), error instanceof ConfigError ? (error.hint ?? correct) : undefined];
      findings.push({ ...failure(name, seen, advice), org });
      return undefined;
    }
  }

  return {
    findings: findings as readonly Finding[],
    check,
    /** Of what a check finds afterwards, nothing counts. */
    report(finding: Finding): void {
      if (!signal.aborted) findings.push(finding);
    },
  };
}

const MARKS = { ok: '✓', warning: '!', failure: '✗' } as const;

/**
 * The report, without secrets, as JSON or for a terminal: the findings of the machine first, then those of each organization
 * together.
 */
export function renderFindings(
  found: readonly Finding[],
  format: 'text' | 'json',
  redact: (text: string) => string,
): string {
  // The first finding is about the configuration, so of the machine.
  const byOrg = Map.groupBy(found, ({ org }) => org);
  const findings = [...byOrg.values()].flat().map((finding) => {
    const { seen, advice } = finding;
    return { ...finding, seen: redact(seen), advice: advice && redact(advice) };
  });
  const count = (verdict: Finding['verdict']) => findings.filter((one) => one.verdict === verdict).length;
  if (format === 'json') return `${JSON.stringify({ ok: count('failure') === 0, findings }, null, 2)}\n`;
  const names = findings.map(({ org, check }) => (org === undefined ? check : `${org}: ${check}`));
  const width = Math.max(...names.map(({ length }) => length));
  const lines = findings.flatMap(({ verdict, seen, advice }, index) => [
    `${MARKS[verdict]} ${(names[index] ?? '').padEnd(width)}  ${seen}`,
    ...(advice === undefined || verdict === 'ok' ? [] : [`  ${' '.repeat(width)}  → ${advice}`]),
  ]);
  return `${lines.join('\n')}\n\n${count('ok')} ✓, ${count('warning')} !, ${count('failure')} ✗\n`;
}
