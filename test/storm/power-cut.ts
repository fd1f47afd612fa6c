import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A disk writes whole sectors. */
const SECTOR = 512;
const TRACED = 'openat,write,writev,pwrite64,pwritev,ftruncate,fallocate,fsync,fdatasync,unlink,rename';

/** A system call of a program that changes a file of the folder, or a line that it said. */
export type Call =
  | { readonly does: 'create' | 'unlink' | 'sync'; readonly name: string }
  | { readonly does: 'write'; readonly name: string; readonly at: number; readonly data: Buffer }
  | { readonly does: 'truncate'; readonly name: string; readonly size: number }
  | { readonly does: 'say'; readonly text: string };

/** Runs a program that works in a folder, and resolves with its calls, which are checked to account for all files. */
export function record(program: string, folder: string, args: readonly string[] = []): readonly Call[] {
  const trace = `${folder}.trace`;
  // The main thread alone, in which SQLite works.
  const strace = ['-yy', '-xx', '-s', '1000000', '-e', `trace=${TRACED}`, '-o', trace];
  execFileSync('strace', [...strace, process.execPath, program, folder, ...args]);
  const calls = [...callsIn(readFileSync(trace, 'latin1'), folder)];
  const files = filesAfter(calls, () => 0, 'kept');
  for (const name of readdirSync(folder)) {
    if (!files.get(name)?.equals(readFileSync(path.join(folder, name))))
      throw new Error(`${name} was not traced`);
  }
  return calls;
}

function* callsIn(trace: string, folder: string): Generator<Call> {
  const known = new Set<string>();
  for (const line of trace.split('\n')) {
    const [, call, given = ''] = /^(\w+)\((.*)\) += \d/.exec(line) ?? [];
    const texts = [...given.matchAll(/(?:\\x[0-9a-f]{2})+/g)].map(([text]) => bytesOf(text));
    const [, ...numbers] = [...given.matchAll(/, (\d+)/g)].map(([, number]) => Number(number));
    if (call === 'write' && given.startsWith('1<')) yield { does: 'say', text: String(texts.at(-1)) };
    const inFolder = texts.find((text) => String(text).startsWith(`${folder}/`));
    if (call === undefined || inFolder === undefined) continue;
    const name = path.basename(String(inFolder));
    // SQLite rebuilds the index of the log, which it writes through memory.
    if (name.endsWith('-shm')) continue;
    if (call === 'openat') {
      if (given.includes('O_CREAT') && !known.has(name)) yield { does: 'create', name };
      known.add(name);
    } else if (call === 'unlink') {
      known.delete(name);
      yield { does: 'unlink', name };
    } else if (call === 'fsync' || call === 'fdatasync') yield { does: 'sync', name };
    else if (call === 'pwrite64')
      yield { does: 'write', name, at: numbers.at(-1) ?? 0, data: texts.at(-1) ?? Buffer.of() };
    else if (call === 'ftruncate')
      yield { does: 'truncate', name, size: Number(/, (\d+)$/.exec(given)?.[1]) };
    else throw new Error(`the call ${call} is not simulated`);
  }
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex');
}

/** What becomes of a write that was not synchronized. */
type Fate = 'missing' | 'kept' | 'torn';

type Change = Extract<Call, { readonly does: 'write' } | { readonly does: 'truncate' }>;

interface File {
  bytes: Buffer;
  pending: Change[];
}

/**
 * The files as a power cut after these calls leaves them: of what was not synchronized, each write is missing, kept or torn, and
 * the latest changes of names are missing. The order of names is that of a journal, which a synchronized file is part of.
 */
export function filesAfter(
  calls: readonly Call[],
  random: () => number,
  always?: Fate,
): ReadonlyMap<string, Buffer> {
  const open = new Map<string, File>();
  const names: { readonly name: string; readonly file: File | undefined }[] = [];
  let safeNames = 0;
  for (const call of calls) {
    if (call.does === 'say') continue;
    const file = open.get(call.name) ?? { bytes: Buffer.of(), pending: [] };
    if (call.does === 'write' || call.does === 'truncate') file.pending.push(call);
    else if (call.does === 'create') {
      open.set(call.name, file);
      names.push({ name: call.name, file });
    } else if (call.does === 'unlink') {
      open.delete(call.name);
      names.push({ name: call.name, file: undefined });
    } else if (call.does === 'sync') {
      for (const one of file.pending) file.bytes = changed(file.bytes, one);
      file.pending = [];
      safeNames = Math.max(safeNames, names.findLastIndex((named) => named.file === file) + 1);
    }
  }
  const kept =
    always === 'kept' ? names.length : safeNames + Math.floor(random() * (names.length - safeNames + 1));
  const found = new Map<string, Buffer>();
  for (const { name, file } of names.slice(0, kept)) {
    if (file === undefined) found.delete(name);
    else
      found.set(
        name,
        file.pending.reduce((bytes, one) => survived(bytes, one, random, always), file.bytes),
      );
  }
  return found;
}

function survived(bytes: Buffer, call: Change, random: () => number, always?: Fate): Buffer {
  const fate = always ?? (['missing', 'kept', 'torn'] as const)[Math.floor(random() * 3)];
  if (fate === 'missing') return bytes;
  if (fate === 'kept' || call.does === 'truncate') return changed(bytes, call);
  let torn = bytes;
  for (let from = 0; from < call.data.length; ) {
    const at = call.at + from;
    const to = Math.min(call.data.length, from + SECTOR - (at % SECTOR));
    if (random() < 0.5) torn = changed(torn, { ...call, at, data: call.data.subarray(from, to) });
    from = to;
  }
  return torn;
}

/** Changes the bytes in place where their number stays the same. */
function changed(bytes: Buffer, call: Change): Buffer {
  const size = call.does === 'truncate' ? call.size : Math.max(bytes.length, call.at + call.data.length);
  const next = size === bytes.length ? bytes : Buffer.alloc(size);
  if (next !== bytes) bytes.copy(next);
  if (call.does === 'write') call.data.copy(next, call.at);
  return next;
}
