import * as z from 'zod';
import { amount, instant, repository, text } from '../fields.ts';
import type { WikiRun } from './dataset.ts';

const listings = z.union([
  z.array(z.unknown()),
  z.object({ wikiRuns: z.array(z.unknown()) }).transform(({ wikiRuns }) => wikiRuns),
  z.object({ runs: z.array(z.unknown()) }).transform(({ runs }) => runs),
  z.object({ data: z.array(z.unknown()) }).transform(({ data }) => data),
]);

/** The runs that a body lists, in any shape seen in the field; undefined where it is none of them. */
export function runsOf(body: unknown): readonly unknown[] | undefined {
  return listings.safeParse(body).data;
}

/** A wiki run, reduced to what is kept of it; without an identifier it is told apart by repository and time. */
export const runElement = z
  .object({
    wikiRunId: text,
    id: text,
    repoUrl: repository,
    createdAt: instant,
    completedAt: instant,
    status: text,
    pageCount: amount,
  })
  .transform((raw, context): WikiRun => {
    const at = raw.createdAt ?? raw.completedAt;
    const known = raw.repoUrl === undefined || at === undefined ? undefined : `${raw.repoUrl}@${at}`;
    const id = raw.wikiRunId ?? raw.id ?? known;
    if (id !== undefined) return { id, repo: raw.repoUrl, at, status: raw.status, pages: raw.pageCount };
    context.issues.push({ code: 'custom', message: 'a run without any identity', input: raw });
    return z.NEVER;
  });
