import { encodePage, isSameOrigin, type KeptPage, type PageHead } from '../exposition/kept-page.ts';
import { messageOf } from '../runtime/errors.ts';
import { createSerialQueue } from '../runtime/serial-queue.ts';
import { runInSlices } from '../runtime/slices.ts';
import type { Core } from './core.ts';
import type { Deployment } from './deployment.ts';
import { type CapturedPage, capturePage } from './page-capture.ts';
import type { PageFile } from './page-file.ts';
import { pageSettingsOf } from './page-settings.ts';

/**
 * Publishes a kept page, whose parts are replaced as they are made anew; false, and nothing is published, if it has
 * what this build does not declare.
 */
export async function showKeptPage({ orgs }: KeptPage, core: ShownIn): Promise<boolean> {
  const { publication, clock, log } = core;
  try {
    await runInSlices(show(orgs, core), clock, 1);
    await publication.flush();
    return true;
  } catch (error) {
    for (const { org } of orgs) publication.remove(org);
    log.debug('The kept page cannot be shown', { error: messageOf(error) });
    return false;
  }
}

type ShownIn = Pick<Core, 'publication' | 'instruments' | 'runs' | 'clock' | 'log'>;

function* show(orgs: KeptPage['orgs'], { publication, instruments, runs }: ShownIn): Generator<void, void> {
  for (const { org, segments, succeededAt, folded, dropped } of orgs) {
    publication.replaceAll(org, segments);
    for (const [collector, at] of Object.entries(succeededAt)) {
      instruments.restoreLastSuccess({ org, collector, at });
      runs.update(org, collector, { lastSuccessAt: at });
    }
    for (const [metric, count] of Object.entries(folded)) instruments.valuesFolded({ org, metric, count });
    for (const [collector, count] of Object.entries(dropped))
      instruments.familiesDropped({ org, collector, count });
    yield;
  }
}

/** How long the end of a service may take for its page, in milliseconds: a service ends within five seconds. */
const END_MS = 2_000;

/** Keeps the published page for the next start. */
export interface PageKeeper {
  /**
   * Keeps the page if it is that of the stored data; otherwise a page that was kept before is removed, as it is while the
   * data cannot be stored. What was kept already is not written again. Never rejects.
   */
  keep(): Promise<void>;
  /**
   * Keeps the page of a service that has ended its work, unless that takes too long; `closeStore` closes the store, which must
   * be done first. A page that was found at the start stays as long as it is that of the stored data.
   */
  keepAtEnd(closeStore: () => Promise<void>): Promise<void>;
  /** Removes the kept page, which other settings have made. Never rejects. */
  drop(): Promise<void>;
}

interface KeeperParts {
  readonly file: PageFile;
  readonly core: Pick<
    Core,
    'release' | 'history' | 'published' | 'publication' | 'runs' | 'store' | 'stopping' | 'clock' | 'log'
  >;
  /** What the file is the page of at the start. */
  readonly found?: PageHead | undefined;
  /** The current deployment. */
  readonly inUse: () => Deployment;
}

/** Creates the keeper of a service's page. */
export function createPageKeeper({ file, core, found, inUse }: KeeperParts): PageKeeper {
  const { release, store, stopping, clock, log } = core;
  // A page that is being written when the service ends must not replace or remove the one that is kept then.
  const turns = createSerialQueue();
  let kept = found;
  /** Whether there may be a file. */
  let isThere = true;
  let failed = false;
  /** Whether a killed process may have left an unfinished page, with what the present settings forbid. */
  let isUntidy = true;

  function isKept(settings: string): boolean {
    if (kept === undefined || (kept.until !== undefined && clock.now() >= kept.until)) return false;
    const mark = store.mark();
    return mark !== undefined && isSameOrigin(kept.origin, { release, settings, store: mark });
  }

  /** Takes the page if it is that of the stored data throughout. */
  async function capture(of: Deployment): Promise<CapturedPage | undefined> {
    const mark = store.mark();
    const captured = mark === undefined ? undefined : await capturePage(core, of);
    return mark === store.mark() ? captured : undefined;
  }

  async function write(
    { orgs, until }: CapturedPage,
    head: Pick<PageHead, 'origin' | 'storeId'>,
    signal: AbortSignal,
  ): Promise<void> {
    const page = { ...head, at: clock.now(), until };
    try {
      await file.write(encodePage({ ...page, orgs }), signal);
      [kept, isThere, failed] = [page, true, false];
    } catch (error) {
      [kept, isThere] = [undefined, false];
      // The page is kept at the end.
      if (signal === stopping.signal && signal.aborted) return;
      if (!failed) log.warn('The page cannot be kept for the next start', { path: file.path, error });
      failed = true;
    }
  }

  async function drop(): Promise<void> {
    kept = undefined;
    if (!isThere) return;
    isThere = false;
    await file.remove().catch(reportRemoval);
  }

  /** Only once the history is ours: another process that holds it may be writing its page. */
  async function tidy(): Promise<void> {
    if (!isUntidy) return;
    isUntidy = false;
    await file.removeUnfinished().catch(reportRemoval);
  }

  function reportRemoval(error: unknown): void {
    log.warn('Removing the kept page failed', { path: file.path, error });
  }

  async function keep(): Promise<void> {
    // A page must not take the space that the data needs. One of another process, which can use the file, stays.
    if (store.isPersistent?.() !== true) return kept === found ? undefined : drop();
    await tidy();
    const of = inUse();
    const settings = pageSettingsOf(of.config, of.people);
    if (isKept(settings)) return;
    const captured = await capture(of);
    const [mark, storeId] = [store.mark(), store.metrics.id()];
    if (captured === undefined || mark === undefined) return drop();
    await write(captured, { origin: { release, settings, store: mark }, storeId }, stopping.signal);
    // A reload in the meantime has found nothing to remove.
    if (inUse() !== of) await drop();
  }

  async function keepAtEnd(closeStore: () => Promise<void>): Promise<void> {
    // The page that was shown at the start is still that of the file.
    const isUnread = store.waitingFor() !== undefined;
    const isOurs = !isUnread && store.isPersistent?.() === true;
    const of = inUse();
    if (isOurs) await tidy();
    const captured = isOurs ? await capture(of) : undefined;
    const storeId = store.metrics.id();
    await closeStore();
    const mark = store.mark();
    const settings = pageSettingsOf(of.config, of.people);
    if (!isOurs || isKept(settings)) return;
    if (captured === undefined || mark === undefined) return drop();
    const head = { origin: { release, settings, store: mark }, storeId };
    await write(captured, head, AbortSignal.timeout(END_MS));
  }

  return {
    keep: () => turns.run(keep),
    keepAtEnd: (closeStore) => turns.run(() => keepAtEnd(closeStore)),
    drop,
  };
}
