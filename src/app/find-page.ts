import type { StorageConfig } from '../config/storage.ts';
import {
  decodePage,
  isSameOrigin,
  type KeptPage,
  type PageHead,
  type PageOrigin,
} from '../exposition/kept-page.ts';
import { markOf } from '../history/sqlite/file-identity.ts';
import type { Clock } from '../runtime/clock.ts';
import { messageOf } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { runInSlices } from '../runtime/slices.ts';
import { type PageFile, pageFileBeside } from './page-file.ts';
import { MEMORY } from './store.ts';

interface Tools {
  readonly clock: Clock;
  readonly log: Logger;
}

/** The file for the page of a store, and the page of what is stored; undefined for a store without a file. */
export async function findPage(
  { path, url }: StorageConfig,
  origin: Omit<PageOrigin, 'store'>,
  { clock, log }: Tools,
): Promise<{ readonly file: PageFile; readonly kept: KeptPage | undefined } | undefined> {
  if (url !== undefined || path === MEMORY) return undefined;
  const file = pageFileBeside(path);
  // No page is of a history that does not exist.
  const store = markOf(path) ?? 'none';
  return { file, kept: await readPage(file, { ...origin, store }, { clock, log }) };
}

/**
 * The kept page, if it is what would be made of the stored data now. Any other is removed: it can never be used again, and
 * may contain what the present settings forbid. Never rejects.
 */
async function readPage(
  file: PageFile,
  origin: PageOrigin,
  { clock, log }: Tools,
): Promise<KeptPage | undefined> {
  const now = clock.now();
  try {
    const bytes = await file.read();
    if (bytes === undefined) return undefined;
    const accepts = ({ origin: kept, at, until }: PageHead) =>
      isSameOrigin(kept, origin) && at <= now && (until === undefined || now < until);
    const page = await runInSlices(decodePage(bytes, accepts), clock, 1);
    if (page !== undefined) return page;
  } catch (error) {
    log.debug('The kept page cannot be read', { path: file.path, error: messageOf(error) });
  }
  await file
    .remove()
    .catch((error: unknown) => log.warn('Removing the kept page failed', { path: file.path, error }));
  return undefined;
}
