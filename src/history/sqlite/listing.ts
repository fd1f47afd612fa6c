import * as z from 'zod';
import type { Listing } from '../../catalog/source.ts';
import type { DatasetState } from '../history.ts';
import { listingOf } from '../state.ts';

const stored = z.object({
  release: z.string(),
  // Only a complete listing is stored.
  end: z.enum(['empty', 'last']),
  pages: z.array(z.object({ digest: z.string(), next: z.string().optional() })),
});

/** The text by which the listing of a dataset is recognized after a restart; null if it is not known. */
export function encodeListing(kept: DatasetState, release: string | undefined): string | null {
  const listing = listingOf(kept);
  return listing === undefined || release === undefined ? null : JSON.stringify({ release, ...listing });
}

/** The listing in a stored text. One of another release is not known: that may have read it in another way. */
export function decodeListing(text: unknown, release: string | undefined): Listing | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const { release: reader, end, pages } = stored.parse(JSON.parse(text));
    return reader === release
      ? { end, pages: pages.map(({ digest, next }) => ({ digest, next })) }
      : undefined;
  } catch {
    // It only saves work.
    return undefined;
  }
}
