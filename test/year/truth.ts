import type { Instant } from '../../src/catalog/day.ts';
import type { createRules } from './rules.ts';
import { type Dataset, HOUR, type World } from './world.ts';

type Rules = ReturnType<typeof createRules>;

/** What one published sample is held to. */
export interface Claim {
  readonly family: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** The day that the family's dataset is published for. */
  readonly index: number;
}

/** `true`: as the platform says; `early`: a provisional zero of a day that gets a row; `open`: a figure in motion. */
export type Verdict = 'true' | 'zero' | 'early' | 'open' | 'false';

/** How far back a revision that has not been asked for yet may lie. */
const PASS_MS = 26 * HOUR;
const MAIN: Readonly<Record<string, Dataset>> = {
  daily_credits: 'tokens',
  daily_tool_calls: 'tools',
  daily_sessions: 'activity',
};
const PARTS: Readonly<Record<string, Dataset>> = {
  daily_credits_by_model: 'tokens',
  daily_tool_calls_by_tool: 'tools',
};
const OF_DATASET: Readonly<Record<string, Dataset>> = {
  daily_tokens: 'tokens',
  daily_credits_unattributed: 'tokens',
  daily_mcp_users: 'tools',
  daily_skill_invocations: 'tools',
  daily_slash_command_invocations: 'tools',
  daily_hook_invocations: 'tools',
  daily_web_users: 'tools',
  daily_active_users: 'activity',
  daily_messages: 'activity',
};

/** The part of a main number that the first of two models (tools) has. */
export function firstPart(main: number, both: boolean): number {
  return both ? Math.ceil(main * 0.6) : main;
}

/** The dataset that a family of the world describes. */
export function datasetOf(family: string): Dataset {
  return MAIN[family] ?? PARTS[family] ?? OF_DATASET[family] ?? 'tokens';
}

/**
 * Judges figures by the world alone. `rules` are those of the last time that the platform could be asked: by them a
 * zero may have been provisional. `calm` is when it could last be asked for everything.
 */
export function createTruth(world: World, at: Instant, rules: Rules, calm: Instant) {
  const since = calm - PASS_MS;

  /** The values that a dataset may be published with for a day, where nobody asked later than must be. */
  function versions(dataset: Dataset, index: number) {
    return world.rowsWithin(dataset, index, since, at).filter((version) => version !== undefined);
  }

  function ofDay({ family, labels, value, index }: Claim): Verdict {
    const dataset = datasetOf(family);
    const isIdleZero = value === 0 && !(family in PARTS);
    if (!world.isActive(dataset, index)) return isIdleZero ? 'zero' : 'false';
    const rows = versions(dataset, index);
    if (family in PARTS) {
      const isFirst = Object.values(labels).includes('a');
      const parts = rows.map(({ main, both }) => {
        const first = firstPart(main, both);
        return isFirst ? first : main - first;
      });
      return parts.includes(value) ? 'true' : 'false';
    }
    if (family in MAIN && rows.some(({ main }) => main === value)) return 'true';
    if (family === 'daily_credits_unattributed' && value === 0) return 'true';
    return isIdleZero && rules.stateOf(dataset, index) === 'provisional' ? 'early' : 'false';
  }

  /** The credits of a day; `open` where several are right, undefined where they cannot be known. */
  function creditsOf(index: number): number | 'open' | undefined {
    return index < 0 || rules.stateOf('tokens', index) === 'unknown' ? undefined : trueCreditsOf(index);
  }

  function trueCreditsOf(index: number): number | 'open' | undefined {
    if (index < 0) return undefined;
    if (!world.isActive('tokens', index)) return 0;
    if (rules.stateOf('tokens', index) === 'provisional') return 'open';
    const values = new Set(versions('tokens', index).map(({ main }) => main));
    return values.size === 1 ? [...values][0] : 'open';
  }

  function sumOf(indices: readonly number[]): number | 'open' | undefined {
    const credits = indices.map(trueCreditsOf);
    if (credits.includes(undefined)) return undefined;
    return credits.includes('open') ? 'open' : (credits as number[]).reduce((sum, one) => sum + one, 0);
  }

  function forecast(index: number): number | 'open' | undefined {
    const soFar = sumOf(monthTo(index));
    const rest = restOfMonth(index).map((ahead) => {
      const known: (number | 'open')[] = [];
      for (let back = ahead - 7; back >= 0 && known.length < 4; back -= 7) {
        const credits = back > index ? undefined : creditsOf(back);
        if (credits !== undefined) known.push(credits);
      }
      return known.includes('open') ? 'open' : (known as number[]).reduce((a, b) => a + b, 0) / known.length;
    });
    if (soFar === undefined) return undefined;
    if (soFar === 'open' || rest.includes('open')) return 'open';
    return (rest as number[]).reduce((sum, one) => sum + one, soFar);
  }

  function expected(index: number): number | 'open' | undefined {
    const weeks = Array.from({ length: 8 }, (_, week) => creditsOf(index - 7 * (week + 1)));
    const known = weeks.filter((credits) => credits !== undefined);
    if (known.includes('open')) return 'open';
    if (known.length < 3) return undefined;
    return median(known as number[]);
  }

  function upper(index: number): number | 'open' | undefined {
    const middle = expected(index);
    if (typeof middle !== 'number') return middle;
    const weeks = Array.from({ length: 8 }, (_, week) => creditsOf(index - 7 * (week + 1)));
    const known = weeks.filter((credits) => typeof credits === 'number');
    const deviation = median(known.map((credits) => Math.abs(credits - middle)));
    return Math.max(middle + 3 * 1.4826 * deviation, 2 * middle);
  }

  function monthTo(index: number): number[] {
    const day = Number(world.dayAt(index).slice(8));
    return Array.from({ length: day }, (_, back) => index - back);
  }

  function restOfMonth(index: number): number[] {
    const month = world.dayAt(index).slice(0, 7);
    const rest: number[] = [];
    for (let ahead = index + 1; world.dayAt(ahead).startsWith(month); ahead++) rest.push(ahead);
    return rest;
  }

  const span = (index: number, days: number) => Array.from({ length: days }, (_, back) => index - back);
  const spans: Readonly<Record<string, (index: number) => readonly number[]>> = {
    credits_month_to_date: monthTo,
    credits_trailing_7d: (index) => span(index, 7),
    credits_trailing_28d: (index) => span(index, 28),
  };
  const figures: Readonly<Record<string, (index: number) => number | 'open' | undefined>> = {
    credits_month_to_date: (index) => sumOf(monthTo(index)),
    credits_trailing_7d: (index) => sumOf(span(index, 7)),
    credits_trailing_28d: (index) => sumOf(span(index, 28)),
    credits_month_forecast: forecast,
    daily_credits_expected: expected,
    daily_credits_expected_upper: upper,
  };

  return {
    judge(claim: Claim): Verdict {
      const right = figures[claim.family];
      if (right === undefined) return ofDay(claim);
      const value = right(claim.index);
      if (value === 'open') return 'open';
      return value !== undefined && Math.abs(value - claim.value) <= 1e-6 * value ? 'true' : 'false';
    },
    /** The sums that must be there for a day, since every day that they need is known. */
    owed: (index: number) =>
      Object.keys(spans).filter((family) =>
        spans[family]?.(index).every((needed) => creditsOf(needed) !== undefined),
      ),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}
