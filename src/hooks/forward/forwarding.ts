import type { ForwardSettings } from '../settings/settings.ts';
import type { ForwardParts } from './forward.ts';
import { createLock, isAlive } from './lock.ts';
import { createPause } from './pause.ts';
import { createSpool, type Spool, type SpoolLimits } from './spool.ts';

// Not imported: importing all members of such a module takes longer than the use of a few.
const { mkdirSync } = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');

/** What may wait on disk where the settings do not say otherwise. */
const standardLimits: SpoolLimits = { maxBytes: 10_485_760, maxAgeMs: 604_800_000 };

/** Opens the spool in the state folder. */
export function spoolIn(state: string, limits = standardLimits): Spool {
  return createSpool(path.join(state, 'spool'), limits);
}

/** Puts together what forwarding needs, with its files in the state folder. */
export function createForwarding(
  settings: ForwardSettings,
  state: string,
  parts: Pick<ForwardParts, 'post' | 'secret' | 'clock' | 'log'>,
): ForwardParts {
  try {
    mkdirSync(state, { recursive: true, mode: 0o700 });
  } catch {
    // The spool says so when it is written to.
  }
  return {
    ...parts,
    settings,
    spool: spoolIn(state, settings.spool),
    lock: createLock(path.join(state, 'sending'), process.pid, isAlive),
    pause: createPause(path.join(state, 'pause')),
  };
}
