import { PassThrough } from 'node:stream';
import { runCli } from '../../src/commands/run-cli.ts';
import { commands } from '../../src/commands/table.ts';
import { createFiles } from '../../src/files/reader.ts';

/**
 * Runs a command line of the program with this environment in the test's own process: everything but the start of a process, its
 * streams and its signals, which cost more than most commands do.
 */
export async function runHere(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const said = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof said) =>
    new PassThrough({ encoding: 'utf8' }).on('data', (text: string) => {
      said[name] += text;
    });
  const [stdout, stderr] = [stream('stdout'), stream('stderr')];
  const code = await runCli(args, commands, {
    ...{ environment, files: createFiles(), stdout, stderr, version: '0.0.0' },
    stopSignal: () => new AbortController().signal,
    onHangup: () => undefined,
  });
  await Promise.all(
    [stdout, stderr].map((one) => new Promise<void>((resolve) => void one.on('end', resolve).end())),
  );
  return { code, ...said };
}
