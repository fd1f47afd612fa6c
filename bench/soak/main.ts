// Runs the exporter for a while under scrapes, polls and faults: npm run soak -- --minutes 30
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createSandbox } from '../../src/sandbox/index.ts';
import { buildCheckout, ROOT } from '../checkout.ts';
import { startChild } from '../child.ts';
import { describeMachine } from '../machine.ts';
import { endProgram, freePort, whenAnswering } from '../programs.ts';
import { evaluate, type Soak } from './checks.ts';
import { spell } from './faults.ts';
import { renderSoak } from './page.ts';
import type { Faults, PlatformAnswers } from './platform.ts';
import { type Sample, takeSample } from './samples.ts';
import { type Pace, startScraper } from './scrapes.ts';
import { replaceSoak } from './section.ts';

/** The organizations by default, which are of some size; more than these are small. */
const FEW = { orgs: 2, users: 40, repos: 12 };
const SMALL = { users: 5, repos: 2 };
const SAMPLE_SECONDS = 5;
const SPELL_SECONDS = 20;
/** A slow machine is still warming up when the time is over; a leak never becomes level, however often it is extended. */
const EXTENSIONS = 3;
/** With few concurrent scrapes, a slow or busy machine makes fewer scrapes, but none of them fails. */
const ANY_MACHINE = { atOnce: 4, timeoutMs: 5 * 60_000 };

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    organizations: { type: 'string', default: String(FEW.orgs) },
    write: { type: 'boolean', default: false },
    // Checks only what does not depend on the speed or load of the machine.
    'any-machine': { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0 && minutes <= 24 * 60)) throw new Error('--minutes must be a number from 0 to 1440');
const organizations = Number(values.organizations);
if (!(Number.isInteger(organizations) && organizations > 0 && organizations <= 1000))
  throw new Error('--organizations must be a whole number from 1 to 1000');

const anyMachine = values['any-machine'];
const soak = await run(
  { minutes, extensions: anyMachine ? EXTENSIONS : 0 },
  { ...loadOf(organizations), ...(anyMachine ? ANY_MACHINE : {}) },
);
const checks = evaluate(soak, { anyMachine });
const section = renderSoak(soak, checks, describeMachine());
console.log(section);
for (const line of soak.errors.slice(0, 20)) console.error(line);
for (const failure of soak.failures.slice(0, 20)) console.error(`a scrape failed: ${failure}`);
if (values.write) {
  const page = path.join(ROOT, 'docs', 'BENCHMARKS.md');
  writeFileSync(page, replaceSoak(readFileSync(page, 'utf8'), section));
}
if (checks.some(({ held }) => !held)) process.exitCode = 1;

interface Load extends Pace {
  readonly organizations: number;
  readonly pollSeconds: number;
}

/** As many scrapes and polls as leave room on two cores: the cost of both grows with the number of organizations. */
function loadOf(organizations: number): Load {
  return {
    organizations,
    perSecond: Math.max(1, Math.min(50, Math.round(100 / organizations))),
    pollSeconds: Math.max(5, Math.round(organizations * 0.3)),
  };
}

interface Time {
  readonly minutes: number;
  readonly extensions: number;
}

/** Runs for some minutes, and as long again up to `extensions` times while a check does not hold. */
async function run({ minutes, extensions }: Time, load: Load): Promise<Soak> {
  const { organizations, perSecond, pollSeconds } = load;
  const folder = mkdtempSync(path.join(tmpdir(), 'soak-'));
  const { program } = buildCheckout(ROOT);
  const world = { ...(organizations > FEW.orgs ? SMALL : FEW), orgs: organizations };
  // A process of its own: making answers must not count as time of a scrape.
  const platform = await startChild('soak/platform.ts', world);
  let answers: PlatformAnswers = [];
  const port = await freePort();
  const here = `http://127.0.0.1:${port}`;
  const child = startExporter(program, folder, port, { platformPort: platform.port, organizations });
  const log = readLog(child.stderr);
  try {
    await whenAnswering(child, `${here}/-/ready`, (status) => status === 200);
    const scraper = startScraper(`${here}/metrics`, load);
    const samples: Sample[] = [];
    let polls = 0;
    const startedAt = performance.now();
    let end = minutes;
    const soFar = (): Soak => ({
      ...{ minutes: end, organizations, perSecond, pollSeconds, polls, answers: new Map(answers) },
      ...{ scrapes: scraper.milliseconds, failures: scraper.failures, samples },
      ...{ logLines: log.levels, errors: log.errors },
    });
    for (let second = 0; ; second += 1) {
      if (second >= end * 60) {
        const holds = evaluate(soFar(), { anyMachine }).every(({ held }) => held);
        if (holds || end >= minutes * (1 + extensions)) break;
        end += minutes;
      }
      if (second % SPELL_SECONDS === 0)
        answers = await platform.ask({ faults: spell(second / SPELL_SECONDS) } satisfies Faults);
      if (second % pollSeconds === 0) {
        await fetch(`${here}/-/refresh`, { method: 'POST' });
        polls += 1;
      }
      if (second % SAMPLE_SECONDS === 0 && scraper.page() !== '')
        samples.push(takeSample(child.pid ?? 0, second, scraper.page()));
      await pause(Math.max(0, startedAt + (second + 1) * 1000 - performance.now()));
    }
    await scraper.stop();
    answers = await platform.ask({ faults: [] } satisfies Faults);
    return soFar();
  } finally {
    await endProgram(child);
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The program as installed, polling organizations configured in a file. */
function startExporter(
  program: string,
  folder: string,
  port: number,
  { platformPort, organizations }: { readonly platformPort: number; readonly organizations: number },
) {
  const file = path.join(folder, 'exporter.yaml');
  // The same seed and number as the platform's, whose process cannot be asked for its keys.
  const sandbox = createSandbox({ now: Date.now, orgs: organizations, users: 1, repos: 1 });
  const orgs = sandbox.orgs.map(({ name, keys }, index) => ({
    name,
    key: keys.owner,
    variable: `SOAK_KEY_${index}`,
  }));
  const entries = orgs.map(
    ({ name, variable }) =>
      `  - {name: ${name}, base_url: 'http://127.0.0.1:${platformPort}', api_key_env: ${variable}}`,
  );
  writeFileSync(file, `orgs:\n${entries.join('\n')}\n`);
  const args = [
    ...['serve', `--config.file=${file}`, `--storage.path=${path.join(folder, 'history.db')}`],
    ...[`--web.listen-address=127.0.0.1:${port}`, '--web.enable-lifecycle', '--log.format=json'],
    ...['--api.requests-per-second=100', '--api.timeout=5s'],
  ];
  const keys = Object.fromEntries(orgs.map(({ key, variable }) => [variable, key]));
  return spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...keys },
  });
}

/** Counts the lines of a log as they arrive, and keeps the errors. */
function readLog(stream: NodeJS.ReadableStream) {
  const levels = new Map<string, number>();
  const errors: string[] = [];
  createInterface({ input: stream }).on('line', (line) => {
    const level = /"level":"(\w+)"/.exec(line)?.[1] ?? 'none';
    levels.set(level, (levels.get(level) ?? 0) + 1);
    if (level === 'error' || level === 'none') errors.push(line);
  });
  return { levels, errors };
}
