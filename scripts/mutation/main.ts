// `npm run mutation -- --only store,exposition`: how many small faults in a room of `src` the room's own tests notice.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { lateOf, type Report, scoreOf } from './score.ts';

const ROOMS = [
  'store',
  'exposition',
  'pipeline',
  'client',
  'agent',
  'intake',
  'scheduler',
  'collectors',
  'app',
  'config',
  'server',
  'export',
  'backfill',
  'web-config',
];
const ROOT = path.resolve(import.meta.dirname, '../..');
/** Stryker with its own dependencies, its copy of the project and its reports. */
const FOLDER = path.join(ROOT, 'build/mutation');
const STRYKER = path.join(FOLDER, 'node_modules/@stryker-mutator/core/bin/stryker.js');
/** How much later than without the mutant its tests may end, in milliseconds. */
const LIMIT_MS = 60_000;

try {
  main();
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

function main(): void {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: ROOMS.join(',') },
      /** Within the room. */
      files: { type: 'string', default: '**/*.ts' },
      mutants: { type: 'string', default: '400' },
      seed: { type: 'string', default: '1' },
    },
  });
  const rooms = values.only.split(',');
  const unknown = rooms.find((room) => !ROOMS.includes(room));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: the rooms are ${ROOMS.join(', ')}`);
  if (!/^[1-9]\d{0,5}$/.test(values.mutants)) throw new Error('--mutants: must be a positive number');
  const empty = rooms.find((room) => globSync(`src/${room}/${values.files}`, { cwd: ROOT }).length === 0);
  if (empty !== undefined) throw new Error(`--files: there is no such file in src/${empty}`);
  install();
  console.log('| Room | Seed | Mutants | Detected | 95 % interval |\n|---|---|---|---|---|');
  for (const room of rooms) {
    const report = reportOf(room, values);
    const late = lateOf(report);
    const again = late.length === 0 ? undefined : reportOf(room, values, late);
    const { tested, score, low, high, survivors } = scoreOf(report, again);
    const list = path.join(FOLDER, `${room}.survivors.txt`);
    writeFileSync(list, survivors.map((line) => `${line}\n`).join(''));
    const shown = [score, low, high].map((percent) => percent.toFixed(1));
    console.log(
      `| \`${room}\` | ${values.seed} | ${tested} | ${shown[0]} % | ${shown[1]} to ${shown[2]} % |`,
    );
    console.error(`${survivors.length} undetected: ${path.relative(ROOT, list)}`);
  }
}

/** Stryker has 177 packages, which the project's own lock file need not contain. */
function install(): void {
  mkdirSync(FOLDER, { recursive: true });
  const names = ['package.json', 'package-lock.json'];
  const isCurrent = names.every(
    (name) =>
      existsSync(path.join(FOLDER, name)) &&
      readFileSync(path.join(FOLDER, name)).equals(readFileSync(path.join(import.meta.dirname, name))),
  );
  if (isCurrent && existsSync(STRYKER)) return;
  for (const name of names) copyFileSync(path.join(import.meta.dirname, name), path.join(FOLDER, name));
  // The runner takes the project's vitest.
  const args = ['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status, stderr } = spawnSync('npm', args, { cwd: FOLDER, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ci in build/mutation: ${lastLine(stderr)}`);
}

interface Choice {
  readonly files: string;
  readonly mutants: string;
  readonly seed: string;
}

/** Tests a sample of the room's mutants, or those with the keys `again` with a longer limit. */
function reportOf(room: string, { files, mutants, seed }: Choice, again?: readonly string[]): Report {
  const report = path.join(FOLDER, `${room}.json`);
  const config = path.join(FOLDER, 'stryker.json');
  rmSync(report, { force: true });
  writeFileSync(
    config,
    JSON.stringify({
      mutate: [`src/${room}/${files}`],
      testRunner: 'vitest',
      // A process for the tests, as in the projects: in a thread, the time zone cannot be changed.
      vitest: { configFile: 'scripts/mutation/vitest.config.ts', pool: 'forks', related: false },
      plugins: ['@stryker-mutator/vitest-runner', path.join(import.meta.dirname, 'plugin.ts')],
      checkers: ['sample'],
      ignorers: ['log'],
      mutator: { excludedMutations: ['StringLiteral'] },
      // TypeScript 7 has no interface that Stryker could read it with.
      tsconfigFile: 'none.json',
      ignorePatterns: ['/build', '/dist', '/data'],
      tempDirName: 'build/mutation/copy',
      reporters: ['json'],
      jsonReporter: { fileName: report },
      concurrency: 1,
      dryRunTimeoutMinutes: 60,
      timeoutMS: again === undefined ? LIMIT_MS : 3 * LIMIT_MS,
      logLevel: 'error',
      allowConsoleColors: false,
    }),
  );
  const env = {
    ...process.env,
    MUTATION_ROOM: room,
    MUTATION_SIZE: mutants,
    MUTATION_SEED: seed,
    MUTATION_AGAIN: again && JSON.stringify(again),
  };
  const { stdout, stderr } = spawnSync(process.execPath, [STRYKER, 'run', config], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (!existsSync(report)) throw new Error(`${room}: ${firstError(`${stdout}\n${stderr}`)}`);
  return JSON.parse(readFileSync(report, 'utf8')) as Report;
}

function firstError(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.find((line) => /\bERROR\b/.test(line)) ?? lastLine(output);
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
