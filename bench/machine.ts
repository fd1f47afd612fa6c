import { arch, availableParallelism, cpus, totalmem, type } from 'node:os';

/** Describes the machine in one sentence, without its name or its kernel's. */
export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown CPU';
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores of ${model}, ${gibibytes} GiB of memory, ${type()} on ${arch()}, Node.js ${process.version}`;
}
