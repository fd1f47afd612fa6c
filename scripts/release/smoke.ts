// Smoke-tests an artefact: `smoke.ts --version=1.2.3 -- COMMAND…` starts COMMAND's demo, `smoke.ts --version=1.2.3 --url=URL`
// tests a running one. It must become ready, report its version and serve figures; a started one must also stop on a signal.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

/** Far longer than the slowest machine needs. */
const HUNG_MS = 120_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { version: { type: 'string', default: '' }, url: { type: 'string' } },
});
const [command, ...args] = positionals;
const signal = AbortSignal.timeout(HUNG_MS);
if (values.url !== undefined) await check(values.url);
else if (command === undefined) throw new Error('neither --url nor a command is given');
else
  await started(
    spawn(command, [...args, 'demo', '--web.listen-address=127.0.0.1:0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
console.log(`${values.url ?? command}: works, version ${values.version}`);

async function started(program: ChildProcess): Promise<void> {
  try {
    await check(await statusUrl(program));
  } finally {
    program.kill('SIGTERM');
  }
  const [code] = await once(program, 'exit', { signal });
  // Windows has no signals, so the process is killed instead.
  if (code !== 0 && process.platform !== 'win32') throw new Error(`it exited with ${code}`);
}

async function statusUrl({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('no output');
  for await (const line of createInterface({ input: stdout, signal })) {
    const url = /status +(http:\S+?)\/?$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('it exited without printing an address');
}

async function check(url: string): Promise<void> {
  while (!(await isReady(url))) await pause(200, undefined, { signal });
  const page = await (await fetch(`${url}/metrics`, { signal })).text();
  if (!page.includes(`agent_platform_exporter_build_info{version="${values.version}"`))
    throw new Error(`it is not version ${values.version}`);
  if (!/^agent_platform_daily_credits\{/m.test(page)) throw new Error('it serves no usage metrics');
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/-/ready`, { signal }).catch(() => undefined);
  return answer?.status === 200;
}
