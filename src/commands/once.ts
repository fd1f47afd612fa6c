import { collectors } from '../collectors/index.ts';
import { loadConfig } from '../config/load.ts';
import { readBody } from '../exposition/scrape.ts';
import { MEMORY } from '../store/sqlite.ts';
import type { CommandContext } from './command.ts';
import { openApp } from './serve.ts';

/** Polls every collector once, without a store, and prints the exposition; exit code 1 if a collector failed. */
export async function run(context: CommandContext): Promise<number> {
  const config = await loadConfig({ ...context, collectors });
  // Only `serve` writes to the store.
  const storage = { ...config.storage, path: MEMORY, url: undefined };
  const service = await openApp(context, { ...config, storage }, false);
  const stop = context.stopSignal();
  stop.addEventListener('abort', () => void service.stop(), { once: true });
  const failed = await service.pollOnce();
  const scrape = await service.exposition.scrape({ format: 'text', gzip: false });
  if ('unknown' in scrape) throw new Error('the whole page selects no collectors');
  context.stdout.write(await readBody(scrape));
  if (!stop.aborted) await service.stop();
  if (failed.length > 0) context.stderr.write(`failed: ${failed.join(', ')}\n`);
  return failed.length > 0 || stop.aborted ? 1 : 0;
}
