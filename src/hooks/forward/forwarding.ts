import type { ForwardSettings } from '../settings/settings.ts';
import type { ForwardParts } from './forward.ts';
import { createLock, isAlive } from './lock.ts';
import { createPause } from './pause.ts';
import { createSpool } from './spool.ts';

// Not imported: importing all members of such a module takes longer than the use of a few.
const { mkdirSync } = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');

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
    spool: createSpool(path.join(state, 'spool'), settings.spool),
    lock: createLock(path.join(state, 'sending'), process.pid, isAlive),
    pause: createPause(path.join(state, 'pause')),
  };
}
