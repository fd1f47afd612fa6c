import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { createFolder, numbersIn, writeWhole } from '../files/local-file.ts';
import type { HookEvent } from './event.ts';

/** The length of a session, and of its turn since the user's last prompt, in milliseconds. */
export interface SessionLengths {
  readonly sessionMs: number;
  readonly turnMs: number;
}

export const unknownLengths: SessionLengths = { sessionMs: 0, turnMs: 0 };

const MAX_SESSIONS = 500;

/**
 * Records the starts of sessions and turns, in one small file per session in `folder`, and returns their lengths at
 * `now` (Unix milliseconds). An unknown session begins with this event. Throws the system's errors.
 */
export function followSession(folder: string, event: HookEvent, now: number): SessionLengths {
  if (event.sessionId === undefined || event.sessionId === '') return unknownLengths;
  const file = path.join(folder, `s-${encodeURIComponent(event.sessionId).slice(0, 200)}`);
  const starts = numbersIn(file);
  const isKnown = starts.length === 2 && starts.every(Number.isFinite);
  // Compacting the context starts a session again within itself.
  const begins = !isKnown || (event.name === 'SessionStart' && event.fields['source'] !== 'compact');
  const isPrompted = begins || event.name === 'UserPromptSubmit';
  const [session = now, turn = now] = begins ? [] : starts.slice(0, isPrompted ? 1 : 2);
  if (event.name === 'SessionEnd') rmSync(file, { force: true });
  else if (isPrompted) {
    if (!isKnown) makeRoom(folder);
    writeWhole(file, `${session} ${turn}`);
  }
  return { sessionMs: Math.max(0, now - session), turnMs: Math.max(0, now - turn) };
}

/** Removes the files of the sessions that have had no event for longest: most of these have ended unnoticed. */
function makeRoom(folder: string): void {
  createFolder(folder);
  const names = readdirSync(folder);
  if (names.length < MAX_SESSIONS) return;
  const aged = names
    .map((name) => path.join(folder, name))
    .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => a.at - b.at);
  for (const { file } of aged.slice(0, names.length - MAX_SESSIONS / 2)) rmSync(file, { force: true });
}
