import { encodePage, isSameOrigin, type KeptPage } from '../exposition/kept-page.ts';
import { messageOf } from '../runtime/errors.ts';
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
   * Keeps the page if it is that of the stored data; otherwise a page that was kept before is removed. What was kept already
   * is not written again. Never rejects.
   */
  keep(): Promise<void>;
  /**
   * Keeps the page of a service that has ended its work, unless that takes too long; `closeStore` closes the store, which must
   * be done first.
   */
  keepAtEnd(closeStore: () => Promise<void>): Promise<void>;
  /** Removes the kept page, which other settings have made. Never rejects. */
  drop(): Promise<void>;
}

interface KeeperParts {
  readonly file: PageFile;
  readonly core: Pick<
    Core,
    'release' | 'history' | 'published' | 'publication' | 'runs' | 'store' | 'clock' | 'log'
  >;
  /** The current deployment. */
  readonly inUse: () => Deployment;
}

/** Creates the keeper of a service's page. */
export function createPageKeeper({ file, core, inUse }: KeeperParts): PageKeeper {
  const { release, store, clock, log } = core;
  let kept: Omit<KeptPage, 'orgs'> | undefined;
  /** Whether there may be a file. */
  let isThere = true;
  let failed = false;

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
    head: Pick<KeptPage, 'origin' | 'storeId'>,
    signal?: AbortSignal,
  ): Promise<void> {
    const page = { ...head, at: clock.now(), until };
    try {
      await file.write(encodePage({ ...page, orgs }), signal);
      [kept, isThere, failed] = [page, true, false];
    } catch (error) {
      [kept, isThere] = [undefined, false];
      if (!failed) log.warn('The page cannot be kept for the next start', { path: file.path, error });
      failed = true;
    }
  }

  async function drop(): Promise<void> {
    kept = undefined;
    if (!isThere) return;
    isThere = false;
    await file
      .remove()
      .catch((error: unknown) => log.warn('Removing the kept page failed', { path: file.path, error }));
  }

  return {
    async keep() {
      // Of a file that this process cannot use, another process may keep the page.
      if (store.isPersistent?.() !== true) return;
      const of = inUse();
      const settings = pageSettingsOf(of.config, of.people);
      if (isKept(settings)) return;
      const captured = await capture(of);
      const [mark, storeId] = [store.mark(), store.metrics.id()];
      if (captured === undefined || mark === undefined) return drop();
      await write(captured, { origin: { release, settings, store: mark }, storeId });
      // A reload in the meantime has found nothing to remove.
      if (inUse() !== of) await drop();
    },
    async keepAtEnd(closeStore) {
      // The page that was shown at the start is still that of the file.
      const isUnread = store.waitingFor() !== undefined;
      const isOurs = !isUnread && store.isPersistent?.() === true;
      const of = inUse();
      const captured = isOurs ? await capture(of) : undefined;
      const storeId = store.metrics.id();
      await closeStore();
      const mark = store.mark();
      if (!isOurs) return;
      if (captured === undefined || mark === undefined) return drop();
      const settings = pageSettingsOf(of.config, of.people);
      const head = { origin: { release, settings, store: mark }, storeId };
      await write(captured, head, AbortSignal.timeout(END_MS));
    },
    drop,
  };
}
