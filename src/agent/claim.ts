import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { codeOf, createFolder } from '../files/local-file.ts';
import { attempt } from '../text/errors.ts';
import type { HookEvent } from './event.ts';

/** The span of a claim, in milliseconds. Longer than a run's deadline: the agent may call its registrations one after another. */
const spanMs = 3000;

/**
 * Claims an event, and returns false if another run has claimed it: several registrations, such as those of the user and of
 * the project, deliver the same event. Equal content in the same session is the same event for 3 to 6 s from `now` (Unix
 * milliseconds). An event that cannot be compared or recorded in `folder` counts as new.
 */
export function claimEvent(folder: string, event: HookEvent, now: number): boolean {
  if (!event.sessionId) return true;
  const content = attempt(() => JSON.stringify(event.fields));
  if (content === undefined) return true;
  const span = Math.floor(now / spanMs);
  const name = checksumOf(content);
  // Each run needs the files of two adjacent spans. Runs in adjacent spans share one of these, so that only one run gets both.
  const isOurs = [span, span + 1].every((each) => isCreated(folder, `${each}-${name}`));
  for (const old of attempt(() => readdirSync(folder)) ?? []) {
    if (Math.abs(Number.parseInt(old, 10) - span) > 2) {
      attempt(() => rmSync(path.join(folder, old), { force: true }));
    }
  }
  return isOurs;
}

/** Creates a file; false if it exists. True if it cannot be created, because an event must not be lost for that reason. */
function isCreated(folder: string, name: string): boolean {
  try {
    createFolder(folder);
    writeFileSync(path.join(folder, name), '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    return codeOf(error) !== 'EEXIST';
  }
}

/** A hash of 64 bits and the length. Loading Node's crypto library for a digest would take a tenth of the run. */
function checksumOf(text: string): string {
  let [high, low] = [0x9e3779b9, 0x85ebca6b];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
    high ^= high >>> 15;
    low ^= low >>> 13;
  }
  return [high, low, text.length].map((part) => (part >>> 0).toString(36)).join('-');
}
