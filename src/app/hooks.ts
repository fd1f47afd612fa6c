import type { HooksConfig } from '../config/config.ts';
import { ClientLimits } from '../intake/client-limits.ts';
import { createHookHandler } from '../intake/handler.ts';
import { Intake } from '../intake/intake.ts';
import { HookStore } from '../intake/store.ts';
import type { Core } from './core.ts';

/** Requests per second with a wrong token that each client may send. */
const GUESSES_PER_SECOND = 5;
/** The burst that each client may send, as requests of this many seconds. */
const BURST_SECONDS = 10;

/** The hook intake: its request handler and its shutdown. */
export type ServiceHooks = Awaited<ReturnType<typeof openServiceHooks>>;

/** Opens the hook intake. While its store is unavailable it answers 503; the rest of the exporter goes on. */
export async function openServiceHooks(
  { token, requestsPerSecond }: HooksConfig & { readonly token: NonNullable<HooksConfig['token']> },
  core: Pick<Core, 'instruments' | 'store' | 'clock' | 'log'>,
) {
  const { clock, log } = core;
  const { counts, opened, leadership } = core.store;
  const store = new HookStore({
    database: counts,
    epochOf: (query) => counts.epochOf(query),
    clock,
    shared: leadership && { opened, onWentBack: (what) => leadership.wentBack(what) },
  });
  const intake = new Intake({ store, registry: core.instruments.registry, clock, log });
  await intake.open();
  const handle = createHookHandler({
    intake,
    token,
    senders: limitsOf(requestsPerSecond),
    strangers: limitsOf(GUESSES_PER_SECOND),
    instruments: intake.instruments,
    clock,
  });
  return { handle, close: () => intake.close() };

  function limitsOf(perSecond: number) {
    return new ClientLimits({ perSecond, burst: perSecond * BURST_SECONDS, clock });
  }
}
