import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** A process of the benchmark that answers messages, one at a time. */
export interface Child {
  readonly pid: number;
  /** Where it listens; 0 if it does not. */
  readonly port: number;
  /** Sends a message and resolves with the reply. */
  ask<Answer>(question: object): Promise<Answer>;
  /** Stops it; resolves when it has exited. */
  stop(): Promise<void>;
}

/** Starts a script of this folder as a separate process; resolves when it is ready. */
export async function startChild(
  script: string,
  options: object = {},
  environment: NodeJS.ProcessEnv = process.env,
): Promise<Child> {
  const file = path.join(import.meta.dirname, script);
  const child = fork(file, [JSON.stringify(options)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: environment,
  });
  const { port } = await nextMessage<{ readonly port: number }>(child);
  return {
    pid: child.pid ?? 0,
    port,
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
