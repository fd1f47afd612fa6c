import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { MOST_IN_PLACE } from '../../src/history/sqlite/checking.ts';
import { openHistory } from '../history/files.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Programs } from './programs.ts';

/** Expects a program to find the thread that checks a large history: it reads a sound one, and refuses a damaged one. */
export async function expectLargeHistoryChecked(programs: Programs, command: string): Promise<void> {
  const file = join(programs.folder(), 'history.db');
  await (await openHistory(file)).close();
  const db = new DatabaseSync(file);
  db.exec(`CREATE TABLE filler AS SELECT zeroblob(${MOST_IN_PLACE}) AS zeros`);
  db.close();
  expect(await logOfReading()).not.toContain('its file cannot be used');
  writeFileSync(file, readFileSync(file).fill(0xa5, MOST_IN_PLACE / 2, MOST_IN_PLACE / 2 + 8192));
  expect(await logOfReading()).toMatch(/reason=damaged detail="storage\.path: \S+ is damaged: /);

  async function logOfReading(): Promise<string> {
    const environment = { AGENT_PLATFORM_API_BASE_URL: 'http://127.0.0.1:9', AGENT_PLATFORM_API_KEY: 'any' };
    const flags = ['--web.listen-address=127.0.0.1:0', `--storage.path=${file}`];
    const program = programs.start(command, ['serve', ...flags], { environment });
    await waitFor(() => program.stderr().includes('Stored history loaded'), { seen: program.stderr });
    program.send('SIGTERM');
    await program.ended;
    return program.stderr();
  }
}
