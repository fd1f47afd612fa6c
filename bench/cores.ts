import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** The processor of the program that is measured and that of its peer, as if they were on machines of their own. */
export const CORES = { measured: 1, peer: 0 } as const;

/** Whether programs can be given a processor each: on Linux with `taskset` and at least two processors. */
export function canDivide(): boolean {
  return availableParallelism() >= 2 && spawnSync('taskset', ['--version']).status === 0;
}

/** A command that runs a program on one processor, with its helper threads. */
export function onCore(core: number, program: string, args: readonly string[]): readonly string[] {
  return ['taskset', '--cpu-list', String(core), program, ...args];
}

/** Moves a running process to one processor, with the threads that it has and will have. */
export function moveToCore(core: number, pid: number): void {
  moveTo(String(core), pid);
}

/** Lets a process that was moved run on every processor again. */
export function moveToAnyCore(pid: number): void {
  moveTo(`0-${availableParallelism() - 1}`, pid);
}

function moveTo(cores: string, pid: number): void {
  const { status } = spawnSync('taskset', ['--all-tasks', '--pid', '--cpu-list', cores, String(pid)]);
  if (status !== 0) throw new Error('taskset failed');
}
