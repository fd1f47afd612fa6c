import { join, parse } from 'node:path';
import type { Registry } from 'prom-client';
import type { HooksConfig } from '../config/hooks.ts';
import { createClientLimits } from '../hooks/intake/client-limits.ts';
import { createHookHandler } from '../hooks/intake/handler.ts';
import { createHookIntake, type HookIntake } from '../hooks/intake/intake.ts';
import { createHookInstruments } from '../hooks/intake/metrics.ts';
import { createSqliteHookStore } from '../hooks/intake/sqlite/store.ts';
import { createMemoryHookStore } from '../hooks/intake/store.ts';
import { createTokenCheck } from '../hooks/intake/token.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Handler } from '../server/respond.ts';
import { MEMORY } from './history.ts';

/** The hook intake: what answers its requests, and what ends it. */
export interface ServiceHooks {
  readonly handle: Handler;
  close(): Promise<void>;
}

export interface ServiceHooksParts {
  readonly hooks: HooksConfig & { readonly token: NonNullable<HooksConfig['token']> };
  /** The file of the history, or `:memory:`; hook events have a file of their own beside it. */
  readonly storagePath: string;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Requests without the right token that one client may send in a second. */
const GUESSES_PER_SECOND = 5;
/** How many seconds' worth of requests a client may send at once. */
const BURST_SECONDS = 10;

/** Opens the hook intake; a file that cannot be used makes it answer 503 until it can, and nothing else. */
export async function openServiceHooks(parts: ServiceHooksParts): Promise<ServiceHooks> {
  const { hooks, storagePath, registry, clock, log } = parts;
  let intake: HookIntake | undefined;
  const instruments = createHookInstruments(registry, () => intake?.waiting() ?? 0);
  const store =
    storagePath === MEMORY
      ? createMemoryHookStore()
      : createSqliteHookStore({ path: hookFileBeside(storagePath) });
  intake = await createHookIntake({ store, instruments, clock, log });
  const handle = createHookHandler({
    intake,
    token: createTokenCheck({ token: hooks.token, clock, log }),
    senders: limitsOf(hooks.requestsPerSecond),
    strangers: limitsOf(GUESSES_PER_SECOND),
    instruments,
    clock,
  });
  return { handle, close: intake.close };

  function limitsOf(perSecond: number) {
    return createClientLimits({ perSecond, burst: perSecond * BURST_SECONDS, clock });
  }
}

/** `data/history.db` has `data/history-hooks.db` beside it. */
function hookFileBeside(storagePath: string): string {
  const { dir, name } = parse(storagePath);
  return join(dir, `${name}-hooks.db`);
}
