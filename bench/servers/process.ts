import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Memory, Question, Ready, ServerOptions } from '../messages.ts';
import { peakResident } from '../usage.ts';

/** The options that this process was started with. */
export function serverOptions(): ServerOptions {
  const [, , text = '{}'] = process.argv;
  return JSON.parse(text) as ServerOptions;
}

/** Reports to the parent process where this one listens. */
export function sayReady(port: number): void {
  process.send?.({ port } satisfies Ready);
}

/** Starts listening on loopback and reports the port to the parent process. */
export function listenAndSay(server: Server): void {
  server.listen(0, '127.0.0.1', () => sayReady((server.address() as AddressInfo).port));
}

/** Answers the parent process's requests, and exits with it. */
export function answerQuestions(answerOther?: (question: Question) => Promise<object>): void {
  process.on('message', async (question: Question) => {
    process.send?.(question.kind === 'memory' ? memory() : await answerOther?.(question));
  });
  process.on('disconnect', () => process.exit());
}

function memory(): Memory {
  return { resident: process.memoryUsage.rss(), peak: peakResident() };
}
