import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Memory, Question, Ready, ServerOptions } from '../messages.ts';
import { peakResident } from '../peak.ts';

/** The options that this process was started with. */
export function serverOptions(): ServerOptions {
  const [, , text = '{}'] = process.argv;
  return JSON.parse(text) as ServerOptions;
}

/** Tells the process that started this one where it answers. */
export function sayReady(port: number): void {
  process.send?.({ port } satisfies Ready);
}

/** Starts to listen on loopback, and says so. */
export function listenAndSay(server: Server): void {
  server.listen(0, '127.0.0.1', () => sayReady((server.address() as AddressInfo).port));
}

/** Answers what the process that started this one asks, and ends with it. */
export function answerQuestions(answerOther?: (question: Question) => Promise<object>): void {
  process.on('message', async (question: Question) => {
    process.send?.(question.kind === 'memory' ? memory() : await answerOther?.(question));
  });
  process.on('disconnect', () => process.exit());
}

function memory(): Memory {
  return { resident: process.memoryUsage.rss(), peak: peakResident() };
}
