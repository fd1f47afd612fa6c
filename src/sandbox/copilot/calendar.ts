import { type Day, dayMs, hourMs } from '../calendar.ts';

/** Hours after the end of a day at which its figures are final; its reports appear a day earlier. */
export const SETTLED_AFTER = 72;

/** The first day of fields that rows did not have before. */
export const since = {
  cli: Date.UTC(2026, 2, 5) / dayMs,
  /** The totals of a row count what is done in the terminal. */
  cliInTotals: Date.UTC(2026, 3, 10) / dayMs,
  cloudAgent: Date.UTC(2026, 3, 10) / dayMs,
  codeReview: Date.UTC(2026, 3, 22) / dayMs,
  credits: Date.UTC(2026, 5, 19) / dayMs,
  app: Date.UTC(2026, 6, 28) / dayMs,
  agents: Date.UTC(2026, 7, 7) / dayMs,
} as const;

/** The newest day whose reports exist. */
export function newestReport(now: number): Day {
  return Math.floor((now - (SETTLED_AFTER - 24) * hourMs) / dayMs) - 1;
}
