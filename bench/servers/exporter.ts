// The exporter under test: answers scrapes, and publishes on request.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { createMeasuredExporter } from '../exporter.ts';
import type { Publishing } from '../messages.ts';
import { answerQuestions, sayReady, serverOptions } from './process.ts';

// Long enough for the probe's timer to fire after the last slice of work.
const PROBE_END_MS = 20;

const exporter = await createMeasuredExporter(serverOptions().series ?? 0);

answerQuestions(publish);
sayReady(await exporter.listen());

async function publish(): Promise<Publishing> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await wait(PROBE_END_MS);
  delay.reset();
  const startedAt = performance.now();
  await exporter.publish();
  const milliseconds = performance.now() - startedAt;
  await wait(PROBE_END_MS);
  delay.disable();
  return { series: exporter.series(), milliseconds, stall: delay.max / 1e6 };
}
