import type { AlertDeclaration } from '../../../alerts/src/rule.ts';
import type { PrometheusServer } from '../../../test/system/prometheus-server.ts';
import { STEP_S } from './recording.ts';

type Labels = Readonly<Record<string, string>>;

/** An alert that fires, with times in seconds. */
export interface Episode {
  readonly alert: string;
  readonly severity: string;
  readonly labels: Labels;
  readonly from: number;
  readonly until: number;
}

interface Span {
  readonly from: number;
  readonly until: number;
}

const HYSTERESIS = /\n\s*and on \([\w,]+\) last_over_time\(ALERTS\{[^}]*\}\[1h\]\)/;

/** Evaluates an alert's expression at every step, and applies its durations and its hysteresis as Prometheus would. */
export async function episodesOf(
  prometheus: PrometheusServer,
  alert: AlertDeclaration,
  { from, until }: Span,
): Promise<readonly Episode[]> {
  const { name, expr, severity } = alert;
  // Without its own alert, the expression is that of a fire that begins; without the condition, of one that goes on.
  const begins = await stepsOf(expr.replace(HYSTERESIS, '\n  and on (org) vector(0) == 1'));
  const goesOn = HYSTERESIS.test(expr) ? await stepsOf(expr.replace(HYSTERESIS, '')) : begins;
  const found: Episode[] = [];
  for (const [key, { labels, times }] of goesOn) {
    for (const span of fired(begins.get(key)?.times ?? new Set(), times, alert, { from, until }))
      found.push({ ...span, alert: name, severity, labels });
  }
  return found;

  async function stepsOf(query: string) {
    const series = await prometheus.range(query, from, until - STEP_S, STEP_S);
    return new Map(
      series.map(({ labels: { __name__: _, ...labels }, values }) => [
        JSON.stringify(Object.entries(labels).sort()),
        { labels, times: new Set(values.map(([time]) => time)) },
      ]),
    );
  }
}

/** When an alert fires whose expression holds at some times: pending for `for`, and kept for `keep_firing_for`. */
function fired(
  begins: ReadonlySet<number>,
  goesOn: ReadonlySet<number>,
  { for: wait, keepFiringFor }: Pick<AlertDeclaration, 'for' | 'keepFiringFor'>,
  { from, until }: Span,
): readonly Span[] {
  const found: Span[] = [];
  let since: number | undefined;
  let start: number | undefined;
  let last = 0;
  for (let time = from; time < until; time += STEP_S) {
    const holds = begins.has(time) || (start !== undefined && goesOn.has(time));
    if (holds) {
      since ??= time;
      last = time;
      if (time - since >= seconds(wait)) start ??= time;
    } else if (start === undefined || time - last > seconds(keepFiringFor ?? '0m')) {
      if (start !== undefined) found.push({ from: start, until: time });
      since = undefined;
      start = undefined;
    }
  }
  if (start !== undefined) found.push({ from: start, until });
  return found;
}

/** A duration such as `15m`, in seconds. */
export function seconds(duration: string): number {
  const [, amount = '0', unit = 's'] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  return Number(amount) * ({ s: 1, m: 60, h: 3600, d: 86_400 }[unit] ?? Number.NaN);
}
