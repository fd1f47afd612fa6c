import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

// Runs `npm test` several times while loops keep the processors busy, and lists the failures by test.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '3' },
    busy: { type: 'string', default: '4' },
    nice: { type: 'string', default: '0' },
    // A file to which a line is appended for each test that failed.
    report: { type: 'string' },
  },
});

interface Report {
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const times = Number(values.times);
if (!(times >= 1)) throw new Error(`--times ${values.times}: must be at least 1`);

const folder = mkdtempSync(path.join(tmpdir(), 'test-repeat-'));
// They exit with this process, even if it is killed.
const LOOP = 'const parent = process.ppid; while (process.ppid === parent);';
const busy: ChildProcess[] = Array.from({ length: Number(values.busy) }, () =>
  spawn(process.execPath, ['--eval', LOOP], { stdio: 'ignore' }),
);
let tests: ChildProcess | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => endAll(signal));
const failures = new Map<string, number>();
let red = 0;
try {
  for (let time = 1; time <= times; time += 1) red += (await runOnce(time)) ? 0 : 1;
} finally {
  for (const loop of busy) loop.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
for (const [test, times] of failures) {
  console.error(`failed ${times} times: ${test}`);
  if (values.report !== undefined) appendFileSync(values.report, `failed when repeated: ${test}\n`);
}
console.error(`${times - red} of ${times} runs passed beside ${busy.length} busy loops`);
process.exitCode = red === 0 ? 0 : 1;

/** Stops the tests and the loops, and then this process with the same signal. */
function endAll(signal: NodeJS.Signals): void {
  tests?.kill(signal);
  for (const loop of busy) loop.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  process.kill(process.pid, signal);
}

/** Runs everything once; returns whether all of it passed. */
async function runOnce(time: number): Promise<boolean> {
  const file = path.join(folder, `${time}.json`);
  const startedAt = performance.now();
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project=unit', '--project=e2e'];
  const child = spawn(
    'nice',
    [
      ...['-n', values.nice, process.execPath, ...vitest],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...positionals],
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  tests = child;
  const [code] = await once(child, 'close');
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.error(`run ${time}: ${code === 0 ? 'passed' : 'failed'} after ${seconds} s`);
  if (code === 0) return true;
  const report = read(file);
  const failed = (report?.testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
    if (tests.length === 0 && status === 'failed') tests.push(message);
    return tests.map((test) => `${path.relative('.', name)}: ${test}`);
  });
  if (failed.length === 0) failed.push(`the run itself, but no test (exit code ${code})`);
  for (const test of failed) failures.set(test, (failures.get(test) ?? 0) + 1);
  return false;
}

function read(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
