import { lstat, realpath, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { ConfigError, messageOf } from '../text/errors.ts';
import { createFileSink, createStreamSink, type RowSink } from './sink.ts';

/**
 * The path of a file to write: behind symbolic links, since a finished file is renamed to it and would replace the link. Rejects with a
 * `ConfigError` if something other than a file has the path, such as a directory, or a device that the rename would replace.
 */
export async function outputFile(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) return realpath(path);
  if (found?.isDirectory() === true) throw new ConfigError(`--output: ${path} is a directory`);
  const isLink = found === undefined && (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
  if (isLink) throw new ConfigError(`--output: ${path} is a symbolic link to nothing`);
  if (found !== undefined) throw new ConfigError(`--output: ${path} is not a regular file`);
  return path;
}

/**
 * Opens what `outputFile` returned, or standard output without one; disposal abandons what is unfinished. Rejects with a
 * `ConfigError` if the file cannot be written.
 */
export async function openOutput(
  path: string | undefined,
  stdout: Writable,
): Promise<RowSink & AsyncDisposable> {
  const sink = path === undefined ? createStreamSink(stdout) : await createFileSink(path).catch(refuse);
  return { ...sink, [Symbol.asyncDispose]: sink.abandon };

  function refuse(error: unknown): never {
    throw new ConfigError(`--output: cannot write ${path}: ${messageOf(error)}`);
  }
}
