import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createSandbox } from '../src/sandbox/index.ts';
import { endProgram, freePort, whenAnswering } from './programs.ts';
import { cpuSecondsOf } from './usage.ts';

/** What the simulated platform has; days are the newest ones. */
export interface World {
  readonly orgs: number;
  readonly users: number;
  readonly repos: number;
  readonly days: number;
}

/** A simulated platform in a process of its own. */
interface Platform extends AsyncDisposable {
  readonly world: World;
  readonly url: string;
  /** CPU time so far. */
  cpuSeconds(): number;
}

const DAY_MS = 86_400_000;
/** The platform has these more, so that the first day asked for has days before it. */
const EARLIER_DAYS = 5;

/** Starts the command `sandbox` of a built program. */
export async function startPlatform(
  program: string,
  world: World,
  flags: readonly string[] = [],
): Promise<Platform> {
  const address = `127.0.0.1:${await freePort()}`;
  const scale = Object.entries({ ...world, days: world.days + EARLIER_DAYS }).map(
    ([name, value]) => `--${name}=${value}`,
  );
  const args = [program, 'sandbox', `--listen-address=${address}`, ...scale, ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://${address}`;
  await whenAnswering(child, url);
  return {
    world,
    url,
    cpuSeconds: () => cpuSecondsOf(child.pid ?? 0),
    [Symbol.asyncDispose]: () => endProgram(child),
  };
}

/** The UTC day so many days ago. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/**
 * Writes the configuration of all organizations of a platform, with further settings, into a folder; returns the file. The
 * history begins with the first day that they have.
 */
export function configure(folder: string, { url, world }: Platform, settings = ''): string {
  mkdirSync(folder, { recursive: true });
  // The keys of an organization depend only on its name, and its name only on its number.
  const { orgs } = createSandbox({ now: Date.now, orgs: world.orgs, users: 1, repos: 1 });
  const entries = orgs.map(({ name, keys }) => {
    const key = path.join(folder, `${name}.key`);
    writeFileSync(key, keys.owner);
    return `  - {name: ${name}, base_url: '${url}', api_key_file: '${key}'}`;
  });
  const file = path.join(folder, 'exporter.yaml');
  writeFileSync(file, `orgs:\n${entries.join('\n')}\nhistory: {start: ${daysAgo(world.days)}}\n${settings}`);
  return file;
}
