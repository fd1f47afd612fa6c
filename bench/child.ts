import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Ready } from './messages.ts';

/** A process that listens on loopback. */
export interface Listener {
  readonly port: number;
  readonly pid: number;
}

/** A child process of the benchmark. */
export interface Child extends Listener {
  /** Sends a message and resolves with the next reply. */
  ask<Answer>(question: object): Promise<Answer>;
  /** Stops it; resolves when it has exited. */
  stop(): Promise<void>;
}

/** Starts compiled code in a separate process; resolves when it is ready. */
export async function startChild(directory: string, script: string, options: object = {}): Promise<Child> {
  const file = path.join(directory, 'bench', script);
  const child = fork(file, [JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const { port } = await nextMessage<Ready>(child);
  return {
    port,
    pid: child.pid ?? 0,
    ask<Answer>(question: object) {
      const answer = nextMessage<Answer>(child);
      child.send(question);
      return answer;
    },
    async stop() {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    },
  };
}

/** Runs compiled code in a separate process; resolves with its only message after it has exited. */
export async function runJob<Answer>(directory: string, script: string, options: object): Promise<Answer> {
  const file = path.join(directory, 'bench', script);
  const child = fork(file, [JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const gone = once(child, 'exit');
  const answer = await nextMessage<Answer>(child);
  await gone;
  return answer;
}

/** The next message of a child process; rejects if it exits before. */
export function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    function onMessage(message: unknown): void {
      child.off('exit', onExit);
      resolve(message as Message);
    }
    function onExit(code: number | null): void {
      child.off('message', onMessage);
      reject(new Error(`${child.spawnargs[1]} exited with code ${code}`));
    }
    child.once('message', onMessage).once('exit', onExit);
  });
}
